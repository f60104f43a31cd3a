package dev.rota;

import dev.rota.control.TaskControl;
import java.time.Instant;
import java.util.OptionalLong;

/** One claimed task, as its handler sees it. Immutable and thread-safe. */
public interface Task {

  /**
   * The number of the task, unique in the database and stable over all its attempts and all stages
   * of its pipeline.
   *
   * @return the id
   */
  long id();

  /**
   * The name of the tenant, as it was when the task was claimed.
   *
   * @return the tenant's name
   */
  String tenant();

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
   * Which attempt this is, counted from 1, and anew at each stage of a pipeline. An attempt that
   * ended because its worker died counts; one that was handed back before it began does not.
   *
   * @return the number of this attempt
   */
  int attempt();

  /**
   * The priority with which it was claimed.
   *
   * @return the priority, 0 unless another one was given
   */
  int priority();

  /**
   * The task this one belongs to.
   *
   * @return the id of the parent, or empty
   */
  OptionalLong parentId();

  /**
   * When the task was enqueued, or came to this stage of its pipeline, by the clock of the
   * database.
   *
   * @return the time of the enqueue
   */
  Instant createdAt();

  /**
   * Whether somebody asked for this task to be cancelled, by {@link TaskControl#requestCancel}. A
   * handler that finds so should stop and throw a {@link TaskCancelledException}.
   *
   * <p>Meant to be asked often: at most once a second, for all tasks of a {@link Rota} together,
   * the caller waits for a short query; else the answer is at most a second old. While the database
   * cannot be asked, what was known before is answered. Always false with {@link
   * DeliveryMode#TRANSACTIONAL} and {@link DeliveryMode#FIRE_AND_FORGET}, where nobody can ask.
   *
   * @return true if the task was asked to end
   */
  boolean isCancelled();
}
