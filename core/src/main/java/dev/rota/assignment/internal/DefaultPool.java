package dev.rota.assignment.internal;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.AssignmentResult.Busy;
import dev.rota.assignment.AssignmentResult.Reason;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.assignment.internal.AssignmentTransactions.SharedStatement;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.settle.ProcessLease;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An assignment pool of any kind, which users see as the interface of its kind. Each call runs in a
 * transaction that others may share, or in one of the caller. Thread-safe.
 */
public final class DefaultPool implements WorkerPool, TaskPool, PairPool {

  private static final String WORKER = "worker";
  private static final String TASK = "task";

  /**
   * How often a request is repeated after another transaction overtook it. Even one is rare: it
   * takes a commit within microseconds.
   */
  private static final int MOST_RACES = 3;

  private final Runnable ensureOpen;
  private final Database database;
  private final ProcessLease lease;
  private final AssignmentTransactions transactions;
  private final PoolStatements pool;

  /**
   * Creates the operations of one pool.
   *
   * @param ensureOpen refuses work after the end of the Rota
   */
  public DefaultPool(
      Runnable ensureOpen,
      Database database,
      ProcessLease lease,
      AssignmentTransactions transactions,
      PoolStatements pool) {
    this.ensureOpen = ensureOpen;
    this.database = database;
    this.lease = lease;
    this.transactions = transactions;
    this.pool = pool;
  }

  @Override
  public String name() {
    return pool.name();
  }

  @Override
  public String toString() {
    return pool.label();
  }

  @Override
  public int add(Collection<Long> ids) {
    if (isOfTasks()) {
      pool.tenant().refuseClosed();
    }
    return change("add to ", pool.add(ids));
  }

  @Override
  public int remove(Collection<Long> ids) {
    return change("remove from ", pool.remove(ids));
  }

  @Override
  public long countFree() {
    return run(null, "count what is free in " + pool.label(), pool.countFree()).get(0);
  }

  @Override
  public AssignmentResult assign(long id) {
    return assignFree(null, id);
  }

  @Override
  public AssignmentResult assign(Connection connection, long id) {
    return assignFree(connection, id);
  }

  @Override
  public AssignmentResult assign(long worker, long task) {
    return assignPair(null, worker, task);
  }

  @Override
  public AssignmentResult assign(Connection connection, long worker, long task) {
    return assignPair(connection, worker, task);
  }

  @Override
  public boolean release(Assignment assignment) {
    return end(null, "release ", pool.releasing, assignment);
  }

  @Override
  public boolean release(Connection connection, Assignment assignment) {
    return end(connection, "release ", pool.releasing, assignment);
  }

  @Override
  public boolean finish(Assignment assignment) {
    return end(null, "finish ", pool.finishing, assignment);
  }

  @Override
  public boolean finish(Connection connection, Assignment assignment) {
    return end(connection, "finish ", pool.finishing, assignment);
  }

  @Override
  public Optional<Assignment> findByTask(long task) {
    return find(TASK, task);
  }

  @Override
  public Optional<Assignment> findByWorker(long worker) {
    return find(WORKER, worker);
  }

  private boolean isOfTasks() {
    return pool.kind() == PoolKind.TASKS;
  }

  /** Asks for a free task or worker; on the connection of the caller, if there is one. */
  private AssignmentResult assignFree(@Nullable Connection connection, long id) {
    String asker = isOfTasks() ? WORKER : TASK;
    String purpose = "assign in " + pool.label() + " for " + asker + " " + id;
    return ask(holder -> run(connection, purpose, pool.assign(id, holder)).get(0));
  }

  /** Asks for two that are given. */
  private AssignmentResult assignPair(@Nullable Connection connection, long worker, long task) {
    String purpose = "assign worker " + worker + " to task " + task + " in " + pool.label();
    return ask(
        holder ->
            share(
                connection, purpose, pool.pairing, new PoolStatements.Pair(worker, task, holder)));
  }

  /** Each question is a call of its own: it begins to look somewhere else. */
  private AssignmentResult ask(LongFunction<PoolStatements.Answer> question) {
    ensureOpen.run();
    long holder = lease.holder();
    for (int races = 0; races < MOST_RACES; races++) {
      PoolStatements.Answer answer = question.apply(holder);
      if (answer.code() != PoolStatements.Answer.RACED) {
        return answer.result();
      }
    }
    return new Busy(Reason.CONTENDED);
  }

  /** An ending passes over an assignment while its worker or task is removed or added again. */
  private boolean end(
      @Nullable Connection connection,
      String what,
      SharedStatement<Assignment, Boolean> statement,
      Assignment assignment) {
    String purpose = what + assignment + " in " + pool.label();
    boolean ended = share(connection, purpose, statement, assignment);
    while (!ended && changed(purpose, assignment)) {
      ended = share(connection, purpose, statement, assignment);
    }
    return ended;
  }

  /**
   * Waits for a change of the membership in a separate transaction, which holds no lock that others
   * could wait for.
   */
  private boolean changed(String purpose, Assignment assignment) {
    return !database
        .transaction(purpose, session -> session.run(pool.awaitChange(assignment)))
        .isEmpty();
  }

  private Optional<Assignment> find(String side, long id) {
    String purpose = "find " + side + " " + id + " in " + pool.label();
    return run(null, purpose, pool.find(side, id)).stream().findFirst();
  }

  /** One after the other, so that each sees what the one before has waited for. */
  private int change(String what, List<BoundStatement<Integer>> calls) {
    ensureOpen.run();
    List<Integer> counts =
        database.transaction(
            what + pool.label(),
            session -> {
              session.prepend(pool.lockMembership());
              return session.runAll(calls);
            });
    return counts.stream().mapToInt(Integer::intValue).sum();
  }

  private <T> T run(@Nullable Connection connection, String purpose, BoundStatement<T> call) {
    ensureOpen.run();
    return connection == null ? transactions.run(purpose, call) : runIn(connection, purpose, call);
  }

  private <Q, A> A share(
      @Nullable Connection connection,
      String purpose,
      SharedStatement<Q, A> statement,
      Q question) {
    ensureOpen.run();
    return connection == null
        ? transactions.ask(purpose, statement, question)
        : runIn(connection, purpose, statement.on(List.of(question))).get(0);
  }

  private <T> T runIn(Connection connection, String purpose, BoundStatement<T> call) {
    return database.inCallersTransaction(connection, purpose, session -> session.run(call));
  }
}
