package dev.rota.pipeline;

import dev.rota.NewTask;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a task goes that has passed a stage of its {@link Pipeline}. Immutable and thread-safe.
 *
 * <p>A result that cannot be followed, such as the next stage after the last, or a payload that is
 * too large, makes the task dead, with a text that says so: to run the stage again would not help.
 */
public final class StageResult {

  private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  private final Target target;
  private final @Nullable String stage;
  private final @Nullable String payload;
  private final Duration delay;

  private enum Target {
    NEXT,
    NAMED,
    NONE
  }

  private StageResult(
      Target target, @Nullable String stage, @Nullable String payload, Duration delay) {
    this.target = target;
    this.stage = stage;
    this.payload = payload;
    this.delay = delay;
  }

  /**
   * To the next stage in order, with the payload it has.
   *
   * @return the result
   */
  public static StageResult next() {
    return new StageResult(Target.NEXT, null, null, Duration.ZERO);
  }

  /**
   * To the next stage in order, with another payload.
   *
   * @param payload what the handler of the next stage gets
   * @return the result
   */
  public static StageResult next(String payload) {
    return new StageResult(
        Target.NEXT, null, Objects.requireNonNull(payload, "payload"), Duration.ZERO);
  }

  /**
   * To a named stage, an earlier one or the same as well, with the payload it has.
   *
   * @param stage a stage of the pipeline
   * @return the result
   */
  public static StageResult moveTo(String stage) {
    return new StageResult(
        Target.NAMED, Objects.requireNonNull(stage, "stage"), null, Duration.ZERO);
  }

  /**
   * To a named stage, an earlier one or the same as well, with another payload.
   *
   * @param stage a stage of the pipeline
   * @param payload what the handler of that stage gets
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
   * The task is done, at whatever stage it is.
   *
   * @return the result
   */
  public static StageResult finish() {
    return new StageResult(Target.NONE, null, null, Duration.ZERO);
  }

  /**
   * The same, but the task waits before it becomes pending at its stage; like {@link
   * NewTask#after(Duration)} this needs a daemon.
   *
   * @param delay how long, counted by the database from the settle; zero to 36,500 days
   * @return a copy of this result
   * @throws IllegalArgumentException if out of range
   * @throws IllegalStateException if the task is done and goes nowhere
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
    return new StageResult(target, stage, payload, delay);
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
   * The stage that was named.
   *
   * @return its name; empty for the next in order, and for none
   */
  public Optional<String> stage() {
    return Optional.ofNullable(stage);
  }

  /**
   * The payload that was given.
   *
   * @return the payload; empty to keep the one that the task has
   */
  public Optional<String> payload() {
    return Optional.ofNullable(payload);
  }

  /**
   * How long the task waits before it is pending.
   *
   * @return the delay, zero unless one was given
   */
  public Duration delay() {
    return delay;
  }

  @Override
  public String toString() {
    return isFinish()
        ? "StageResult[finish]"
        : "StageResult[" + (stage == null ? "next" : "moveTo " + stage) + "]";
  }
}
