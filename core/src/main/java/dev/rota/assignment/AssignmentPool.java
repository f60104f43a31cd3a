package dev.rota.assignment;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import java.sql.Connection;
import java.util.Optional;

/**
 * A pool in which each task has at most one worker and each worker at most one task, whoever asks
 * from whatever process. What kind of pool it is tells who is known to it beforehand: {@link
 * WorkerPool}, {@link TaskPool} or {@link PairPool}. Thread-safe; keep it as long as the {@link
 * Rota} is open.
 *
 * <p>Asking and releasing never wait for another one that asks or releases. They are durable when
 * they return. Callers of many threads share transactions.
 *
 * <p>An assignment belongs to the process that made it. When this process closes its {@link Rota},
 * or is silent for longer than its lease ({@link Rota.Builder#lease}), its assignments end: what
 * the pool knows is free again. For the latter a daemon must run. A process that was only frozen
 * then finds that {@link #release(Assignment)} returns false.
 *
 * <p>Methods with a {@code Connection} work inside the caller's transaction, by one statement, and
 * are undone when it is rolled back. Until it ends others see what was before, or are told that
 * they are {@link AssignmentResult.Reason#CONTENDED}. The transaction must be READ COMMITTED, which
 * is PostgreSQL's default; stricter ones can fail with a serialization error. Each assignment takes
 * up to two advisory locks until the transaction ends: make hundreds in one transaction, not
 * thousands.
 *
 * <p>All methods throw {@link DatabaseException} if the database refuses or is away. If {@link
 * DatabaseException#outcomeUnknown()}, repeat the call: an assignment that was made all the same is
 * then returned as {@link AssignmentResult.AlreadyAssigned}, with the token that releases it.
 */
public interface AssignmentPool {

  /**
   * The name that it was opened by.
   *
   * @return the name
   */
  String name();

  /**
   * Ends an assignment. A worker or task that the pool knows is free again, unless it was removed.
   * Only waits if the same worker or task is being removed from the pool, or added again, at this
   * moment.
   *
   * @param assignment what is held
   * @return false if it is not held any more, or another transaction is ending it at this moment;
   *     nothing was changed then
   */
  boolean release(Assignment assignment);

  /**
   * Ends an assignment inside the caller's transaction.
   *
   * @param connection a connection to the same database; it is neither committed nor closed
   * @param assignment what is held
   * @return as {@link #release(Assignment)}
   */
  boolean release(Connection connection, Assignment assignment);

  /**
   * Who is at a task.
   *
   * @param task the task
   * @return its assignment; empty if it has none
   */
  Optional<Assignment> findByTask(long task);

  /**
   * What a worker is at.
   *
   * @param worker the worker
   * @return its assignment; empty if it has none
   */
  Optional<Assignment> findByWorker(long worker);
}
