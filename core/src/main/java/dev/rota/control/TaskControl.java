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
   * Cancels tasks that are pending or waiting: they never run, and stand in history as {@link
   * TaskState#CANCELLED}. Tasks that are running are left alone, see {@link #requestCancel}; so is
   * one that is claimed at the same moment.
   *
   * <p>Scans the tenant's ring and wait table in steps of a few megabytes, each in a transaction of
   * its own. When it fails in between, what was done stays done, and calling it again does the
   * rest.
   *
   * @param which which tasks
   * @param reason kept with them as their error text, up to 4 KiB
   * @return how many tasks were cancelled
   * @throws DatabaseException if a transaction failed
   */
  long cancel(TaskFilter which, String reason);

  /**
   * Asks running tasks to end. Their handlers see it by {@link Task#isCancelled()} within a second;
   * they are not interrupted. What then becomes of a task that was asked:
   *
   * <ul>
   *   <li>Its handler throws {@link TaskCancelledException}, or fails in a way that another attempt
   *       would follow: it is {@link TaskState#CANCELLED}, with the reason.
   *   <li>Its handler fails for the last time: it is dead. Its handler succeeds: it is done.
   *   <li>It returns to the ring, because its process died, was closed before the handler began, or
   *       lost the batch: it is cancelled instead, and its handler is not called again; only a task
   *       {@linkplain TaskKey#versioned(String, long) with a version} does return.
   * </ul>
   *
   * <p>Only tasks that run at that moment are asked. What is pending or waiting is left alone: see
   * {@link #cancel}. A task moves between the two while both are called, so to be rid of all of
   * them call {@code cancel}, this method, and {@code cancel} again. Tasks of transactional and
   * fire and forget workers never count as running.
   *
   * <p>Reads the rows of open batches, each batch in a transaction of its own. When it fails in
   * between, what was asked stays asked, and calling it again does the rest.
   *
   * @param which which tasks
   * @param reason kept with those that are cancelled as their error text, up to 4 KiB
   * @return how many tasks were asked that had not been asked before
   * @throws DatabaseException if a transaction failed
   */
  long requestCancel(TaskFilter which, String reason);

  /**
   * Gives tasks that are pending or waiting another priority. Tasks that are running are left
   * alone; so is one that is claimed at the same moment. A pending task is moved, and stands behind
   * those that have the new priority already. One that is moved may be passed over by a {@link
   * #cancel} at the same time.
   *
   * <p>Scans the tenant's rings and wait table in steps of a few megabytes, each in a transaction
   * of its own. When it fails in between, what was done stays done, and calling it again does the
   * rest.
   *
   * @param which which tasks; those that have the priority already do not count
   * @param priority the new priority, -1,000 to 1,000; its lane is made if there is none
   * @return how many tasks have another priority now
   * @throws IllegalArgumentException if the priority is out of range
   * @throws InvalidTaskException if the tenant uses ten priorities already and this is none of them
   * @throws DatabaseException if a transaction failed
   */
  long changePriority(TaskFilter which, int priority);

  /**
   * Tasks that were claimed longer ago than this and have not ended, the oldest first. Scans the
   * tenant's history.
   *
   * @param longerThan how long ago, by the clock of the database; zero for all that run
   * @return at most 10,000 attempts
   * @throws IllegalArgumentException if the duration is negative
   */
  List<Attempt> longRunning(Duration longerThan);

  /**
   * Takes batches that were claimed longer ago than this from their workers, even if those live,
   * and returns what is unfinished in them to the ring. Their attempts count, and are {@link
   * TaskState#LOST}. What the holder reports later is dropped; it is not told, and its handlers are
   * not interrupted.
   *
   * @param longerThan how long ago, by the clock of the database
   * @return how many tasks returned to the ring
   * @throws IllegalArgumentException if the duration is negative
   * @throws DatabaseException if a transaction failed; batches returned before stay returned
   */
  long requeueRunning(Duration longerThan);

  /**
   * Runs dead tasks again, with all attempts that the retry policy allows: their next attempt is
   * counted as the first. The attempts they had stay in history; the last one is now {@link
   * TaskState#FAILED}, since another one follows.
   *
   * <p>Works through the history in steps of a few megabytes, each in a transaction of its own.
   * When it fails in between, what was done stays done, and calling it again does the rest: a task
   * is never run again twice for one death, by however many callers.
   *
   * @param what which tasks, and when
   * @return how many tasks will run again, or would in a dry run
   * @throws TenantClosedException if the tenant is closed, unless it is a dry run
   * @throws DatabaseException if a transaction failed
   */
  long redrive(Redrive what);

  /**
   * Enqueues tasks of the tenant's history once more, archived ones included: as new tasks with the
   * kind, payload and priority of the old ones, which are their parents ({@link
   * NewTask#withParent}). Keys, and what follows in a pipeline or graph, are not repeated.
   *
   * <p>Works from the newest to the oldest, in transactions of up to 1,000 tasks. When it fails in
   * between, what was enqueued stays; give it a {@link Replay#once(String) name} to be able to call
   * it again.
   *
   * @param replay which tasks, and when
   * @return how many
   * @throws TenantClosedException if the tenant is closed, unless it is a dry run
   * @throws ArchiveException if a file of the archive cannot be read
   * @throws DatabaseException if a transaction failed
   */
  ReplayResult replay(Replay replay);
}
