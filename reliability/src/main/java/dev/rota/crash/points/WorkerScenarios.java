package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.assignment.WorkerPool;
import dev.rota.internal.settle.ManualLease;
import dev.rota.internal.statistics.ManualStatistics;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Scenarios of a worker process's timers. */
final class WorkerScenarios {

  private WorkerScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("send a heartbeat", WorkerScenarios::beat),
        repeatable("register what a process serves", WorkerScenarios::registerServices),
        repeatable("return the batch of a lost claim", WorkerScenarios::returnUnknown),
        repeatable("close with assignments", WorkerScenarios::close),
        repeatable("write hourly statistics", WorkerScenarios::writeStatistics),
        repeatable("write counts of errors", WorkerScenarios::writeErrors));
  }

  private static CrashScenario.Act beat(ScenarioEnvironment environment) throws SQLException {
    environment.enqueue("a");
    ManualLease lease = new ManualLease(environment.rota());
    lease.beat();
    environment.bury();
    CrashScenario.Act act = lease::beat;
    String lives = "select heartbeat_at > now() - interval '1 minute' from rota.worker where id = ";
    return act.until("the process lives", () -> environment.is("t", lives + lease.worker()));
  }

  private static CrashScenario.Act registerServices(ScenarioEnvironment environment) {
    ManualLease lease = new ManualLease(environment.rota());
    lease.beat();
    CrashScenario.Act act = () -> lease.serve(Set.of("eu"), 2, "mail");
    return act.until(
        "they are registered",
        () ->
            environment.is(
                "{eu} 2 {mail}",
                "select concat_ws(' ', pools, shards, kinds) from rota.worker where id = "
                    + lease.worker()));
  }

  private static CrashScenario.Act returnUnknown(ScenarioEnvironment environment) {
    environment.enqueue("a", "b");
    ManualLease lease = new ManualLease(environment.rota());
    lease.loseAnswer(environment.tapped().claim(10));
    CrashScenario.Act act = lease::returnUnknownBatches;
    return act.until(
        "they are pending",
        () -> environment.is("2", "select count(*) from rota_%1$d.task_init_%1$d"));
  }

  /** Closes with assignments; if that fails, the daemon ends them. */
  private static CrashScenario.Act close(ScenarioEnvironment environment) {
    WorkerPool pool = environment.tapped().assignments().workers("crawlers");
    pool.add(List.of(1L));
    pool.assign(7);
    CrashScenario.Act act = environment.rota()::close;
    return act.until(
        "the worker is free again",
        () -> {
          environment.bury();
          environment.bench().daemon().perform("look for assignments of dead workers");
          return environment.is("1", "select count(*) from rota_%1$d.task_free_%1$d");
        });
  }

  /**
   * Writes statistics: each attempt is counted once, though the answer of the COMMIT may be lost.
   */
  private static CrashScenario.Act writeStatistics(ScenarioEnvironment environment) {
    ManualStatistics statistics = new ManualStatistics(environment.rota());
    statistics.count(environment.sound().number(), ScenarioEnvironment.KIND);
    CrashScenario.Act act = statistics::write;
    return act.until(
        "it is counted once",
        () -> environment.is("1", "select sum(done) from rota.statistic where tenant = %1$d"));
  }

  /** Writes counts of errors, of which those are lost whose COMMIT had no answer. */
  private static CrashScenario.Act writeErrors(ScenarioEnvironment environment) {
    ManualStatistics statistics = new ManualStatistics(environment.rota());
    int tenant = environment.sound().number();
    CrashScenario.Act act = () -> statistics.writeError(tenant, ScenarioEnvironment.KIND);
    return act.until(
        "they are counted for the tenant and for all",
        () ->
            environment.is(
                "t",
                "select coalesce((select sum(failed) from rota.tenant_error where tenant = %1$d), 0)"
                    + " = coalesce((select sum(failed) from rota.error_statistic), 0)"));
  }
}
