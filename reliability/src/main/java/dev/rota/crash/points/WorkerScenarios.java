package dev.rota.crash.points;

import static dev.rota.crash.points.Scenario.repeatable;

import dev.rota.WorkerPool;
import dev.rota.internal.HandLease;
import dev.rota.internal.worker.HandStatistics;
import java.sql.SQLException;
import java.util.List;

/** What a process that works does by its timers. */
final class WorkerScenarios {

  private WorkerScenarios() {}

  static List<Scenario> all() {
    return List.of(
        repeatable("send a heartbeat", WorkerScenarios::beat),
        repeatable("return the batch of a lost claim", WorkerScenarios::returnUnknown),
        repeatable("close with assignments", WorkerScenarios::close),
        repeatable("write hourly statistics", WorkerScenarios::writeStatistics));
  }

  private static Scenario.Act beat(Stage stage) throws SQLException {
    stage.enqueue("a");
    HandLease lease = new HandLease(stage.rota());
    lease.beat();
    stage.bury();
    Scenario.Act act = lease::beat;
    String lives = "select heartbeat_at > now() - interval '1 minute' from rota.worker where id = ";
    return act.until("the process lives", () -> stage.is("t", lives + lease.worker()));
  }

  private static Scenario.Act returnUnknown(Stage stage) {
    stage.enqueue("a", "b");
    HandLease lease = new HandLease(stage.rota());
    lease.loseAnswer(stage.tapped().claim(10));
    Scenario.Act act = lease::returnUnknownBatches;
    return act.until(
        "they are pending", () -> stage.is("2", "select count(*) from rota_%1$d.task_init_%1$d"));
  }

  /** If that fails, the daemon ends them. */
  private static Scenario.Act close(Stage stage) {
    WorkerPool pool = stage.tapped().assignments().workers("crawlers");
    pool.add(List.of(1L));
    pool.assign(7);
    Scenario.Act act = stage.rota()::close;
    return act.until(
        "the worker is free again",
        () -> {
          stage.bury();
          stage.bench().daemon().perform("look for assignments of dead workers");
          return stage.is("1", "select count(*) from rota_%1$d.task_free_%1$d");
        });
  }

  /** Each attempt is counted once, though the answer of the COMMIT may be lost. */
  private static Scenario.Act writeStatistics(Stage stage) {
    HandStatistics statistics = new HandStatistics(stage.rota());
    statistics.count(stage.sound().number(), Stage.KIND);
    Scenario.Act act = statistics::write;
    return act.until(
        "it is counted once",
        () -> stage.is("1", "select sum(done) from rota.statistic where tenant = %1$d"));
  }
}
