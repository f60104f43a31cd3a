package dev.rota.assignment.internal;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.SqlErrors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets assignments of all threads and tenants share transactions, each of which is one round trip.
 * Thread-safe.
 *
 * <p>Requests of one kind to one pool also share a statement, if there is one for several.
 *
 * <p>A caller that finds no transaction under way runs one at once, on its own thread. Callers that
 * come meanwhile wait, and one of them serves all. That is flat combining (Hendler, Incze, Shavit
 * and Tzafrir, "Flat Combining and the Synchronization-Parallelism Tradeoff", 2010) with a
 * transaction in place of the data structure.
 */
public final class AssignmentTransactions {

  /** Two transactions run concurrently: one runs while the other is written to disk. */
  private static final int LANES = 2;

  private static final int MOST_TOGETHER = 64;

  private final Database database;
  private final Statements statements = new Statements();
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Pending<?, ?>> queue = new ArrayDeque<>();
  private int active;

  /** A statement that serves the requests of several callers at once. */
  @FunctionalInterface
  interface SharedStatement<Q, A> {

    /** Creates the call that answers all of them, in their order. */
    BoundStatement<List<A>> on(List<Q> questions);
  }

  public AssignmentTransactions(Database database) {
    this.database = database;
  }

  /**
   * Runs one statement in a transaction that others may share. Until the transaction is committed,
   * a repetition of the statement must do no harm.
   *
   * @param purpose the operation and its object, for error messages
   * @throws RotaException if it failed
   */
  <T> T run(String purpose, BoundStatement<T> call) {
    return ask(purpose, new Alone<>(), call);
  }

  /**
   * Runs a request by a statement that others may share as well; otherwise as {@link #run}.
   *
   * @param statement the same object for all requests that can share it
   */
  <Q, A> A ask(String purpose, SharedStatement<Q, A> statement, Q question) {
    Pending<Q, A> own = new Pending<>(purpose, statement, question, lock.newCondition());
    for (List<Pending<?, ?>> group = enter(own); !group.isEmpty(); group = next(own)) {
      statements.serve(group);
      leave(group);
    }
    return own.result();
  }

  private List<Pending<?, ?>> enter(Pending<?, ?> own) {
    lock.lock();
    try {
      queue.add(own);
      return next(own);
    } finally {
      lock.unlock();
    }
  }

  /** The callers to serve now, on this thread; none once its own caller is served. */
  private List<Pending<?, ?>> next(Pending<?, ?> own) {
    lock.lock();
    try {
      while (!own.done) {
        if (!own.taken && active < LANES) {
          active++;
          return takeGroup();
        }
        own.woken.awaitUninterruptibly();
      }
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  private List<Pending<?, ?>> takeGroup() {
    List<Pending<?, ?>> group = new ArrayList<>();
    while (group.size() < MOST_TOGETHER && !queue.isEmpty()) {
      Pending<?, ?> taken = queue.remove();
      taken.taken = true;
      group.add(taken);
    }
    return group;
  }

  private void leave(List<Pending<?, ?>> group) {
    lock.lock();
    try {
      active--;
      for (Pending<?, ?> served : group) {
        served.done = true;
        served.woken.signal();
      }
      if (!queue.isEmpty()) {
        queue.element().woken.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Runs the statements of several callers. After a refusal each is served alone. */
  private final class Statements implements Database.SharedTransaction<Pending<?, ?>> {

    @Override
    public void commit(List<Pending<?, ?>> group) {
      String purpose =
          group.size() == 1
              ? group.get(0).purpose
              : group.get(0).purpose + " and " + (group.size() - 1) + " others";
      Map<SharedStatement<?, ?>, Round<?, ?>> rounds = new LinkedHashMap<>();
      group.forEach(each -> each.join(rounds));
      database.run(
          purpose, session -> rounds.values().forEach(round -> session.prepend(round.call())));
    }

    /** The answers were delivered as they came. */
    @Override
    public void committed(List<Pending<?, ?>> group) {}

    @Override
    public void failed(List<Pending<?, ?>> group, Throwable failure) {
      RuntimeException told =
          failure instanceof RuntimeException refusal
              ? refusal
              : new RotaException("no assignment was made: " + failure, failure);
      group.forEach(each -> each.failure = told);
    }
  }

  /** A statement of one caller alone, which its identity tells from all others. */
  private static final class Alone<T> implements SharedStatement<BoundStatement<T>, T> {

    @Override
    public BoundStatement<List<T>> on(List<BoundStatement<T>> calls) {
      return calls.get(0).map(List::of);
    }
  }

  /** The requests of a transaction that share a statement. */
  private static final class Round<Q, A> {
    private final SharedStatement<Q, A> statement;
    private final List<Pending<Q, A>> callers = new ArrayList<>();

    Round(SharedStatement<Q, A> statement) {
      this.statement = statement;
    }

    BoundStatement<Boolean> call() {
      return statement
          .on(callers.stream().map(caller -> caller.question).toList())
          .map(this::deliver);
    }

    private boolean deliver(List<A> answers) {
      for (int i = 0; i < callers.size(); i++) {
        callers.get(i).answer = answers.get(i);
      }
      return true;
    }
  }

  /**
   * A request and its result. Its fields are guarded by the lock, or belong to the serving thread.
   */
  private static final class Pending<Q, A> {
    private final String purpose;
    private final SharedStatement<Q, A> statement;
    private final Q question;
    private final Condition woken;
    private boolean taken;
    private boolean done;
    private @Nullable A answer;
    private @Nullable RuntimeException failure;

    Pending(String purpose, SharedStatement<Q, A> statement, Q question, Condition woken) {
      this.purpose = purpose;
      this.statement = statement;
      this.question = question;
      this.woken = woken;
    }

    /**
     * Adds the request to the round of its statement. The cast is safe: a statement leads only to
     * callers that gave it, hence to requests of its types.
     */
    @SuppressWarnings("unchecked")
    void join(Map<SharedStatement<?, ?>, Round<?, ?>> rounds) {
      Round<Q, A> round =
          (Round<Q, A>) rounds.computeIfAbsent(statement, unused -> new Round<>(statement));
      round.callers.add(this);
    }

    /**
     * Returns the result. Other callers may have the same failure from the same transaction, so
     * each gets its own stack trace.
     */
    A result() {
      if (failure instanceof DatabaseException shared) {
        throw SqlErrors.inThisThread(shared);
      }
      if (failure != null) {
        throw failure;
      }
      return Objects.requireNonNull(answer);
    }
  }
}
