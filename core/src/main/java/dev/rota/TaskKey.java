package dev.rota;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A name that a producer gives to a task, so that adding it again does not add it twice. Keys
 * belong to a tenant. Immutable and thread-safe.
 *
 * <p>A key is 1 to 500 bytes of UTF-8; {@link Tenant#enqueue(NewTask)} and its siblings check it.
 */
public final class TaskKey {

  private final String text;
  private final @Nullable Duration kept;
  private final @Nullable Long version;

  private TaskKey(String text, @Nullable Duration kept, @Nullable Long version) {
    this.text = Objects.requireNonNull(text, "key");
    this.kept = kept;
    this.version = version;
  }

  /**
   * A key that is taken from the enqueue until the task has ended for good: while the task is
   * waiting, pending or running, and between its attempts, another one with this key is not added,
   * and its enqueue returns the id of the first. A task that is done, dead or cancelled frees its
   * key.
   *
   * @param text the key
   * @return the key
   */
  public static TaskKey untilSettled(String text) {
    return new TaskKey(text, null, null);
  }

  /**
   * A key that is taken for a period, counted by the database from the enqueue, whether or not the
   * task has ended by then. If it has not, the key stays taken until it has.
   *
   * @param text the key
   * @param period how long; 1 ms to 3,650 days
   * @return the key
   */
  public static TaskKey keptFor(String text, Duration period) {
    return new TaskKey(text, Objects.requireNonNull(period, "period"), null);
  }

  /**
   * A key with a version: the task runs again when a newer version comes, and ignores older and
   * equal ones. While the task is waiting or pending, a newer version replaces its payload; what
   * waited for a retry becomes pending at once. While it is running, it will run once more after it
   * ended, with the newest payload. When it has ended it runs again. It never runs twice at once.
   *
   * <p>All runs have one id: that of the first. The last version is remembered for 30 days after
   * the task last ended.
   *
   * @param text the key
   * @param version the version; any number
   * @return the key
   */
  public static TaskKey versioned(String text, long version) {
    return new TaskKey(text, null, version);
  }

  /**
   * A key whose version is a time, such as that of the last change of a document, in microseconds.
   *
   * @param text the key
   * @param version the time
   * @return the key
   * @see #versioned(String, long)
   */
  public static TaskKey versioned(String text, Instant version) {
    return versioned(text, ChronoUnit.MICROS.between(Instant.EPOCH, version));
  }

  /**
   * The key itself.
   *
   * @return the text
   */
  public String text() {
    return text;
  }

  /**
   * How long the key is taken at least.
   *
   * @return the period given to {@link #keptFor}, or empty
   */
  public Optional<Duration> period() {
    return Optional.ofNullable(kept);
  }

  /**
   * The version.
   *
   * @return the version given to {@link #versioned(String, long)}, or empty
   */
  public OptionalLong version() {
    return version == null ? OptionalLong.empty() : OptionalLong.of(version);
  }

  @Override
  public String toString() {
    return text;
  }
}
