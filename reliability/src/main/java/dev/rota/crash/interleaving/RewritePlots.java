package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.RotaException;
import dev.rota.Task;
import dev.rota.internal.schema.BatchEnd;
import java.sql.Connection;
import java.sql.PreparedStatement;

/**
 * Scenarios of tables that an operator rewrites, and of a number that another worker has by now.
 */
public final class RewritePlots {

  private RewritePlots() {}

  /** A holder whose outcomes are of all kinds, and an operator who packs the segment meanwhile. */
  public static ScriptedScenario settled() {
    return ScriptedScenario.named("rewritten segment, settled")
        .given(RewritePlots::holdBehindDeadRows)
        .actor("operator", RewritePlots::packHistory)
        .actor(
            "settler",
            world -> {
              Batch batch = world.held(0);
              world.fail(batch, batch.tasks().get(0));
              batch.release(batch.tasks().get(1));
              batch.dead(batch.tasks().get(2), "for good");
              world.settle(batch);
            })
        .actor(
            "other settler",
            world -> {
              Batch batch = world.held(1);
              world.fail(batch, batch.tasks().get(0));
              world.settle(batch);
            })
        .then(RewritePlots::deadAsSaid);
  }

  /**
   * A reaper that returns the batch of a dead worker, and an operator who packs the segment
   * meanwhile.
   */
  public static ScriptedScenario returned() {
    return ScriptedScenario.named("rewritten segment, returned")
        .given(
            world -> {
              holdBehindDeadRows(world);
              world.endLeases();
            })
        .actor("operator", RewritePlots::packHistory)
        .actor("reaper", world -> world.daemon(3).reap())
        .actor("claimer", world -> world.work(2, 10))
        .finallyDo(world -> world.daemon(3).reap())
        .then(RewritePlots::doneIfSettled);
  }

  /**
   * Checks that no row without a state is left in a batch that was not settled: it would count as
   * done.
   */
  private static void doneIfSettled(InterleavingEnvironment world, Census census) {
    for (Census.Row row : census.in("done")) {
      int end = census.ends().getOrDefault(row.batch(), 0);
      if (end != BatchEnd.SETTLED.code()) {
        throw new Violation("batch " + row.batch() + " ended as " + end + ", and has " + row);
      }
    }
  }

  /** A holder whose segment of history is missing for a moment, as after an operator's error. */
  public static ScriptedScenario missingSegment() {
    return ScriptedScenario.named("missing segment")
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task());
              world.hold(1, 2);
            })
        .actor(
            "holder",
            world -> {
              Batch batch = world.held(0);
              world.fail(batch, batch.tasks().get(0));
              settleWithoutSegment(world, batch);
              world.settle(batch);
            });
  }

  private static void settleWithoutSegment(InterleavingEnvironment world, Batch batch)
      throws Exception {
    String segment = segment(world);
    String name = segment.substring(segment.indexOf('.') + 1);
    world.execute("alter table " + segment + " rename to missing");
    try {
      SettleResult result = batch.settle();
      throw new Violation("a settle without its segment of history ended as " + result);
    } catch (RotaException e) {
      // As it should: the batch stays open, and is settled when the table is back.
      world.execute("alter table " + segment.replace(name, "missing") + " rename to " + name);
    }
  }

  /** Claims behind dead rows of several blocks: all later rows move. */
  private static void holdBehindDeadRows(InterleavingEnvironment world) throws Exception {
    String segment = segment(world);
    world.execute(
        "insert into %1$s (id, batch_id, created_at, attempt, state, kind, payload)"
                .formatted(segment)
            + " select 0, 0, now(), 0, 1, '', repeat('x', 100) from generate_series(1, 200)");
    world.execute("delete from " + segment + " where id = 0");
    world.enqueue(0, world.task(), world.task());
    Batch failed = world.claim(1, 2);
    for (Task task : failed) {
      world.fail(failed, task);
    }
    world.settle(failed);
    world.enqueue(0, world.task(), world.task(), world.task(), world.task(), world.task());
    world.hold(1, 3);
    world.hold(2, 2);
  }

  private static void packHistory(InterleavingEnvironment world) throws Exception {
    try (Connection connection = world.connect(4)) {
      world.step("rewrite of the segment");
      try (PreparedStatement statement =
          connection.prepareStatement("vacuum full " + segment(world))) {
        statement.execute();
      }
    }
  }

  private static String segment(InterleavingEnvironment world) throws Exception {
    long newest = world.number("select max(seq) from rota.segment where dropped_at is null");
    return world.table("task_hist", Math.toIntExact(newest));
  }

  private static void deadAsSaid(InterleavingEnvironment world, Census census) {
    long dead = census.in("dead").size();
    if (dead != 1) {
      throw new Violation("one task was said to be dead, and " + dead + " are");
    }
  }

  /** A batch whose number belongs to another worker by now, as after a restore. */
  public static ScriptedScenario numberOfAnother() {
    return ScriptedScenario.named("number of another")
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task(), world.task());
              world.hold(1, 2);
              world.hold(2, 1);
              giveTo(world, world.held(0), world.held(1));
            })
        .actor(
            "worker of a lost past",
            world -> {
              SettleResult result = world.held(0).settle();
              if (result.lost() == 0) {
                throw new Violation("a worker has settled the batch of another: " + result);
              }
            })
        .actor("holder", world -> world.settle(world.held(1)))
        .actor("claimer", world -> world.work(2, 10))
        .finallyDo(
            world -> {
              world.endLeases();
              world.daemon(3).reap();
            });
  }

  private static void giveTo(InterleavingEnvironment world, Batch batch, Batch ofHolder)
      throws Exception {
    long ledger = world.number("select max(seq) from rota.ledger_segment");
    world.execute(
        "update rota.task_batch_%1$d set worker = (select worker from rota.task_batch_%1$d where id = %3$d) where id = %2$d"
            .formatted(ledger, batch.id(), ofHolder.id()));
  }
}
