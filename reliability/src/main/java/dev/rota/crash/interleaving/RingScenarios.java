package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.NewTask;
import java.sql.Connection;
import java.time.Duration;

/**
 * InterleavingScenarios of producers, claimers and rotations. Processes are numbered as in {@link
 * InterleavingEnvironment#PROCESSES}.
 */
public final class RingScenarios {

  private RingScenarios() {}

  /** Two claimers and a producer over the same ring. */
  public static ScriptedScenario claims() {
    return ScriptedScenario.named("claims")
        .given(
            environment ->
                environment.enqueue(0, environment.task(), environment.task(), environment.task()))
        .actor("claimer", environment -> environment.work(1, 2))
        .actor("other claimer", environment -> environment.work(2, 2))
        .actor("producer", environment -> environment.enqueue(0, environment.task()));
  }

  /** A producer that believes that the next slot is current, as after an older rotation. */
  public static ScriptedScenario staleProducer() {
    return ScriptedScenario.named("stale producer")
        .given(
            environment -> {
              environment.enqueue(0, environment.task());
              environment.mislead(0, 1);
            })
        .actor(
            "producer",
            environment -> {
              environment.enqueue(0, environment.task());
              environment.enqueue(0, environment.task(), environment.task());
            })
        .impatient(
            "rotator",
            environment -> {
              environment.daemon(3).rotate(environment.tenant(3).number(), 0);
              environment.daemon(3).rotate(environment.tenant(3).number(), 1);
            })
        .actor("claimer", environment -> environment.work(1, 10));
  }

  /** A whole turn of the ring, while one actor enqueues and another drains. */
  public static ScriptedScenario wholeTurn() {
    return ScriptedScenario.named("whole turn")
        .given(environment -> environment.enqueue(0, environment.task()))
        .actor("producer", environment -> environment.enqueue(0, environment.task()))
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

  /** Tasks of callers' transactions, one of which is rolled back. */
  public static ScriptedScenario callersTransaction() {
    return ScriptedScenario.named("caller's transaction")
        .given(environment -> environment.mislead(0, 1))
        .actor("caller", environment -> enqueueInTransaction(environment, 0, true))
        .actor("one who rolls back", environment -> enqueueInTransaction(environment, 4, false))
        .impatient(
            "rotator",
            environment -> {
              environment.daemon(3).rotate(environment.tenant(3).number(), 0);
              environment.daemon(3).rotate(environment.tenant(3).number(), 1);
            })
        .actor("claimer", environment -> environment.work(1, 10))
        .then(
            (environment, census) -> {
              long rolledBack = environment.number("select count(*) from public.effect");
              if (rolledBack != 1) {
                throw new Violation("of two callers one committed, and effects: " + rolledBack);
              }
            });
  }

  private static void enqueueInTransaction(
      InterleavingEnvironment environment, int process, boolean committing) throws Exception {
    try (Connection connection = environment.connect(process)) {
      connection.setAutoCommit(false);
      try (var statement =
          connection.prepareStatement("insert into public.effect values (" + process + ")")) {
        statement.execute();
      }
      NewTask task = environment.task();
      long id = environment.tenant(process).enqueue(connection, task);
      if (committing) {
        environment.step("commit of the caller");
        connection.commit();
        environment.acknowledged(id, task.payload());
      } else {
        environment.step("rollback of the caller");
        connection.rollback();
      }
    }
  }

  /** Two lanes, each a ring that rotates separately. */
  public static ScriptedScenario lanes() {
    return ScriptedScenario.named("lanes")
        .withLane(50)
        .given(
            environment ->
                environment.enqueue(0, environment.task(), environment.task().priority(50)))
        .actor(
            "producer",
            environment ->
                environment.enqueue(0, environment.task().priority(50), environment.task()))
        .impatient(
            "rotator",
            environment -> {
              environment.daemon(3).rotate(environment.tenant(3).number(), 3);
              environment.daemon(3).rotate(environment.tenant(3).number(), 0);
            })
        .actor("claimer", environment -> environment.work(1, 2))
        .actor("other claimer", environment -> environment.claim(2, 3).close());
  }

  /** Due tasks, two daemons that both believe they lead, and a task that fails meanwhile. */
  public static ScriptedScenario promotion() {
    return ScriptedScenario.named("promotion")
        .given(
            environment -> {
              environment.enqueue(0, environment.task());
              environment.hold(1, 1);
              environment.enqueue(
                  0,
                  environment.task().after(Duration.ZERO),
                  environment.task().after(Duration.ZERO));
            })
        .actor("promoter", environment -> environment.daemon(3).promote())
        .actor("other promoter", environment -> environment.daemon(4).promote())
        .actor("settler", RingScenarios::failAndSettle)
        .actor("claimer", environment -> environment.work(2, 10));
  }

  private static void failAndSettle(InterleavingEnvironment environment) {
    Batch batch = environment.held(0);
    environment.fail(batch, batch.tasks().get(0));
    environment.settle(batch);
  }
}
