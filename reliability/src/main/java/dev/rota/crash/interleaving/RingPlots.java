package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.NewTask;
import java.sql.Connection;
import java.time.Duration;

/**
 * Scenarios of producers, claimers and rotations. Processes are numbered as in {@link
 * InterleavingEnvironment#PROCESSES}.
 */
public final class RingPlots {

  private RingPlots() {}

  /** Two claimers and a producer over the same ring. */
  public static ScriptedScenario claims() {
    return ScriptedScenario.named("claims")
        .given(world -> world.enqueue(0, world.task(), world.task(), world.task()))
        .actor("claimer", world -> world.work(1, 2))
        .actor("other claimer", world -> world.work(2, 2))
        .actor("producer", world -> world.enqueue(0, world.task()));
  }

  /** A producer that believes that the next slot is current, as after an older rotation. */
  public static ScriptedScenario staleProducer() {
    return ScriptedScenario.named("stale producer")
        .given(
            world -> {
              world.enqueue(0, world.task());
              world.mislead(0, 1);
            })
        .actor(
            "producer",
            world -> {
              world.enqueue(0, world.task());
              world.enqueue(0, world.task(), world.task());
            })
        .impatient(
            "rotator",
            world -> {
              world.daemon(3).rotate(world.tenant(3).number(), 0);
              world.daemon(3).rotate(world.tenant(3).number(), 1);
            })
        .actor("claimer", world -> world.work(1, 10));
  }

  /** A whole turn of the ring, while one actor enqueues and another drains. */
  public static ScriptedScenario wholeTurn() {
    return ScriptedScenario.named("whole turn")
        .given(world -> world.enqueue(0, world.task()))
        .actor("producer", world -> world.enqueue(0, world.task()))
        .impatient(
            "rotator",
            world -> {
              for (int slot = 0; slot < 3; slot++) {
                world.daemon(3).rotate(world.tenant(3).number(), slot);
              }
            })
        .actor(
            "claimer",
            world -> {
              world.work(1, 1);
              world.work(1, 10);
            });
  }

  /** Tasks of callers' transactions, one of which is rolled back. */
  public static ScriptedScenario callersTransaction() {
    return ScriptedScenario.named("caller's transaction")
        .given(world -> world.mislead(0, 1))
        .actor("caller", world -> enqueueInTransaction(world, 0, true))
        .actor("one who rolls back", world -> enqueueInTransaction(world, 4, false))
        .impatient(
            "rotator",
            world -> {
              world.daemon(3).rotate(world.tenant(3).number(), 0);
              world.daemon(3).rotate(world.tenant(3).number(), 1);
            })
        .actor("claimer", world -> world.work(1, 10))
        .then(
            (world, census) -> {
              long rolledBack = world.number("select count(*) from public.effect");
              if (rolledBack != 1) {
                throw new Violation("of two callers one committed, and effects: " + rolledBack);
              }
            });
  }

  private static void enqueueInTransaction(
      InterleavingEnvironment world, int process, boolean committing) throws Exception {
    try (Connection connection = world.connect(process)) {
      connection.setAutoCommit(false);
      try (var statement =
          connection.prepareStatement("insert into public.effect values (" + process + ")")) {
        statement.execute();
      }
      NewTask task = world.task();
      long id = world.tenant(process).enqueue(connection, task);
      if (committing) {
        world.step("commit of the caller");
        connection.commit();
        world.acknowledged(id, task.payload());
      } else {
        world.step("rollback of the caller");
        connection.rollback();
      }
    }
  }

  /** Two lanes, each a ring that rotates separately. */
  public static ScriptedScenario lanes() {
    return ScriptedScenario.named("lanes")
        .withLane(50)
        .given(world -> world.enqueue(0, world.task(), world.task().priority(50)))
        .actor("producer", world -> world.enqueue(0, world.task().priority(50), world.task()))
        .impatient(
            "rotator",
            world -> {
              world.daemon(3).rotate(world.tenant(3).number(), 3);
              world.daemon(3).rotate(world.tenant(3).number(), 0);
            })
        .actor("claimer", world -> world.work(1, 2))
        .actor("other claimer", world -> world.claim(2, 3).close());
  }

  /** Due tasks, two daemons that both believe they lead, and a task that fails meanwhile. */
  public static ScriptedScenario promotion() {
    return ScriptedScenario.named("promotion")
        .given(
            world -> {
              world.enqueue(0, world.task());
              world.hold(1, 1);
              world.enqueue(
                  0, world.task().after(Duration.ZERO), world.task().after(Duration.ZERO));
            })
        .actor("promoter", world -> world.daemon(3).promote())
        .actor("other promoter", world -> world.daemon(4).promote())
        .actor("settler", RingPlots::failAndSettle)
        .actor("claimer", world -> world.work(2, 10));
  }

  private static void failAndSettle(InterleavingEnvironment world) {
    Batch batch = world.held(0);
    world.fail(batch, batch.tasks().get(0));
    world.settle(batch);
  }
}
