package dev.rota.crash.interleaving;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * InterleavingScenarios of handlers inside the transaction of their claim, and of producers that
 * write SQL.
 */
final class TransactionScenarios {

  private TransactionScenarios() {}

  /** Two handlers that write in the transaction of their claim, one of which rolls back. */
  static ScriptedScenario transactional() {
    return ScriptedScenario.named("transactional")
        .given(
            environment ->
                environment.enqueue(0, environment.task(), environment.task(), environment.task()))
        .actor("handler", environment -> runInTransaction(environment, 1, true))
        .actor("one who rolls back", environment -> runInTransaction(environment, 4, false))
        .impatient(
            "rotator",
            environment -> environment.daemon(3).rotate(environment.tenant(3).number(), 2))
        .finallyDo(environment -> runInTransaction(environment, 1, true))
        .then(
            (environment, census) -> {
              long tasks = environment.number("select count(distinct task) from public.effect");
              long effects = environment.number("select count(*) from public.effect");
              if (tasks != 3 || effects != 3) {
                throw new Violation(
                    "three tasks ran, and " + effects + " effects are of " + tasks + " tasks");
              }
            });
  }

  private static void runInTransaction(
      InterleavingEnvironment environment, int process, boolean committing) {
    Kernel kernel = DefaultRota.kernelOf(environment.rota(process));
    Claimer claimer = kernel.claimers().claimer(null, BatchEnd.SETTLED);
    var tenant = kernel.registry().get(environment.tenant(process).number());
    ClaimRequest request = new ClaimRequest(tenant, 2, ClaimRequest.ALL_SLOTS, true);
    for (ClaimResult.RingState state = ClaimResult.RingState.MORE;
        state == ClaimResult.RingState.MORE; ) {
      try {
        state =
            kernel
                .database()
                .transaction(
                    "handle", session -> handle(session, claimer, kernel, request, committing))
                .state();
      } catch (Deliberate e) {
        claimer.forgetHints(tenant);
        return;
      }
    }
  }

  private static ClaimResult handle(
      Session session, Claimer claimer, Kernel kernel, ClaimRequest request, boolean committing)
      throws SQLException {
    ClaimResult claim = claimer.claimIn(session, List.of(request)).get(0);
    List<Outcome> outcomes = claim.batch().tasks().stream().map(Outcome::done).toList();
    for (Outcome outcome : outcomes) {
      session.run(
          BoundStatement.update(
              "effect", "insert into public.effect (task) values (?)", outcome.task().id()));
    }
    if (!committing) {
      throw new Deliberate();
    }
    kernel.settler().settleIn(session, outcomes, claim.batch(), 0);
    return claim;
  }

  /** The exception of a handler that ends its transaction. */
  private static final class Deliberate extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A producer that calls the SQL function in a separate transaction, while the ring rotates. */
  static ScriptedScenario sqlFunction() {
    return ScriptedScenario.named("SQL function")
        .given(environment -> environment.enqueue(0, environment.task()))
        .actor("producer", TransactionScenarios::enqueueBySql)
        .impatient(
            "rotator",
            environment -> {
              for (int slot = 0; slot < 3; slot++) {
                environment.daemon(3).rotate(environment.tenant(3).number(), slot);
              }
            })
        .actor(
            "claimer",
            environment -> {
              environment.work(1, 1);
              environment.work(1, 10);
            });
  }

  static void enqueueBySql(InterleavingEnvironment environment) throws Exception {
    try (Connection connection = environment.connect(4)) {
      connection.setAutoCommit(false);
      environment.step("call of the function");
      long id;
      try (var statement =
              connection.prepareStatement("select rota.enqueue('acme', 'work', '{\"sql\": 1}')");
          ResultSet row = statement.executeQuery()) {
        row.next();
        id = row.getLong(1);
      }
      environment.step("commit of the caller");
      connection.commit();
      environment.acknowledged(id, "{\"sql\": 1}");
    }
  }
}
