package dev.rota.pipeline;

import dev.rota.Attempt;
import dev.rota.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The attempts of a task during one visit to a stage of its pipeline.
 *
 * @param stage the name of the stage
 * @param attempts its attempts there, oldest first, not empty; the last one may be pending or
 *     waiting
 * @see Pipeline#way(List)
 */
public record StageVisit(String stage, List<Attempt> attempts) {

  /**
   * Copies the list.
   *
   * @param stage the name of the stage
   * @param attempts its attempts there
   */
  public StageVisit {
    attempts = List.copyOf(attempts);
  }

  /**
   * The state of the visit.
   *
   * @return the state of its last attempt; {@link TaskState#DONE} for a stage that the task has
   *     left
   */
  public TaskState state() {
    return last().state();
  }

  /**
   * The time at which the task came to the stage.
   *
   * @return the database's time at which it was enqueued there, or settled at the stage before
   */
  public Instant enteredAt() {
    return last().createdAt();
  }

  /**
   * The time at which the task left the stage, or ended there.
   *
   * @return the end of the last attempt; empty while it has not ended, or when the end is unknown
   */
  public Optional<Instant> endedAt() {
    return last().finishedAt();
  }

  private Attempt last() {
    return attempts.get(attempts.size() - 1);
  }
}
