package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.assignment.WorkerPool;
import dev.rota.internal.settle.HandLease;
import dev.rota.internal.statistics.HandStatistics;
import java.sql.SQLException;
import java.util.List;

/** Scenarios of a worker process's timers. */
final class WorkerScenarios {

  private WorkerScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("send a heartbeat", WorkerScenarios::beat),
        repeatable("return the batch of a lost claim", WorkerScenarios::returnUnknown),
        repeatable("close with assignments", WorkerScenarios::close),
        repeatable("write hourly statistics", WorkerScenarios::writeStatistics));
  }

  private static CrashScenario.Act beat(ScenarioEnvironment stage) throws SQLException {
    stage.enqueue("a");
    HandLease lease = new HandLease(stage.rota());
    lease.beat();
    stage.bury();
    CrashScenario.Act act = lease::beat;
    String lives = "select heartbeat_at > now() - interval '1 minute' from rota.worker where id = ";
    return act.until("the process lives", () -> stage.is("t", lives + lease.worker()));
  }

  private static CrashScenario.Act returnUnknown(ScenarioEnvironment stage) {
    stage.enqueue("a", "b");
    HandLease lease = new HandLease(stage.rota());
    lease.loseAnswer(stage.tapped().claim(10));
    CrashScenario.Act act = lease::returnUnknownBatches;
    return act.until(
        "they are pending", () -> stage.is("2", "select count(*) from rota_%1$d.task_init_%1$d"));
  }

  /** Closes with assignments; if that fails, the daemon ends them. */
  private static CrashScenario.Act close(ScenarioEnvironment stage) {
    WorkerPool pool = stage.tapped().assignments().workers("crawlers");
    pool.add(List.of(1L));
    pool.assign(7);
    CrashScenario.Act act = stage.rota()::close;
    return act.until(
        "the worker is free again",
        () -> {
          stage.bury();
          stage.bench().daemon().perform("look for assignments of dead workers");
          return stage.is("1", "select count(*) from rota_%1$d.task_free_%1$d");
        });
  }

  /**
   * Writes statistics: each attempt is counted once, though the answer of the COMMIT may be lost.
   */
  private static CrashScenario.Act writeStatistics(ScenarioEnvironment stage) {
    HandStatistics statistics = new HandStatistics(stage.rota());
    statistics.count(stage.sound().number(), ScenarioEnvironment.KIND);
    CrashScenario.Act act = statistics::write;
    return act.until(
        "it is counted once",
        () -> stage.is("1", "select sum(done) from rota.statistic where tenant = %1$d"));
  }
}
