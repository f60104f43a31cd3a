package dev.rota;

import dev.rota.assignment.Assignments;
import dev.rota.control.TaskControl;
import dev.rota.graph.Graphs;
import dev.rota.history.History;
import dev.rota.limits.QuotaExceededException;
import dev.rota.schedule.Schedules;
import dev.rota.typed.TaskKind;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jooq.DSLContext;

/**
 * One tenant: enqueues, claims and reads its tasks. Thread-safe; keep it as long as the {@link
 * Rota} is open. It stays valid when the tenant is renamed.
 *
 * <p>Every method that enqueues throws {@link InvalidTaskException} for a task that breaks a limit
 * and {@link TenantClosedException} for a closed tenant. It throws {@link QuotaExceededException}
 * if it would bring the tenant above its quota of {@linkplain dev.rota.limits.Limits#maxPending
 * pending tasks} or {@linkplain dev.rota.limits.Limits#maxPayload(long,
 * java.time.temporal.ChronoUnit) payloads}. It inserts nothing in these cases.
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
   * Enqueues one task in a transaction of Rota's own, which it shares with concurrent enqueues of
   * other threads. Durable when it returns.
   *
   * @param task the task
   * @return the id of the task
   * @throws DatabaseException if the transaction failed; {@link DatabaseException#outcomeUnknown()}
   *     tells whether the task may have been stored
   */
  long enqueue(NewTask task);

  /**
   * Enqueues one task, and waits for room if a quota of the tenant allows no more. It does not wait
   * for a quota of payloads whose period ends later. Otherwise as {@link #enqueue(NewTask)}, which
   * does not wait.
   *
   * @param task the task
   * @param patience how long to wait for room at most; 0 to 1 day
   * @return the id of the task
   * @throws QuotaExceededException if there was no room until then, or the thread was interrupted
   * @throws IllegalArgumentException if {@code patience} is out of range
   * @throws DatabaseException if the transaction failed
   */
  long enqueue(NewTask task, Duration patience);

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
   * and tenants. The call blocks while too much unfinished work is in memory ({@link
   * Rota.Builder#asyncMemory}).
   *
   * @param task the task
   * @return completes with the id after the commit, on a thread of the common pool; or
   *     exceptionally with a {@link RotaException}. Give stages that block for long an executor of
   *     their own
   */
  CompletableFuture<Long> enqueueAsync(NewTask task);

  /**
   * Enqueues one task inside the caller's transaction by one INSERT: the task exists if and when
   * the caller commits. Rota draws ids ahead of time on its own connection. Only if none is left in
   * memory, as on the very first call, it draws one on the caller's connection.
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
   * DSL.using(configuration)} within {@code transaction(...)}. Rota uses only its connection, not
   * its settings.
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
   * Returns an instance of an interface that enqueues a task at each call, as {@link
   * #enqueue(NewTask)} does.
   *
   * @param <I> the interface
   * @param tasks an interface whose methods have {@link TaskKind}
   * @return the instance; thread-safe, to be kept as long as this tenant
   * @throws IllegalArgumentException if a method stands for no task; the message names it
   * @see Worker.Builder#handle(Class, Object)
   */
  <I> I tasks(Class<I> tasks);

  /**
   * Returns an instance of an interface that enqueues a task inside the caller's transaction at
   * each call, as {@link #enqueue(Connection, NewTask)} does.
   *
   * @param <I> the interface
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param tasks an interface whose methods have {@link TaskKind}
   * @return the instance, for the length of the transaction
   * @throws IllegalArgumentException if a method stands for no task; the message names it
   */
  <I> I tasks(Connection connection, Class<I> tasks);

  /**
   * Claims up to {@code max} tasks of any kind: the highest priority first, and within a priority
   * the oldest slot first. This is the low-level counterpart of {@link Batch#settle()}; most users
   * run a {@link Worker} instead.
   *
   * @param max how many at most; 1 to 10,000
   * @return the batch; empty when nothing is pending, or when another consumer is claiming from
   *     this tenant at this moment
   * @throws IllegalArgumentException if {@code max} is out of range
   * @throws DatabaseException if the claim failed; nothing is claimed then
   */
  Batch claim(int max);

  /**
   * The assignment pools of this tenant, in which workers are assigned to tasks one to one.
   *
   * @return the entry to pools
   */
  Assignments assignments();

  /**
   * Creates the lane of a priority: three tables for the tasks of that priority. The first enqueue
   * with a priority creates its lane too. Call this for producers that may not create tables, and
   * for those that use the SQL function. Lanes are never removed. Idempotent.
   *
   * @param priority -1,000 to 1,000; the lane of priority 0 always exists
   * @throws IllegalArgumentException if the priority is out of range
   * @throws InvalidTaskException if the tenant uses ten priorities already
   * @throws DatabaseException if the lane could not be created
   */
  void addLane(int priority);

  /**
   * The history of this tenant, and how long it is kept.
   *
   * @return the tenant's history
   */
  History history();

  /**
   * Control over the tasks of this tenant: cancel, change priorities, redrive, replay.
   *
   * @return the control
   */
  TaskControl control();

  /**
   * The schedules of this tenant, which enqueue tasks by the clock.
   *
   * @return the tenant's schedules
   */
  Schedules schedules();

  /**
   * The graphs of this tenant: tasks that depend on each other.
   *
   * @return the tenant's graphs
   */
  Graphs graphs();
}
