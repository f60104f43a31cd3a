package dev.rota.control;

import dev.rota.Attempt;
import dev.rota.DatabaseException;
import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.Task;
import dev.rota.TaskCancelledException;
import dev.rota.TaskKey;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.TenantClosedException;
import dev.rota.history.ArchiveException;
import java.time.Duration;
import java.util.List;

/**
 * Control over the tasks of one tenant: cancels, priorities, long-running tasks, redrive and
 * replay. Thread-safe.
 *
 * @see Tenant#control()
 */
public interface TaskControl {

  /**
   * Cancels tasks that are pending or waiting: they never run, and history shows them as {@link
   * TaskState#CANCELLED}. Running tasks are left alone, see {@link #requestCancel}; so is a task
   * that is claimed at the same moment.
   *
   * <p>Scans the tenant's ring and wait table in steps of a few megabytes, each in a separate
   * transaction. After a failure the finished steps stay done, and another call does the rest.
   *
   * @param which the tasks
   * @param reason kept with them as their error text, up to 4 KiB
   * @return how many tasks were cancelled
   * @throws DatabaseException if a transaction failed
   */
  default long cancel(TaskFilter which, String reason) {
    return cancel(which, reason, tasks -> true);
  }

  /**
   * Cancels like {@link #cancel(TaskFilter, String)}, and tells its progress.
   *
   * @param which the tasks
   * @param reason kept with them
   * @param progress told of each step, and may end the work
   * @return how many tasks were cancelled
   * @throws DatabaseException if a transaction failed
   */
  long cancel(TaskFilter which, String reason, ProgressListener progress);

  /**
   * Counts tasks that are pending or waiting, as {@link #cancel(TaskFilter, String)} and {@link
   * #changePriority(TaskFilter, int)} find them. Scans the tenant's rings and wait table in steps
   * of a few megabytes. A task that moves meanwhile may count twice.
   *
   * @param which the tasks
   * @param progress told of each step, and may end the count
   * @return how many tasks were found
   * @throws DatabaseException if a transaction failed
   */
  long count(TaskFilter which, ProgressListener progress);

  /**
   * Requests running tasks to end. Their handlers see the request by {@link Task#isCancelled()}
   * within a second; they are not interrupted. The result depends on the handler:
   *
   * <ul>
   *   <li>The handler throws {@link TaskCancelledException}, or fails with attempts left: the task
   *       is {@link TaskState#CANCELLED}, with the reason.
   *   <li>The handler fails for the last time: the task is dead. The handler succeeds: the task is
   *       done.
   *   <li>The task would return to the ring, because its process died, was closed before the
   *       handler began, or lost the batch. It is cancelled instead, and its handler is not called
   *       again. Only a task {@linkplain TaskKey#versioned(String, long) with a version} does
   *       return.
   * </ul>
   *
   * <p>The request reaches only tasks that run at that moment. Pending and waiting tasks are left
   * alone: see {@link #cancel}. A task may change between the two states while both methods run. To
   * cancel all of them, call {@code cancel}, this method, and {@code cancel} again. Tasks of
   * transactional and fire and forget workers never count as running.
   *
   * <p>Reads the rows of open batches, each batch in a separate transaction. After a failure the
   * requests made so far stay, and another call does the rest.
   *
   * @param which the tasks
   * @param reason kept as the error text of the tasks that are cancelled, up to 4 KiB
   * @return how many tasks got their first request
   * @throws DatabaseException if a transaction failed
   */
  long requestCancel(TaskFilter which, String reason);

  /**
   * Changes the priority of tasks that are pending or waiting. Running tasks are left alone; so is
   * a task that is claimed at the same moment. A pending task is moved behind the tasks that
   * already have the new priority. A concurrent {@link #cancel} may miss a task that is being
   * moved.
   *
   * <p>Scans the tenant's rings and wait table in steps of a few megabytes, each in a separate
   * transaction. After a failure the finished steps stay done, and another call does the rest.
   *
   * @param which the tasks; those that already have the priority do not count
   * @param priority the new priority, -1,000 to 1,000; its lane is created if it does not exist
   * @return how many tasks got the new priority
   * @throws IllegalArgumentException if the priority is out of range
   * @throws InvalidTaskException if the tenant uses ten priorities already and this is none of them
   * @throws DatabaseException if a transaction failed
   */
  default long changePriority(TaskFilter which, int priority) {
    return changePriority(which, priority, tasks -> true);
  }

  /**
   * Changes priorities like {@link #changePriority(TaskFilter, int)}, and tells its progress.
   *
   * @param which the tasks
   * @param priority the new priority
   * @param progress told of each step, and may end the work
   * @return how many tasks got the new priority
   * @throws DatabaseException if a transaction failed
   */
  long changePriority(TaskFilter which, int priority, ProgressListener progress);

  /**
   * Lists the running tasks that were claimed longer ago than the given time, the oldest first.
   * Scans the tenant's history.
   *
   * @param longerThan how long ago, by the clock of the database; zero for all running tasks
   * @return at most 10,000 attempts
   * @throws IllegalArgumentException if the duration is negative
   */
  List<Attempt> longRunning(Duration longerThan);

  /**
   * Takes batches that were claimed longer ago than the given time from their workers, even from
   * live ones. Their unfinished tasks return to the ring. The attempts count, and are {@link
   * TaskState#LOST}. Later outcomes of the holder are dropped; it is not notified, and its handlers
   * are not interrupted.
   *
   * @param longerThan how long ago, by the clock of the database
   * @return how many tasks returned to the ring
   * @throws IllegalArgumentException if the duration is negative
   * @throws DatabaseException if a transaction failed; batches returned before stay returned
   */
  long requeueRunning(Duration longerThan);

  /**
   * Runs dead tasks again, with all attempts that the retry policy allows: their next attempt is
   * counted as the first. Their earlier attempts stay in history; the last one is now {@link
   * TaskState#FAILED}, since another one follows.
   *
   * <p>Processes the history in steps of a few megabytes, each in a separate transaction. After a
   * failure the finished steps stay done, and another call does the rest. A task never runs twice
   * for one death, however many callers redrive it.
   *
   * @param what the tasks, and the time
   * @return how many tasks will run again, or would in a dry run
   * @throws TenantClosedException if the tenant is closed, unless it is a dry run
   * @throws DatabaseException if a transaction failed
   */
  default long redrive(Redrive what) {
    return redrive(what, tasks -> true);
  }

  /**
   * Redrives like {@link #redrive(Redrive)}, and tells its progress.
   *
   * @param what the tasks, and the time
   * @param progress told of each step, and may end the work
   * @return how many tasks will run again, or would in a dry run
   * @throws DatabaseException if a transaction failed
   */
  long redrive(Redrive what, ProgressListener progress);

  /**
   * Enqueues tasks of the tenant's history once more, archived ones included. The new tasks have
   * the kind, payload and priority of the old ones, which are their parents ({@link
   * NewTask#withParent}). Keys, and later stages of a pipeline or graph, are not repeated.
   *
   * <p>Works from the newest to the oldest, in transactions of up to 1,000 tasks. After a failure
   * the tasks enqueued so far stay; give the replay a {@link Replay#once(String) name} to be able
   * to repeat it.
   *
   * @param replay the tasks, and the time
   * @return the number of tasks, and the archive files that were read
   * @throws TenantClosedException if the tenant is closed, unless it is a dry run
   * @throws dev.rota.limits.QuotaExceededException if a transaction would bring the tenant above
   *     its quota; those before it stay
   * @throws ArchiveException if a file of the archive cannot be read
   * @throws DatabaseException if a transaction failed
   */
  default ReplayResult replay(Replay replay) {
    return replay(replay, tasks -> true);
  }

  /**
   * Replays like {@link #replay(Replay)}, and tells its progress.
   *
   * @param replay the tasks, and the time
   * @param progress told of each step, and may end the work
   * @return the number of tasks, and the archive files that were read
   * @throws DatabaseException if a transaction failed
   */
  ReplayResult replay(Replay replay, ProgressListener progress);
}
