package dev.rota.internal;

import dev.rota.Assignment;
import dev.rota.AssignmentResult;
import dev.rota.AssignmentResult.Busy;
import dev.rota.AssignmentResult.Reason;
import dev.rota.internal.Pool.Answer;
import dev.rota.internal.db.AssignmentSql;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of a pool: each call in a transaction that others may share, or in one of the
 * caller. Thread-safe.
 */
final class PoolClerk {

  /** To be overtaken even once is rare: it takes a commit within microseconds. */
  private static final int MOST_RACES = 3;

  private final Engine engine;
  private final Pool pool;

  PoolClerk(Engine engine, Pool pool) {
    this.engine = engine;
    this.pool = pool;
  }

  Pool pool() {
    return pool;
  }

  /** Asks for a free one; on the connection of the caller, if there is one. */
  AssignmentResult assign(@Nullable Connection connection, String asker, long id) {
    return ask(
        connection,
        "assign in " + pool.label() + " for " + asker + " " + id,
        holder -> pool.assign(id, holder));
  }

  /** Asks for two that are given. */
  AssignmentResult assignPair(@Nullable Connection connection, long worker, long task) {
    return ask(
        connection,
        "assign worker " + worker + " to task " + task + " in " + pool.label(),
        holder -> pool.assignPair(worker, task, holder));
  }

  /** Each question is a call of its own: it begins to look somewhere else. */
  private AssignmentResult ask(
      @Nullable Connection connection, String purpose, LongFunction<Call<List<Answer>>> question) {
    engine.ensureOpen();
    long holder = engine.lease().holder();
    for (int races = 0; races < MOST_RACES; races++) {
      Answer answer = run(connection, purpose, question.apply(holder)).get(0);
      if (answer.code() != AssignmentSql.RACED) {
        return answer.result();
      }
    }
    return new Busy(Reason.CONTENDED);
  }

  boolean release(@Nullable Connection connection, Assignment assignment) {
    return end(connection, AssignmentSql.RELEASE, assignment);
  }

  boolean finish(@Nullable Connection connection, Assignment assignment) {
    return end(connection, AssignmentSql.FINISH, assignment);
  }

  private boolean end(@Nullable Connection connection, SqlTemplate how, Assignment assignment) {
    String purpose = how.call() + " " + assignment + " in " + pool.label();
    return run(connection, purpose, pool.end(how, assignment)).get(0) == 1;
  }

  Optional<Assignment> find(String side, long id) {
    String purpose = "find " + side + " " + id + " in " + pool.label();
    return run(null, purpose, pool.find(side, id)).stream().findFirst();
  }

  long countFree() {
    return run(null, "count what is free in " + pool.label(), pool.countFree()).get(0);
  }

  int add(Collection<Long> ids) {
    List<Integer> counts = change("add to ", pool.add(ids));
    int tooMany = counts.get(2);
    return counts.get(0) + Math.max(0, counts.get(1) - tooMany);
  }

  int remove(Collection<Long> ids) {
    return change("remove from ", pool.remove(ids)).stream().mapToInt(Integer::intValue).sum();
  }

  /** One after the other, so that each sees what the one before has waited for. */
  private List<Integer> change(String what, List<Call<Integer>> calls) {
    engine.ensureOpen();
    return engine
        .database()
        .transaction(what + pool.label(), session -> session.runTogether(calls));
  }

  private <T> T run(@Nullable Connection connection, String purpose, Call<T> call) {
    engine.ensureOpen();
    if (connection == null) {
      return engine.assignmentDesk().run(purpose, call);
    }
    try {
      return Session.inCallersTransaction(connection, engine.database().observer()).run(call);
    } catch (SQLException e) {
      throw Errors.translate(purpose, e);
    }
  }
}
