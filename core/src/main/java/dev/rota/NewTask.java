package dev.rota;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A task to be enqueued. Immutable and thread-safe.
 *
 * <p>Nothing is checked here: {@link Tenant#enqueue(NewTask)} and its siblings check the task
 * against the limits of the {@link Rota} they belong to, and refuse it with {@link
 * InvalidTaskException}.
 */
public final class NewTask {

  private final String kind;
  private final String payload;
  private final @Nullable Long parentId;
  private final Start start;

  private NewTask(String kind, String payload, @Nullable Long parentId, Start start) {
    this.kind = kind;
    this.payload = payload;
    this.parentId = parentId;
    this.start = start;
  }

  /** When the task becomes pending: at a time, after a delay, or at once if there is neither. */
  private record Start(@Nullable Instant runAt, @Nullable Duration delay) {
    static final Start AT_ONCE = new Start(null, null);
  }

  /**
   * A task without a parent.
   *
   * @param kind which handler runs it: 1 to 128 characters out of {@code A-Z a-z 0-9 . _ : / -}
   * @param payload what the handler gets, JSON by convention; at most the payload limit of the
   *     {@link Rota} (64 KiB unless configured), in UTF-8 bytes
   * @return the task
   */
  public static NewTask of(String kind, String payload) {
    return new NewTask(
        Objects.requireNonNull(kind, "kind"),
        Objects.requireNonNull(payload, "payload"),
        null,
        Start.AT_ONCE);
  }

  /**
   * The same task, with a parent. The parent is recorded with every attempt and given to the
   * handler.
   *
   * @param parentId the id of another task of the same tenant
   * @return a copy of this task that has the parent
   */
  public NewTask withParent(long parentId) {
    return new NewTask(kind, payload, parentId, start);
  }

  /**
   * The same task, to become pending at a time. Until then it waits in a table of its own, so that
   * it costs nothing to those that are pending. The clock of the database decides, and a daemon
   * must be running; a time that has passed means as soon as possible.
   *
   * @param time the earliest time at which the task may run; in the years 1700 to 2250
   * @return a copy of this task that waits, instead of any time or delay it had
   */
  public NewTask runAt(Instant time) {
    return new NewTask(
        kind, payload, parentId, new Start(Objects.requireNonNull(time, "time"), null));
  }

  /**
   * The same task, to become pending after a delay, counted by the database from the beginning of
   * the transaction that stores it. See {@link #runAt(Instant)}.
   *
   * @param delay how long the task waits; zero to 36,500 days
   * @return a copy of this task that waits, instead of any time or delay it had
   */
  public NewTask after(Duration delay) {
    return new NewTask(
        kind, payload, parentId, new Start(null, Objects.requireNonNull(delay, "delay")));
  }

  /**
   * Which handler runs the task.
   *
   * @return the kind
   */
  public String kind() {
    return kind;
  }

  /**
   * What the handler gets.
   *
   * @return the payload
   */
  public String payload() {
    return payload;
  }

  /**
   * The task this one belongs to.
   *
   * @return the id of the parent, or empty
   */
  public OptionalLong parentId() {
    return parentId == null ? OptionalLong.empty() : OptionalLong.of(parentId);
  }

  /**
   * The earliest time at which the task may run.
   *
   * @return the time given to {@link #runAt(Instant)}, or empty
   */
  public Optional<Instant> runAt() {
    return Optional.ofNullable(start.runAt());
  }

  /**
   * How long the task waits before it becomes pending.
   *
   * @return the delay given to {@link #after(Duration)}, or empty
   */
  public Optional<Duration> delay() {
    return Optional.ofNullable(start.delay());
  }

  @Override
  public String toString() {
    return "NewTask[kind=" + kind + ", payload of " + payload.length() + " characters]";
  }
}
