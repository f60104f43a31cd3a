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

  private static final String METER = "count the usage";
  private static final String PARK = "park idle tenants";
  private static final String PARKED =
      "select parked_at is not null from rota.tenant where number = %1$d";
  private static final String TABLES_MADE =
      "select tables_made from rota.tenant where number = %1$d";

  private DaemonScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("promote", DaemonScenarios::promote),
        repeatable("promote a first large payload", DaemonScenarios::promoteLarge),
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
        repeatable("park an idle tenant", DaemonScenarios::park),
        repeatable("put the parking of a tenant off", DaemonScenarios::keep),
        repeatable("turn the ledger over", DaemonScenarios::turnLedgerOver),
        repeatable("count the usage", DaemonScenarios::meter),
        repeatable("drop a segment of the ledger", DaemonScenarios::dropLedger));
  }

  /**
   * Runs maintenance tasks. Taking and giving back the leadership is broken in one scenario, for
   * all.
   */
  static CrashScenario.Act act(ScenarioEnvironment environment, String... duties) {
    return () -> environment.dutifulDaemon().perform(duties);
  }

  private static CrashScenario.Act promote(ScenarioEnvironment environment) throws SQLException {
    environment.enqueue("pending");
    environment.expect("done", "plain", "lane");
    environment.sound().enqueue(ScenarioEnvironment.task("plain").after(Duration.ofHours(1)));
    environment
        .sound()
        .enqueue(ScenarioEnvironment.task("lane").after(Duration.ofHours(1)).priority(4));
    environment.execute("update rota_%1$d.task_wait_%1$d set run_at" + AGO);
    return act(environment, "look for due tasks")
        .until(
            "nothing waits",
            () -> environment.is("0", "select count(*) from rota_%1$d.task_wait_%1$d"));
  }

  private static CrashScenario.Act promoteLarge(ScenarioEnvironment environment)
      throws SQLException {
    environment.expect("done", EnqueueScenarios.LARGE, "small");
    environment.execute("select rota_%1$d.enqueue('k', '" + EnqueueScenarios.LARGE + "')");
    environment.execute("select rota_%1$d.enqueue('k', 'small', now())");
    return act(environment, "look for due tasks", "look for due tasks")
        .until(
            "nothing waits",
            () -> environment.is("0", "select count(*) from rota_%1$d.task_wait_%1$d"));
  }

  private static CrashScenario.Act reap(ScenarioEnvironment environment) throws SQLException {
    environment.enqueue("a", "b");
    Batch unused = environment.tapped().claim(10);
    environment.bury();
    return reaping(environment, "2");
  }

  private static CrashScenario.Act reapNobodys(ScenarioEnvironment environment)
      throws SQLException {
    environment.enqueue("a", "b");
    Batch unused = environment.tapped().claim(10);
    environment.bench().execute("delete from rota.worker");
    return reaping(environment, "2");
  }

  private static CrashScenario.Act reapAsked(ScenarioEnvironment environment) throws SQLException {
    environment.enqueue("a");
    environment.expect("cancelled", "b");
    long asked = environment.sound().enqueue(ScenarioEnvironment.task("b"));
    Batch unused = environment.tapped().claim(10);
    environment.sound().control().requestCancel(TaskFilter.all().ids(List.of(asked)), "not wanted");
    environment.bury();
    return reaping(environment, "1");
  }

  private static CrashScenario.Act reapRest(ScenarioEnvironment environment) throws SQLException {
    environment.enqueue("a", "b");
    Batch unused = environment.tapped().claim(10);
    environment.execute(
        "update rota_%1$d.task_hist_%1$d_1 set state = 1, finished_at = now() where payload = 'a'");
    environment.bury();
    return reaping(environment, "1");
  }

  private static CrashScenario.Act reaping(ScenarioEnvironment environment, String returned) {
    return act(environment, "look for dead workers")
        .until(
            "pending again: " + returned,
            () -> environment.is(returned, "select count(*) from rota_%1$d.task_init_%1$d"));
  }

  /** Truncates: the next slot has a dead row. */
  private static CrashScenario.Act truncate(ScenarioEnvironment environment) throws SQLException {
    environment.execute(
        "insert into rota_%1$d.task_init_%1$d_1 (id, created_at, attempt, kind, payload)"
            + " values (0, now(), 0, '', '')");
    environment.execute("delete from rota_%1$d.task_init_%1$d_1");
    return switchRing(environment);
  }

  private static CrashScenario.Act switchRing(ScenarioEnvironment environment) throws SQLException {
    environment.enqueue("a");
    environment.execute("update rota.tenant set lane_rotated_at[0]" + AGO + " where number = %1$d");
    return act(environment, "look for due rotations", "rotate rings")
        .until(
            "it has rotated once",
            () ->
                environment.is(
                    "1 1",
                    "select current_slot || ' ' || rotations from rota.tenant where number = %1$d"));
  }

  /** Postpones: the next slot has a task that no worker runs. */
  private static CrashScenario.Act postpone(ScenarioEnvironment environment) throws SQLException {
    environment.enqueue("a");
    environment.expect("done", "left");
    environment.execute(
        "insert into rota_%1$d.task_init_%1$d_1 (id, created_at, attempt, kind, payload)"
            + " values (nextval('rota.task_id'), now(), 0, 'k', 'left')");
    environment.execute("update rota.tenant set lane_rotated_at[0]" + AGO + " where number = %1$d");
    return act(environment, "look for due rotations", "rotate rings")
        .until(
            "it rotated, or noted why not",
            () ->
                environment.is(
                    "t",
                    "select rotations = 1 or postponed_reason is not null from rota.tenant"
                        + " where number = %1$d"));
  }

  private static CrashScenario.Act switchLane(ScenarioEnvironment environment) throws SQLException {
    environment.expect("done", "a");
    environment.sound().enqueue(ScenarioEnvironment.task("a").priority(2));
    environment.execute("update rota.tenant set lane_rotated_at[1]" + AGO + " where number = %1$d");
    return act(environment, "look for due rotations", "rotate rings")
        .until(
            "it has rotated",
            () -> environment.is("4", "select lane_slots[1] from rota.tenant where number = %1$d"));
  }

  /** Runs a task of that name to its end. */
  static void runOne(ScenarioEnvironment environment, String label) {
    environment.enqueue(label);
    try (Batch batch = environment.sound().claim(10)) {
      batch.settle();
    }
  }

  private static CrashScenario.Act openSegment(ScenarioEnvironment environment)
      throws SQLException {
    runOne(environment, "a");
    environment.enqueue("b");
    environment.execute("update rota.segment set opened_at" + AGO + " where tenant = %1$d");
    return act(environment, "look for due rotations", "open segments of history")
        .until(
            "there are two",
            () ->
                environment.is("2", "select current_segment from rota.tenant where number = %1$d"));
  }

  /** Seals a segment that is so old that it leaves the database. */
  static void sealOldSegment(ScenarioEnvironment environment) throws SQLException {
    environment.execute("update rota.segment set opened_at" + AGO + " where tenant = %1$d");
    environment.bench().daemon().perform("look for due rotations", "open segments of history");
    environment.execute(
        "update rota.segment set sealed_at" + AGO + " where tenant = %1$d and seq = 1");
  }

  private static CrashScenario.Act dropSegment(ScenarioEnvironment environment)
      throws SQLException {
    runOne(environment, "a");
    sealOldSegment(environment);
    environment.expect("", "a");
    environment.enqueue("b");
    String duty = "drop old segments of history";
    return act(environment, duty, duty, duty)
        .until(
            "it is gone, and its row counted",
            () ->
                environment.is(
                    "1",
                    "select rows from rota.segment where tenant = %1$d and seq = 1"
                        + " and dropped_at is not null"
                        + " and to_regclass('rota_%1$d.task_hist_%1$d_1') is null"));
  }

  /** Parks the tenant, whose next task then makes its tables again. */
  private static CrashScenario.Act park(ScenarioEnvironment environment) throws SQLException {
    environment.expect("done", "a");
    environment.execute("update rota.segment set opened_at" + AGO + " where tenant = %1$d");
    CrashScenario.Act act =
        () -> {
          if (environment.is("1", TABLES_MADE) && environment.is("f", PARKED)) {
            announceAndPark(environment);
          }
          if (environment.is("t", PARKED)) {
            // With a key, so that a repetition adds no second task.
            environment.tapped().enqueue(ScenarioEnvironment.task("a").withKey("a"));
          }
        };
    return act.until("it has other tables", () -> environment.is("2", TABLES_MADE));
  }

  private static void announceAndPark(ScenarioEnvironment environment) throws Exception {
    act(environment, PARK).run();
    environment.execute(
        "update rota.tenant set park_at" + AGO + " where number = %1$d and park_at is not null");
    act(environment, PARK).run();
  }

  /** A program has inserted a task after the announcement. */
  private static CrashScenario.Act keep(ScenarioEnvironment environment) throws SQLException {
    environment.expect("done", "a");
    environment.execute("update rota.segment set opened_at" + AGO + " where tenant = %1$d");
    environment.execute(
        "insert into rota_%1$d.task_init_%1$d_1 (id, created_at, attempt, kind, payload)"
            + " values (nextval('rota.task_id'), now(), 0, 'k', 'a')");
    CrashScenario.Act act =
        () -> {
          environment.execute("update rota.tenant set park_at" + AGO + " where number = %1$d");
          act(environment, PARK).run();
        };
    return act.until(
        "it is not announced any more",
        () ->
            environment.is(
                "t",
                "select parked_at is null and park_at is null from rota.tenant"
                    + " where number = %1$d"));
  }

  private static CrashScenario.Act turnLedgerOver(ScenarioEnvironment environment)
      throws SQLException {
    runOne(environment, "a");
    environment.enqueue("b");
    String newest = environment.text("select max(seq) from rota.ledger_segment");
    environment.execute(
        "update rota.ledger_segment set opened_at" + AGO + " where sealed_at is null");
    return act(environment, "turn the ledger over")
        .until(
            "there is one more",
            () -> environment.is("1", "select max(seq) - " + newest + " from rota.ledger_segment"));
  }

  private static CrashScenario.Act meter(ScenarioEnvironment environment) throws SQLException {
    // Other scenarios have left segments.
    sealLongAgo(environment);
    environment.bench().daemon().perform(METER, METER, METER);
    runOne(environment, "a");
    environment.enqueue("b");
    environment.execute(
        "update rota.ledger_segment set opened_at" + AGO + " where sealed_at is null");
    environment.bench().daemon().perform("turn the ledger over");
    sealLongAgo(environment);
    return act(environment, METER)
        .until(
            "each segment is metered, and the attempt once",
            () ->
                environment.is(
                    "0 1",
                    "select (select count(*) from rota.ledger_segment"
                        + " where sealed_at is not null and metered_at is null) || ' '"
                        + " || (select sum(attempts) from rota.usage where tenant = %1$d)"));
  }

  private static void sealLongAgo(ScenarioEnvironment environment) throws SQLException {
    environment.execute(
        "update rota.ledger_segment set sealed_at" + AGO + " where sealed_at is not null");
  }

  private static CrashScenario.Act dropLedger(ScenarioEnvironment environment) throws SQLException {
    String duty = "turn the ledger over";
    CrashScenario.Check oneIsLeft =
        () -> environment.is("1", "select count(*) from rota.ledger_segment");
    sealLongAgo(environment);
    environment.bench().daemon().perform(METER, METER, METER);
    environment
        .bench()
        .daemon()
        .perform(Collections.nCopies(LEDGERS_OF_OTHERS, duty).toArray(String[]::new));
    runOne(environment, "a");
    environment.enqueue("b");
    environment.execute("update rota.ledger_segment set opened_at" + AGO);
    environment.bench().daemon().perform(duty);
    sealLongAgo(environment);
    environment.bench().daemon().perform(METER);
    return act(environment, duty).until("one is left", oneIsLeft);
  }
}
