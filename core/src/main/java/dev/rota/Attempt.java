package dev.rota;

import java.time.Instant;
import java.util.Map;
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
   * The kind of the task, which selects its handler.
   *
   * @return the kind
   */
  String kind();

  /**
   * The payload that the producer enqueued.
   *
   * @return the payload
   */
  String payload();

  /**
   * The headers that the producer gave to the task.
   *
   * @return the values by their names; empty for most tasks
   * @see NewTask#withHeader(String, String)
   */
  Map<String, String> headers();

  /**
   * The key that the producer gave to the task.
   *
   * @return the text of its {@link TaskKey}, if it has one
   */
  Optional<String> key();

  /**
   * The priority with which the attempt was claimed; of a task not yet claimed, the priority that
   * it has now.
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
   * The effective state: the state of the history row, or of its batch if the row has none of its
   * own.
   *
   * @return the state
   */
  TaskState state();

  /**
   * The time at which the task was enqueued, or reached this stage of its pipeline.
   *
   * @return the database's time of the enqueue
   */
  Instant createdAt();

  /**
   * The time until which a {@link TaskState#WAITING} task waits.
   *
   * @return the database's time at which it becomes pending; empty in any other state
   */
  Optional<Instant> runAt();

  /**
   * The time at which the attempt was claimed.
   *
   * @return the database's time of the claim; empty for a task not yet claimed, or when the ledger
   *     of that hour is no longer kept
   */
  Optional<Instant> claimedAt();

  /**
   * The time at which the attempt ended. A task that succeeded with its whole batch ended when the
   * batch was settled.
   *
   * @return the database's time of the end; empty while it has not ended, or when the ledger of
   *     that hour is no longer kept
   */
  Optional<Instant> finishedAt();

  /**
   * The error text of a failed attempt, at most 4 KiB.
   *
   * @return the error text, if there is one
   */
  Optional<String> error();

  /**
   * The stack frames of the application at which the attempt failed, the throwing frame first, each
   * on a line that begins with {@code at}. See {@link Rota.Builder#stackFrames(int)}.
   *
   * @return the frames, at most 4 KiB; empty if none are kept
   */
  Optional<String> stack();
}
