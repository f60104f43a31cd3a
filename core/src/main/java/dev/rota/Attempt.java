package dev.rota;

import java.time.Instant;
import java.util.Optional;

/**
 * One row of a tenant's history, or a task that still waits for its next attempt. Immutable and
 * thread-safe.
 */
public interface Attempt {

  /**
   * The id of the task.
   *
   * @return the id, the same over all attempts
   */
  long taskId();

  /**
   * Which handler runs the task.
   *
   * @return the kind
   */
  String kind();

  /**
   * What the producer handed over.
   *
   * @return the payload
   */
  String payload();

  /**
   * What the producer called the task.
   *
   * @return the text of its {@link TaskKey}, if it has one
   */
  Optional<String> key();

  /**
   * The priority with which it was claimed, or is to be.
   *
   * @return the priority, 0 unless another one was given
   */
  int priority();

  /**
   * The number of the attempt, counted from 1. For a task that is {@link TaskState#PENDING} or
   * {@link TaskState#WAITING} it is the number that the next attempt will have.
   *
   * @return the number of the attempt
   */
  int number();

  /**
   * The effective state: what the history row says, else what its batch says.
   *
   * @return the state
   */
  TaskState state();

  /**
   * When the task was enqueued, or came to this stage of its pipeline.
   *
   * @return the database's time of the enqueue
   */
  Instant createdAt();

  /**
   * Until when a task that is {@link TaskState#WAITING} waits.
   *
   * @return the database's time at which it becomes pending; empty in any other state
   */
  Optional<Instant> runAt();

  /**
   * When the attempt was claimed.
   *
   * @return the database's time of the claim; empty for a task not yet claimed, or when the ledger
   *     of that hour is no longer kept
   */
  Optional<Instant> claimedAt();

  /**
   * When the attempt ended. A task that succeeded with its whole batch ended when the batch was
   * settled.
   *
   * @return the database's time of the end; empty while it has not ended, or when the ledger of
   *     that hour is no longer kept
   */
  Optional<Instant> finishedAt();

  /**
   * Why the attempt failed, at most 4 KiB.
   *
   * @return the error text, if there is one
   */
  Optional<String> error();

  /**
   * Where the attempt failed: the frames of the application, the one that threw first, each on a
   * line that begins with {@code at}. See {@link Rota.Builder#stackFrames(int)}.
   *
   * @return the frames, at most 4 KiB; empty if none are kept
   */
  Optional<String> stack();
}
