package dev.rota;

import dev.rota.control.TaskControl;
import dev.rota.control.TaskFilter;
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
  private final Options options;

  private NewTask(String kind, String payload, Options options) {
    this.kind = kind;
    this.payload = payload;
    this.options = options;
  }

  /** What a task has beside its work. */
  private record Options(
      @Nullable Long parentId, Start start, @Nullable TaskKey key, int priority) {
    static final Options NONE = new Options(null, Start.AT_ONCE, null, 0);
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
        Options.NONE);
  }

  /**
   * The same task, with a parent. The parent is recorded with every attempt and given to the
   * handler.
   *
   * @param parentId the id of another task of the same tenant
   * @return a copy of this task that has the parent
   */
  public NewTask withParent(long parentId) {
    return with(new Options(parentId, options.start, options.key, options.priority));
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
    return starting(new Start(Objects.requireNonNull(time, "time"), null));
  }

  /**
   * The same task, to become pending after a delay, counted by the database from the beginning of
   * the transaction that stores it. See {@link #runAt(Instant)}.
   *
   * @param delay how long the task waits; zero to 36,500 days
   * @return a copy of this task that waits, instead of any time or delay it had
   */
  public NewTask after(Duration delay) {
    return starting(new Start(null, Objects.requireNonNull(delay, "delay")));
  }

  /**
   * The same task, with a key: if a task of the tenant has the key already, the enqueue adds
   * nothing and returns the id of that task. An enqueue whose outcome is unknown can be repeated
   * safely so.
   *
   * @param key the key
   * @return a copy of this task that has the key
   */
  public NewTask withKey(TaskKey key) {
    TaskKey given = Objects.requireNonNull(key, "key");
    return with(new Options(options.parentId, options.start, given, options.priority));
  }

  /**
   * The same task, with a key that is taken until the task has ended.
   *
   * @param key the text of the key
   * @return a copy of this task that has the key
   * @see TaskKey#untilSettled(String)
   */
  public NewTask withKey(String key) {
    return withKey(TaskKey.untilSettled(key));
  }

  /**
   * The same task, with a priority: of the pending tasks of its tenant those of a higher priority
   * are claimed first, except for the share that the lower ones have of every claim ({@link
   * Rota.Builder#lowerLanesShare(double)}). The task keeps it through retries, until {@link
   * TaskControl#changePriority(TaskFilter, int)}.
   *
   * <p>Each priority that a tenant uses has tables of its own, a lane. They are made when the first
   * task of that priority is enqueued, by a transaction of Rota's own, or ahead of time by {@link
   * Tenant#addLane(int)}.
   *
   * @param priority -1,000 to 1,000; 0 unless one is given, and at most nine others for a tenant
   * @return a copy of this task that has the priority
   */
  public NewTask priority(int priority) {
    return with(new Options(options.parentId, options.start, options.key, priority));
  }

  private NewTask starting(Start start) {
    return with(new Options(options.parentId, start, options.key, options.priority));
  }

  private NewTask with(Options changed) {
    return new NewTask(kind, payload, changed);
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
    Long parentId = options.parentId;
    return parentId == null ? OptionalLong.empty() : OptionalLong.of(parentId);
  }

  /**
   * The earliest time at which the task may run.
   *
   * @return the time given to {@link #runAt(Instant)}, or empty
   */
  public Optional<Instant> runAt() {
    return Optional.ofNullable(options.start.runAt());
  }

  /**
   * How long the task waits before it becomes pending.
   *
   * @return the delay given to {@link #after(Duration)}, or empty
   */
  public Optional<Duration> delay() {
    return Optional.ofNullable(options.start.delay());
  }

  /**
   * Before which other tasks of the tenant it is claimed.
   *
   * @return the priority, 0 unless one was given
   */
  public int priority() {
    return options.priority;
  }

  /**
   * What the producer calls the task.
   *
   * @return the key, or empty
   */
  public Optional<TaskKey> key() {
    return Optional.ofNullable(options.key);
  }

  @Override
  public String toString() {
    return "NewTask[kind=" + kind + ", payload of " + payload.length() + " characters]";
  }
}
