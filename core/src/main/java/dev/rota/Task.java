package dev.rota;

import dev.rota.control.TaskControl;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;

/** One claimed task, as given to its handler. Immutable and thread-safe. */
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
   * The number of this attempt, counted from 1, and again from 1 at each stage of a pipeline. An
   * attempt counts if its worker died; it does not count if the task was handed back before it
   * began.
   *
   * @return the number of this attempt
   */
  int attempt();

  /**
   * The priority with which the task was claimed.
   *
   * @return the priority, 0 unless another one was given
   */
  int priority();

  /**
   * The id of the parent task.
   *
   * @return the id of the parent, or empty
   */
  OptionalLong parentId();

  /**
   * The time at which the task was enqueued, or reached this stage of its pipeline, by the clock of
   * the database.
   *
   * @return the time of the enqueue
   */
  Instant createdAt();

  /**
   * Whether cancellation of this task was requested, by {@link TaskControl#requestCancel}. A
   * handler that sees true should stop and throw a {@link TaskCancelledException}.
   *
   * <p>Cheap enough to call often: at most once a second, for all tasks of a {@link Rota} together,
   * one caller waits for a short query. All other calls return an answer that is at most a second
   * old. While the database is unavailable the last known answer is returned. Always false with
   * {@link DeliveryMode#TRANSACTIONAL} and {@link DeliveryMode#FIRE_AND_FORGET}, which support no
   * requests.
   *
   * @return true if cancellation was requested
   */
  boolean isCancelled();
}
