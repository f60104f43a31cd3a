package dev.rota;

import dev.rota.assignment.Assignments;
import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.control.ReplayResult;
import dev.rota.control.TaskFilter;
import dev.rota.graph.Graphs;
import dev.rota.history.ArchiveException;
import dev.rota.history.ArchiveUse;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryDimension;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.HourlyStatistics;
import dev.rota.history.RetentionPolicy;
import dev.rota.schedule.Schedules;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/**
 * One tenant: the way to enqueue, claim and read its tasks. Thread-safe; keep it as long as the
 * {@link Rota} is open. It stays valid when the tenant is renamed.
 *
 * <p>Every method that enqueues throws {@link InvalidTaskException} for a task that breaks a limit
 * and {@link TenantClosedException} for a closed tenant, and has then inserted nothing.
 */
public interface Tenant {

  /**
   * The number in the names of the tenant's tables.
   *
   * @return the number, at least 1
   */
  int number();

  /**
   * The name, as last seen in the registry.
   *
   * @return the name
   */
  String name();

  /**
   * Enqueues one task in a transaction of Rota's own, shared with whatever other threads enqueue at
   * that moment. Durable when it returns.
   *
   * @param task the task
   * @return the id of the task
   * @throws DatabaseException if the transaction failed; {@link DatabaseException#outcomeUnknown()}
   *     tells whether the task may have been stored all the same
   */
  long enqueue(NewTask task);

  /**
   * Enqueues many tasks of this tenant in one transaction: all or none.
   *
   * @param tasks the tasks; may be empty
   * @return their ids, in the order of the tasks
   * @throws InvalidTaskException naming the index of the first task that breaks a limit
   * @throws DatabaseException if the transaction failed
   */
  List<Long> enqueueAll(List<NewTask> tasks);

  /**
   * Enqueues one task without waiting. The task shares a transaction with others, of all threads
   * and tenants. When too much is under way already the call blocks until there is room.
   *
   * @param task the task
   * @return completes with the id after the commit, on a thread of the common pool; or
   *     exceptionally with a {@link RotaException}
   */
  CompletableFuture<Long> enqueueAsync(NewTask task);

  /**
   * Enqueues one task inside the caller's transaction by one INSERT: the task exists if and when
   * the caller commits. Ids are drawn ahead of time on a connection of Rota's own; only if none is
   * left in memory, as on the very first call, one is drawn on the caller's connection.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param task the task
   * @return the id of the task
   * @throws DatabaseException if the insert failed; the transaction is then aborted
   */
  long enqueue(Connection connection, NewTask task);

  /**
   * Enqueues many tasks inside the caller's transaction, by one INSERT for each 5,000 of them.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param tasks the tasks; may be empty
   * @return their ids, in the order of the tasks
   */
  List<Long> enqueueAll(Connection connection, List<NewTask> tasks);

  /**
   * Enqueues one task inside the transaction of a jOOQ context, such as {@code
   * DSL.using(configuration)} within {@code transaction(...)}. Only its connection is used, not its
   * settings.
   *
   * @param context the caller's context
   * @param task the task
   * @return the id of the task
   */
  long enqueue(DSLContext context, NewTask task);

  /**
   * Enqueues many tasks inside the transaction of a jOOQ context.
   *
   * @param context the caller's context
   * @param tasks the tasks; may be empty
   * @return their ids, in the order of the tasks
   */
  List<Long> enqueueAll(DSLContext context, List<NewTask> tasks);

  /**
   * Claims up to {@code max} tasks of any kind, the highest priority first, and of each priority
   * the oldest slot first. The low-level pair of {@link Batch#settle()}; most users run a {@link
   * Worker} instead.
   *
   * @param max how many at most; 1 to 10,000
   * @return the batch; empty when nothing is pending, or when another consumer is claiming from
   *     this tenant at this moment
   * @throws IllegalArgumentException if {@code max} is out of range
   * @throws DatabaseException if the claim failed; nothing is claimed then
   */
  Batch claim(int max);

  /**
   * The pools of this tenant in which workers are assigned to tasks, one to one.
   *
   * @return the way to open pools
   */
  Assignments assignments();

  /**
   * Everything known of one task: each attempt, and the pending or waiting one if there is one.
   * Scans the tenant's tables, which have no index on the id, and the files of the archive that may
   * hold it: for support, not for a hot path.
   *
   * @param taskId the id of the task
   * @param archive hears once which files of the archive were opened, and which were missed
   * @return the attempts in the order in which they ended, then the one that runs, or the next one;
   *     empty if the task is unknown
   */
  List<Attempt> scanAttempts(long taskId, Consumer<ArchiveUse> archive);

  /**
   * The same; what is missing for want of an archive is told by a warning in the log.
   *
   * @param taskId the id of the task
   * @return the attempts, as {@link #scanAttempts(long, Consumer)} returns them
   */
  List<Attempt> scanAttempts(long taskId);

  /**
   * How many attempts stand in each state. Counts the rows of all tables of the tenant; those that
   * were archived are not in them, see {@link #countHistory}.
   *
   * @return the count for every state, zero included
   */
  Map<TaskState, Long> scanCounts();

  /**
   * A page of the tenant's history, newest first: what stands in the database, and behind it what
   * was archived. Of the archive only those files are opened that may hold something of what is
   * asked for, and not more of them than the page needs.
   *
   * @param filter what to return
   * @return the page
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   * @throws ArchiveException if a file of the archive cannot be read
   */
  HistoryPage history(HistoryFilter filter);

  /**
   * Counts the attempts of the tenant's history, archived ones included.
   *
   * @param filter which attempts count; its limit means nothing here
   * @param by what to tell them apart by; none for one sum
   * @return the counts
   * @throws IllegalArgumentException if the filter has a cursor: counts have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  HistoryCounts countHistory(HistoryFilter filter, HistoryDimension... by);

  /**
   * The error texts of this tenant's attempts, each with how often it occurred, the most frequent
   * first. Scans the tenant's history, archived files included.
   *
   * @param filter which attempts count, and with {@link HistoryFilter#limit(int)} how many groups
   *     are returned; attempts without an error text never count
   * @param archive hears once which files of the archive were opened, and which were missed
   * @return the groups
   * @throws IllegalArgumentException if the filter has a cursor: groups have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  List<ErrorGroup> scanErrorGroups(HistoryFilter filter, Consumer<ArchiveUse> archive);

  /**
   * The same; what is missing for want of an archive is told by a warning in the log.
   *
   * @param filter which attempts count
   * @return the groups, as {@link #scanErrorGroups(HistoryFilter, Consumer)} returns them
   * @throws IllegalArgumentException if the filter has a cursor: groups have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  List<ErrorGroup> scanErrorGroups(HistoryFilter filter);

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
   * Cancels tasks that are pending or waiting: they never run, and stand in history as {@link
   * TaskState#CANCELLED}. Tasks that are running are left alone, see {@link #cancelRunning}; so is
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
  long cancelRunning(TaskFilter which, String reason);

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
   * Makes the lane of a priority: three tables, into which tasks of that priority go. Enqueueing
   * the first task of a priority does the same; this is for producers that may not make tables, and
   * for those that use the SQL function. Lanes are never removed. Idempotent.
   *
   * @param priority -1,000 to 1,000; there is always one of priority 0
   * @throws IllegalArgumentException if the priority is out of range
   * @throws InvalidTaskException if the tenant uses ten priorities already
   * @throws DatabaseException if the lane could not be made
   */
  void addLane(int priority);

  /**
   * Tasks that were claimed longer ago than this and have not ended, the oldest first. Scans the
   * tenant's history.
   *
   * @param longerThan how long ago, by the clock of the database; zero for all that run
   * @return at most 10,000 attempts
   * @throws IllegalArgumentException if the duration is negative
   */
  List<Attempt> running(Duration longerThan);

  /**
   * Takes batches that were claimed longer ago than this from whoever holds them, even though its
   * process lives, and returns what is unfinished in them to the ring. Their attempts count, and
   * are {@link TaskState#LOST}. What the holder reports later is dropped; it is not told, and its
   * handlers are not interrupted.
   *
   * @param longerThan how long ago, by the clock of the database
   * @return how many tasks returned to the ring
   * @throws IllegalArgumentException if the duration is negative
   * @throws DatabaseException if a transaction failed; batches returned before stay returned
   */
  long returnRunning(Duration longerThan);

  /**
   * How many attempts ended in each hour, and how long they took: what workers with {@link
   * Worker.Builder#hourlyStatistics} have added up. Reads one row for each hour and kind, by an
   * index. The last seconds may be missing.
   *
   * @param from hours that end after this time; by the clock of the database
   * @param to hours that begin before this time
   * @return the hours that have any, in order, and by kind within one
   * @throws IllegalArgumentException if {@code to} is before {@code from}
   * @throws DatabaseException if the database refused
   */
  List<HourlyStatistics> statistics(Instant from, Instant to);

  /**
   * What is enqueued for this tenant by the clock.
   *
   * @return the tenant's schedules
   */
  Schedules schedules();

  /**
   * Tasks of this tenant that depend on each other.
   *
   * @return the tenant's graphs
   */
  Graphs graphs();

  /**
   * What holds for this tenant instead of what holds for all.
   *
   * @return the policy, as the database has it now
   * @throws UnknownTenantException if the tenant is not in the registry any more
   */
  RetentionPolicy policy();

  /**
   * Changes what holds for this tenant. Changes by several callers follow each other, so none is
   * lost. The daemon obeys from its next look on, within a minute.
   *
   * @param change makes the new policy out of the present one; run within a transaction, so it
   *     should only calculate
   * @return the new policy
   * @throws UnknownTenantException if the tenant is not in the registry any more
   */
  RetentionPolicy changePolicy(UnaryOperator<RetentionPolicy> change);
}
