package dev.rota;

import dev.rota.control.TaskControl;
import dev.rota.control.TaskFilter;
import dev.rota.spi.PayloadCodec;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A task to enqueue. Immutable and thread-safe.
 *
 * <p>This class checks nothing: {@link Tenant#enqueue(NewTask)} and its siblings check the task
 * against the limits of their {@link Rota}, and refuse it with {@link InvalidTaskException}.
 */
public final class NewTask {

  private final String kind;
  private final Payload payload;
  private final Options options;

  private NewTask(String kind, Payload payload, Options options) {
    this.kind = kind;
    this.payload = payload;
    this.options = options;
  }

  /** A text, or a value of a type that is not written as text yet. */
  private sealed interface Payload {}

  private record TextPayload(String text) implements Payload {}

  private record ValuePayload(Object value, Type type) implements Payload {}

  /** The optional properties of a task. */
  private record Options(
      @Nullable Long parentId,
      Start start,
      @Nullable TaskKey key,
      int priority,
      Map<String, String> headers) {
    static final Options NONE = new Options(null, Start.AT_ONCE, null, 0, Map.of());
  }

  /**
   * The time at which the task becomes pending: a fixed time, a delay, or at once if both are null.
   */
  private record Start(@Nullable Instant runAt, @Nullable Duration delay) {
    static final Start AT_ONCE = new Start(null, null);
  }

  /**
   * Creates a task without a parent.
   *
   * @param kind which handler runs it: 1 to 128 characters out of {@code A-Z a-z 0-9 . _ : / -}
   * @param payload the input of the handler, JSON by convention; at most the payload limit of the
   *     {@link Rota} (64 KiB unless configured), in UTF-8 bytes
   * @return the task
   */
  public static NewTask of(String kind, String payload) {
    return new NewTask(
        Objects.requireNonNull(kind, "kind"),
        new TextPayload(Objects.requireNonNull(payload, "payload")),
        Options.NONE);
  }

  /**
   * Creates a task without a parent, from a value that the codec of the {@link Rota} writes as text
   * when the task is enqueued. A text is the payload itself. Most users call {@code task(value)} of
   * a kind with a type, which calls this.
   *
   * @param kind see {@link #of(String, String)}
   * @param value the input of the handler
   * @param type the type as which the handler reads it
   * @return the task
   */
  public static NewTask of(String kind, Object value, Type type) {
    Objects.requireNonNull(type, "type");
    return value instanceof String text && type == String.class
        ? of(kind, text)
        : new NewTask(
            Objects.requireNonNull(kind, "kind"),
            new ValuePayload(Objects.requireNonNull(value, "value"), type),
            Options.NONE);
  }

  /**
   * Returns a copy with a parent. The parent is recorded with every attempt and given to the
   * handler.
   *
   * @param parentId the id of another task of the same tenant
   * @return a copy of this task that has the parent
   */
  public NewTask withParent(long parentId) {
    return with(
        new Options(parentId, options.start, options.key, options.priority, options.headers));
  }

  /**
   * Returns a copy that becomes pending at the given time. Until then it waits in a separate table,
   * so that it does not slow the claims of pending tasks. The clock of the database decides, and a
   * daemon must be running. A time in the past means as soon as possible.
   *
   * @param time the earliest time at which the task may run; in the years 1700 to 2250
   * @return a copy of this task that waits, instead of any time or delay it had
   */
  public NewTask runAt(Instant time) {
    return starting(new Start(Objects.requireNonNull(time, "time"), null));
  }

  /**
   * Returns a copy that becomes pending after a delay, which the database counts from the beginning
   * of the transaction that stores it. See {@link #runAt(Instant)}.
   *
   * @param delay how long the task waits; zero to 36,500 days
   * @return a copy of this task that waits, instead of any time or delay it had
   */
  public NewTask after(Duration delay) {
    return starting(new Start(null, Objects.requireNonNull(delay, "delay")));
  }

  /**
   * Returns a copy with a key. If a task of the tenant already has the key, the enqueue adds
   * nothing and returns the id of that task. This makes it safe to repeat an enqueue whose outcome
   * is unknown.
   *
   * @param key the key
   * @return a copy of this task that has the key
   */
  public NewTask withKey(TaskKey key) {
    TaskKey given = Objects.requireNonNull(key, "key");
    return with(
        new Options(options.parentId, options.start, given, options.priority, options.headers));
  }

  /**
   * Returns a copy with a key that is taken until the task has ended.
   *
   * @param key the text of the key
   * @return a copy of this task that has the key
   * @see TaskKey#untilSettled(String)
   */
  public NewTask withKey(String key) {
    return withKey(TaskKey.untilSettled(key));
  }

  /**
   * Returns a copy with a priority. Claims take the tenant's pending tasks of higher priority
   * first, except for a share that is reserved for lower ones ({@link
   * Rota.Builder#lowerLanesShare(double)}). The task keeps its priority through retries, until
   * {@link TaskControl#changePriority(TaskFilter, int)}.
   *
   * <p>Each priority that a tenant uses has a lane: separate pending tables. Rota creates them in
   * its own transaction when the first task of that priority is enqueued, or ahead of time by
   * {@link Tenant#addLane(int)}.
   *
   * @param priority -1,000 to 1,000; 0 unless one is given, and at most nine others for a tenant
   * @return a copy of this task that has the priority
   */
  public NewTask priority(int priority) {
    return with(
        new Options(options.parentId, options.start, options.key, priority, options.headers));
  }

  /**
   * Returns a copy with one more header: a short text beside the payload, such as the context of a
   * trace, or the user on whose behalf the task runs. Handlers read it with {@link Task#headers()}.
   * A task keeps its headers through retries and the stages of a pipeline, and a replay copies
   * them.
   *
   * <p>Headers stand in one line before the payload. Tasks without headers take no more room than
   * if there were none.
   *
   * @param name the name: 1 to 64 characters out of {@code A-Z a-z 0-9 . _ -}
   * @param value the value; all names and values of a task take at most 1,024 bytes of JSON
   * @return a copy of this task that has the header, instead of an earlier one of this name
   */
  public NewTask withHeader(String name, String value) {
    return withHeaders(
        Map.of(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value")));
  }

  /**
   * Returns a copy with more headers. See {@link #withHeader(String, String)}.
   *
   * @param more the values by their names
   * @return a copy of this task that has the headers, instead of earlier ones of these names
   */
  public NewTask withHeaders(Map<String, String> more) {
    if (more.isEmpty()) {
      return this;
    }
    Map<String, String> headers = new LinkedHashMap<>(options.headers);
    headers.putAll(more);
    return with(
        new Options(
            options.parentId,
            options.start,
            options.key,
            options.priority,
            Collections.unmodifiableMap(headers)));
  }

  private NewTask starting(Start start) {
    return with(
        new Options(options.parentId, start, options.key, options.priority, options.headers));
  }

  private NewTask with(Options changed) {
    return new NewTask(kind, payload, changed);
  }

  /**
   * The kind of the task, which selects its handler.
   *
   * @return the kind
   */
  public String kind() {
    return kind;
  }

  /**
   * The input of the handler, as text.
   *
   * @return the payload
   * @throws IllegalStateException if the task has a value that is not written yet
   */
  public String payload() {
    if (payload instanceof TextPayload written) {
      return written.text();
    }
    throw new IllegalStateException(
        "the payload of a task of kind '" + kind + "' is written when the task is enqueued");
  }

  /**
   * The value from which the payload will be written.
   *
   * @return the value; empty if the payload is a text
   */
  public Optional<Object> value() {
    return payload instanceof ValuePayload unwritten
        ? Optional.of(unwritten.value())
        : Optional.empty();
  }

  /**
   * Returns a copy whose payload a codec has written, as an enqueue does.
   *
   * @param codec the codec
   * @return a copy with a text as payload; this task if it has one already
   */
  public NewTask written(PayloadCodec codec) {
    if (payload instanceof ValuePayload unwritten) {
      String text = codec.write(unwritten.value(), unwritten.type());
      return new NewTask(
          kind, new TextPayload(Objects.requireNonNull(text, "text of codec")), options);
    }
    return this;
  }

  /**
   * The id of the parent task.
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
   * The delay before the task becomes pending.
   *
   * @return the delay given to {@link #after(Duration)}, or empty
   */
  public Optional<Duration> delay() {
    return Optional.ofNullable(options.start.delay());
  }

  /**
   * The priority, by which the tasks of one tenant are ordered in claims.
   *
   * @return the priority, 0 unless one was given
   */
  public int priority() {
    return options.priority;
  }

  /**
   * The key that the producer gives to the task.
   *
   * @return the key, or empty
   */
  public Optional<TaskKey> key() {
    return Optional.ofNullable(options.key);
  }

  /**
   * The headers of the task.
   *
   * @return the values by their names, in the order in which they were given
   */
  public Map<String, String> headers() {
    return options.headers;
  }

  @Override
  public String toString() {
    return "NewTask[kind="
        + kind
        + (payload instanceof TextPayload written
            ? ", payload of " + written.text().length() + " characters]"
            : ", payload not written yet]");
  }
}
