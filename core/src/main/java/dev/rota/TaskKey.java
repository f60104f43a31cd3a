package dev.rota;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A name that a producer gives to a task, so that a repeated enqueue does not add it twice. Keys
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
   * Creates a key that is taken from the enqueue until the task has ended for good. That is while
   * it is waiting, pending or running, and between its attempts. Meanwhile an enqueue with the same
   * key adds nothing and returns the id of the first task. A task that is done, dead or cancelled
   * frees its key.
   *
   * @param text the key
   * @return the key
   */
  public static TaskKey untilSettled(String text) {
    return new TaskKey(text, null, null);
  }

  /**
   * Creates a key that is taken for a period, which the database counts from the enqueue. If the
   * task has not ended by then, the key stays taken until it has.
   *
   * @param text the key
   * @param period how long; 1 ms to 3,650 days
   * @return the key
   */
  public static TaskKey keptFor(String text, Duration period) {
    return new TaskKey(text, Objects.requireNonNull(period, "period"), null);
  }

  /**
   * Creates a key with a version: the task runs again when a newer version comes, and ignores older
   * and equal ones. While the task is waiting or pending, a newer version replaces its payload; a
   * task that waits for a retry becomes pending at once. While it is running, the newer version
   * starts one more run after this one, with the newest payload. After it has ended, the newer
   * version runs it again. It never runs twice at the same time.
   *
   * <p>All runs have one id: that of the first. Rota remembers the last version for 30 days after
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
   * Creates a key whose version is a time in microseconds, such as that of the last change of a
   * document.
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
   * The text of the key.
   *
   * @return the text
   */
  public String text() {
    return text;
  }

  /**
   * The period for which the key is taken at least.
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
