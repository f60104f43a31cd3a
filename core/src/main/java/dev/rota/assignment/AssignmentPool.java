package dev.rota.assignment;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import java.sql.Connection;
import java.util.Optional;

/**
 * A pool in which each task has at most one worker and each worker at most one task, across all
 * processes. Its type determines which side the pool knows in advance: {@link WorkerPool}, {@link
 * TaskPool} or {@link PairPool}. Thread-safe; keep it as long as the {@link Rota} is open.
 *
 * <p>Assigning and releasing never wait for other calls that assign or release. They are durable
 * when they return. Callers of many threads share transactions.
 *
 * <p>An assignment belongs to the process that made it. Its assignments end when this process
 * closes its {@link Rota}, or is silent for longer than its lease ({@link Rota.Builder#lease}):
 * known workers and tasks are free again. The end by lease needs a running daemon. A process that
 * was only frozen then sees that {@link #release(Assignment)} returns false.
 *
 * <p>Methods with a {@code Connection} work inside the caller's transaction, by one statement, and
 * are undone when it is rolled back. Until it ends, other callers see the previous state, or get
 * {@link AssignmentResult.Reason#CONTENDED}. The transaction must be READ COMMITTED, which is
 * PostgreSQL's default; stricter ones can fail with a serialization error. Each assignment takes up
 * to two advisory locks until the transaction ends: make hundreds in one transaction, not
 * thousands.
 *
 * <p>All methods throw {@link DatabaseException} if the database refuses a statement or is
 * unavailable. If {@link DatabaseException#outcomeUnknown()}, repeat the call: an assignment that
 * was nevertheless made is then returned as {@link AssignmentResult.AlreadyAssigned}, with the
 * token that releases it.
 */
public interface AssignmentPool {

  /**
   * The name of the pool.
   *
   * @return the name
   */
  String name();

  /**
   * Ends an assignment. A worker or task that the pool knows is free again, unless it was removed.
   * The call waits only while the same worker or task is being removed from the pool, or added
   * again.
   *
   * @param assignment the assignment
   * @return false if the assignment has already ended, or another transaction is ending it at this
   *     moment; nothing was changed then
   */
  boolean release(Assignment assignment);

  /**
   * Ends an assignment inside the caller's transaction.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param assignment the assignment
   * @return as {@link #release(Assignment)}
   */
  boolean release(Connection connection, Assignment assignment);

  /**
   * Finds the assignment of a task.
   *
   * @param task the task
   * @return its assignment; empty if it has none
   */
  Optional<Assignment> findByTask(long task);

  /**
   * Finds the assignment of a worker.
   *
   * @param worker the worker
   * @return its assignment; empty if it has none
   */
  Optional<Assignment> findByWorker(long worker);
}
