package dev.rota.pipeline;

import dev.rota.NewTask;
import dev.rota.typed.Kind;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The stage to which a task goes after it has passed one of its {@link Pipeline}. Immutable and
 * thread-safe.
 *
 * <p>An impossible result makes the task dead, with a text that explains it: running the stage
 * again would not help. Examples are the next stage after the last, or a payload that is too large.
 */
public final class StageResult {

  private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  private final Target target;
  private final @Nullable String stage;
  private final @Nullable String payload;
  private final @Nullable NewTask task;
  private final Duration delay;

  private enum Target {
    NEXT,
    NAMED,
    NONE
  }

  private StageResult(
      Target target, @Nullable String stage, @Nullable String payload, Duration delay) {
    this(target, stage, payload, null, delay);
  }

  private StageResult(
      Target target,
      @Nullable String stage,
      @Nullable String payload,
      @Nullable NewTask task,
      Duration delay) {
    this.target = target;
    this.stage = stage;
    this.payload = payload;
    this.task = task;
    this.delay = delay;
  }

  /**
   * Moves the task to the next stage in order, with its present payload.
   *
   * @return the result
   */
  public static StageResult next() {
    return new StageResult(Target.NEXT, null, null, Duration.ZERO);
  }

  /**
   * Moves the task to the next stage in order, with another payload.
   *
   * @param payload the input of the next stage
   * @return the result
   */
  public static StageResult next(String payload) {
    return new StageResult(
        Target.NEXT, null, Objects.requireNonNull(payload, "payload"), Duration.ZERO);
  }

  /**
   * Moves the task to a named stage, which may be an earlier one or the same, with its present
   * payload.
   *
   * @param stage a stage of the pipeline
   * @return the result
   */
  public static StageResult moveTo(String stage) {
    return new StageResult(
        Target.NAMED, Objects.requireNonNull(stage, "stage"), null, Duration.ZERO);
  }

  /**
   * Moves the task to a named stage, which may be an earlier one or the same, with another payload.
   *
   * @param stage a stage of the pipeline
   * @param payload the input of that stage
   * @return the result
   */
  public static StageResult moveTo(String stage, String payload) {
    return new StageResult(
        Target.NAMED,
        Objects.requireNonNull(stage, "stage"),
        Objects.requireNonNull(payload, "payload"),
        Duration.ZERO);
  }

  /**
   * Moves the task to the stage of a kind, which may be an earlier one or the same, with a value as
   * payload.
   *
   * @param <T> the type of the value
   * @param stage the kind of a stage of the pipeline: {@code Kind.of(pipeline.kind("parse"), ...)}
   * @param value the input of that stage
   * @return the result
   */
  public static <T> StageResult moveTo(Kind<T> stage, T value) {
    return new StageResult(Target.NAMED, null, null, stage.task(value), Duration.ZERO);
  }

  /**
   * Ends the task as done, at any stage.
   *
   * @return the result
   */
  public static StageResult finish() {
    return new StageResult(Target.NONE, null, null, Duration.ZERO);
  }

  /**
   * Returns a copy with a delay, for which the task waits before it becomes pending at its stage;
   * like {@link NewTask#after(Duration)} this needs a daemon.
   *
   * @param delay how long, counted by the database from the settle; zero to 36,500 days
   * @return a copy of this result
   * @throws IllegalArgumentException if out of range
   * @throws IllegalStateException if the task is done and goes to no stage
   */
  public StageResult after(Duration delay) {
    if (target == Target.NONE) {
      throw new IllegalStateException(
          "a task that is done goes to no stage, and cannot wait for it");
    }
    if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          "delay is " + delay + "; allowed are zero to " + LONGEST_DELAY.toDays() + " days");
    }
    return new StageResult(target, stage, payload, task, delay);
  }

  /**
   * Whether the task is done.
   *
   * @return true for {@link #finish()}
   */
  public boolean isFinish() {
    return target == Target.NONE;
  }

  /**
   * The task as it enters the stage of a kind.
   *
   * @return the task with its kind and value; empty unless made by {@link #moveTo(Kind, Object)}
   */
  public Optional<NewTask> task() {
    return Optional.ofNullable(task);
  }

  /**
   * The named stage.
   *
   * @return its name; empty for the next in order, for that of a kind, and for none
   */
  public Optional<String> stage() {
    return Optional.ofNullable(stage);
  }

  /**
   * The new payload.
   *
   * @return the payload; empty to keep the one that the task has, and for the stage of a kind
   */
  public Optional<String> payload() {
    return Optional.ofNullable(payload);
  }

  /**
   * The delay before the task becomes pending.
   *
   * @return the delay, zero unless one was given
   */
  public Duration delay() {
    return delay;
  }

  @Override
  public String toString() {
    String to = task == null ? stage : task.kind();
    return isFinish()
        ? "StageResult[finish]"
        : "StageResult[" + (to == null ? "next" : "moveTo " + to) + "]";
  }
}
