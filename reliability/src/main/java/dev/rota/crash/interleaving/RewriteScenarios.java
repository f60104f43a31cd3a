package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.RotaException;
import dev.rota.Task;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import java.sql.Connection;
import java.sql.PreparedStatement;

/**
 * InterleavingScenarios of tables that an operator rewrites, and of a number that another worker
 * has by now.
 */
public final class RewriteScenarios {

  private RewriteScenarios() {}

  /** A holder whose outcomes are of all kinds, and an operator who packs the segment meanwhile. */
  public static ScriptedScenario settled() {
    return ScriptedScenario.named("rewritten segment, settled")
        .given(RewriteScenarios::holdBehindDeadRows)
        .actor("operator", RewriteScenarios::packHistory)
        .actor(
            "settler",
            environment -> {
              Batch batch = environment.held(0);
              environment.fail(batch, batch.tasks().get(0));
              batch.release(batch.tasks().get(1));
              batch.dead(batch.tasks().get(2), "for good");
              environment.settle(batch);
            })
        .actor(
            "other settler",
            environment -> {
              Batch batch = environment.held(1);
              environment.fail(batch, batch.tasks().get(0));
              environment.settle(batch);
            })
        .then(RewriteScenarios::deadAsSaid);
  }

  /**
   * A reaper that returns the batch of a dead worker, and an operator who packs the segment
   * meanwhile.
   */
  public static ScriptedScenario returned() {
    return ScriptedScenario.named("rewritten segment, returned")
        .given(
            environment -> {
              holdBehindDeadRows(environment);
              environment.endLeases();
            })
        .actor("operator", RewriteScenarios::packHistory)
        .actor("reaper", environment -> environment.daemon(3).reap())
        .actor("claimer", environment -> environment.work(2, 10))
        .finallyDo(environment -> environment.daemon(3).reap())
        .then(RewriteScenarios::doneIfSettled);
  }

  /**
   * Checks that no row without a state is left in a batch that was not settled: it would count as
   * done.
   */
  private static void doneIfSettled(InterleavingEnvironment environment, Census census) {
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
            environment -> {
              environment.enqueue(0, environment.task(), environment.task());
              environment.hold(1, 2);
            })
        .actor(
            "holder",
            environment -> {
              Batch batch = environment.held(0);
              environment.fail(batch, batch.tasks().get(0));
              settleWithoutSegment(environment, batch);
              environment.settle(batch);
            });
  }

  private static void settleWithoutSegment(InterleavingEnvironment environment, Batch batch)
      throws Exception {
    String segment = segment(environment);
    String name = segment.substring(segment.indexOf('.') + 1);
    environment.execute("alter table " + segment + " rename to missing");
    try {
      SettleResult result = batch.settle();
      throw new Violation("a settle without its segment of history ended as " + result);
    } catch (RotaException e) {
      // As it should: the batch stays open, and is settled when the table is back.
      environment.execute("alter table " + segment.replace(name, "missing") + " rename to " + name);
    }
  }

  /** Claims behind dead rows of several blocks: all later rows move. */
  private static void holdBehindDeadRows(InterleavingEnvironment environment) throws Exception {
    String segment = segment(environment);
    environment.execute(
        "insert into %1$s (id, batch_id, created_at, attempt, state, kind, payload)"
                .formatted(segment)
            + " select 0, 0, now(), 0, 1, '', repeat('x', 100) from generate_series(1, 200)");
    environment.execute("delete from " + segment + " where id = 0");
    environment.enqueue(0, environment.task(), environment.task());
    Batch failed = environment.claim(1, 2);
    for (Task task : failed) {
      environment.fail(failed, task);
    }
    environment.settle(failed);
    environment.enqueue(
        0,
        environment.task(),
        environment.task(),
        environment.task(),
        environment.task(),
        environment.task());
    environment.hold(1, 3);
    environment.hold(2, 2);
  }

  private static void packHistory(InterleavingEnvironment environment) throws Exception {
    try (Connection connection = environment.connect(4)) {
      environment.step("rewrite of the segment");
      try (PreparedStatement statement =
          connection.prepareStatement("vacuum full " + segment(environment))) {
        statement.execute();
      }
    }
  }

  private static String segment(InterleavingEnvironment environment) throws Exception {
    long newest = environment.number("select max(seq) from rota.segment where dropped_at is null");
    return environment.table("task_hist", Math.toIntExact(newest));
  }

  private static void deadAsSaid(InterleavingEnvironment environment, Census census) {
    long dead = census.in("dead").size();
    if (dead != 1) {
      throw new Violation("one task was said to be dead, and " + dead + " are");
    }
  }

  /** A batch whose number belongs to another worker by now, as after a restore. */
  public static ScriptedScenario numberOfAnother() {
    return ScriptedScenario.named("number of another")
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task(), environment.task());
              environment.hold(1, 2);
              environment.hold(2, 1);
              giveTo(environment, environment.held(0), environment.held(1));
            })
        .actor(
            "worker of a lost past",
            environment -> {
              SettleResult result = environment.held(0).settle();
              if (result.lost() == 0) {
                throw new Violation("a worker has settled the batch of another: " + result);
              }
            })
        .actor("holder", environment -> environment.settle(environment.held(1)))
        .actor("claimer", environment -> environment.work(2, 10))
        .finallyDo(
            environment -> {
              environment.endLeases();
              environment.daemon(3).reap();
            });
  }

  private static void giveTo(InterleavingEnvironment environment, Batch batch, Batch ofHolder)
      throws Exception {
    long ledger = environment.number("select max(seq) from rota.ledger_segment");
    environment.execute(
        "update rota.task_batch_%1$d set worker = (select worker from rota.task_batch_%1$d where id = %3$d) where id = %2$d"
            .formatted(ledger, batch.id(), ofHolder.id()));
  }
}
