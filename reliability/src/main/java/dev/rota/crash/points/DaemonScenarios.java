package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.Batch;
import dev.rota.control.TaskFilter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/**
 * Scenarios of the daemon's maintenance tasks, each with a separate leadership: after a fault
 * another daemon takes over.
 */
final class DaemonScenarios {

  /** Sets a time to one at which everything is old. */
  static final String AGO = " = now() - interval '8 days'";

  /** The number of ledger segments in one scenario: more than others leave. */
  private static final int LEDGERS_OF_OTHERS = 90;

  private DaemonScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("promote", DaemonScenarios::promote),
        repeatable("reap", DaemonScenarios::reap),
        repeatable("reap a batch without a worker", DaemonScenarios::reapNobodys),
        repeatable("reap what was asked to end", DaemonScenarios::reapAsked),
        repeatable("reap what was settled in part", DaemonScenarios::reapRest),
        repeatable("switch a ring", DaemonScenarios::switchRing),
        repeatable("switch a ring and truncate", DaemonScenarios::truncate),
        repeatable("put the switch of a ring off", DaemonScenarios::postpone),
        repeatable("switch the ring of a lane", DaemonScenarios::switchLane),
        repeatable("open a segment of history", DaemonScenarios::openSegment),
        repeatable("drop a segment of history", DaemonScenarios::dropSegment),
        repeatable("turn the ledger over", DaemonScenarios::turnLedgerOver),
        repeatable("drop a segment of the ledger", DaemonScenarios::dropLedger));
  }

  /**
   * Runs maintenance tasks. Taking and giving back the leadership is broken in one scenario, for
   * all.
   */
  static CrashScenario.Act act(ScenarioEnvironment stage, String... duties) {
    return () -> stage.dutifulDaemon().perform(duties);
  }

  private static CrashScenario.Act promote(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("pending");
    stage.expect("done", "plain", "lane");
    stage.sound().enqueue(ScenarioEnvironment.task("plain").after(Duration.ofHours(1)));
    stage.sound().enqueue(ScenarioEnvironment.task("lane").after(Duration.ofHours(1)).priority(4));
    stage.execute("update rota_%1$d.task_wait_%1$d set run_at" + AGO);
    return act(stage, "look for due tasks")
        .until(
            "nothing waits", () -> stage.is("0", "select count(*) from rota_%1$d.task_wait_%1$d"));
  }

  private static CrashScenario.Act reap(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a", "b");
    Batch unused = stage.tapped().claim(10);
    stage.bury();
    return reaping(stage, "2");
  }

  private static CrashScenario.Act reapNobodys(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a", "b");
    Batch unused = stage.tapped().claim(10);
    stage.bench().execute("delete from rota.worker");
    return reaping(stage, "2");
  }

  private static CrashScenario.Act reapAsked(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a");
    stage.expect("cancelled", "b");
    long asked = stage.sound().enqueue(ScenarioEnvironment.task("b"));
    Batch unused = stage.tapped().claim(10);
    stage.sound().control().requestCancel(TaskFilter.all().ids(List.of(asked)), "not wanted");
    stage.bury();
    return reaping(stage, "1");
  }

  private static CrashScenario.Act reapRest(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a", "b");
    Batch unused = stage.tapped().claim(10);
    stage.execute(
        "update rota_%1$d.task_hist_%1$d_1 set state = 1, finished_at = now() where payload = 'a'");
    stage.bury();
    return reaping(stage, "1");
  }

  private static CrashScenario.Act reaping(ScenarioEnvironment stage, String returned) {
    return act(stage, "look for dead workers")
        .until(
            "pending again: " + returned,
            () -> stage.is(returned, "select count(*) from rota_%1$d.task_init_%1$d"));
  }

  /** Truncates: the next slot has a dead row. */
  private static CrashScenario.Act truncate(ScenarioEnvironment stage) throws SQLException {
    stage.execute(
        "insert into rota_%1$d.task_init_%1$d_1 (id, created_at, attempt, kind, payload)"
            + " values (0, now(), 0, '', '')");
    stage.execute("delete from rota_%1$d.task_init_%1$d_1");
    return switchRing(stage);
  }

  private static CrashScenario.Act switchRing(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a");
    stage.execute("update rota.tenant set lane_rotated_at[0]" + AGO + " where number = %1$d");
    return act(stage, "look for due rotations", "rotate rings")
        .until(
            "it has rotated once",
            () ->
                stage.is(
                    "1 1",
                    "select current_slot || ' ' || rotations from rota.tenant where number = %1$d"));
  }

  /** Postpones: the next slot has a task that no worker runs. */
  private static CrashScenario.Act postpone(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a");
    stage.expect("done", "left");
    stage.execute(
        "insert into rota_%1$d.task_init_%1$d_1 (id, created_at, attempt, kind, payload)"
            + " values (nextval('rota.task_id'), now(), 0, 'k', 'left')");
    stage.execute("update rota.tenant set lane_rotated_at[0]" + AGO + " where number = %1$d");
    return act(stage, "look for due rotations", "rotate rings")
        .until(
            "it rotated, or noted why not",
            () ->
                stage.is(
                    "t",
                    "select rotations = 1 or postponed_reason is not null from rota.tenant"
                        + " where number = %1$d"));
  }

  private static CrashScenario.Act switchLane(ScenarioEnvironment stage) throws SQLException {
    stage.expect("done", "a");
    stage.sound().enqueue(ScenarioEnvironment.task("a").priority(2));
    stage.execute("update rota.tenant set lane_rotated_at[1]" + AGO + " where number = %1$d");
    return act(stage, "look for due rotations", "rotate rings")
        .until(
            "it has rotated",
            () -> stage.is("4", "select lane_slots[1] from rota.tenant where number = %1$d"));
  }

  /** Runs a task of that name to its end. */
  static void runOne(ScenarioEnvironment stage, String label) {
    stage.enqueue(label);
    try (Batch batch = stage.sound().claim(10)) {
      batch.settle();
    }
  }

  private static CrashScenario.Act openSegment(ScenarioEnvironment stage) throws SQLException {
    runOne(stage, "a");
    stage.enqueue("b");
    stage.execute("update rota.segment set opened_at" + AGO + " where tenant = %1$d");
    return act(stage, "look for due rotations", "open segments of history")
        .until(
            "there are two",
            () -> stage.is("2", "select current_segment from rota.tenant where number = %1$d"));
  }

  /** Seals a segment that is so old that it leaves the database. */
  static void sealOldSegment(ScenarioEnvironment stage) throws SQLException {
    stage.execute("update rota.segment set opened_at" + AGO + " where tenant = %1$d");
    stage.bench().daemon().perform("look for due rotations", "open segments of history");
    stage.execute("update rota.segment set sealed_at" + AGO + " where tenant = %1$d and seq = 1");
  }

  private static CrashScenario.Act dropSegment(ScenarioEnvironment stage) throws SQLException {
    runOne(stage, "a");
    sealOldSegment(stage);
    stage.expect("", "a");
    stage.enqueue("b");
    String duty = "drop old segments of history";
    return act(stage, duty, duty, duty)
        .until(
            "it is gone, and its row counted",
            () ->
                stage.is(
                    "1",
                    "select rows from rota.segment where tenant = %1$d and seq = 1"
                        + " and dropped_at is not null"
                        + " and to_regclass('rota_%1$d.task_hist_%1$d_1') is null"));
  }

  private static CrashScenario.Act turnLedgerOver(ScenarioEnvironment stage) throws SQLException {
    runOne(stage, "a");
    stage.enqueue("b");
    String newest = stage.text("select max(seq) from rota.ledger_segment");
    stage.execute("update rota.ledger_segment set opened_at" + AGO + " where sealed_at is null");
    return act(stage, "turn the ledger over")
        .until(
            "there is one more",
            () -> stage.is("1", "select max(seq) - " + newest + " from rota.ledger_segment"));
  }

  private static CrashScenario.Act dropLedger(ScenarioEnvironment stage) throws SQLException {
    String duty = "turn the ledger over";
    CrashScenario.Check oneIsLeft = () -> stage.is("1", "select count(*) from rota.ledger_segment");
    stage.execute(
        "update rota.ledger_segment set sealed_at" + AGO + " where sealed_at is not null");
    stage
        .bench()
        .daemon()
        .perform(Collections.nCopies(LEDGERS_OF_OTHERS, duty).toArray(String[]::new));
    runOne(stage, "a");
    stage.enqueue("b");
    stage.execute("update rota.ledger_segment set opened_at" + AGO);
    stage.bench().daemon().perform(duty);
    stage.execute(
        "update rota.ledger_segment set sealed_at" + AGO + " where sealed_at is not null");
    return act(stage, duty).until("one is left", oneIsLeft);
  }
}
