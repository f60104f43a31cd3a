package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.repeatable;
import static dev.rota.crash.points.DaemonScenarios.AGO;
import static dev.rota.crash.points.DaemonScenarios.act;

import dev.rota.Batch;
import dev.rota.TaskKey;
import dev.rota.assignment.WorkerPool;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditLog;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import dev.rota.control.TaskFilter;
import dev.rota.history.History;
import dev.rota.history.HistoryFilter;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.Insight;
import dev.rota.insight.ScheduleQuery;
import dev.rota.insight.TenantQuery;
import dev.rota.schedule.OverlappingRuns;
import dev.rota.schedule.Schedule;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Scenarios of further maintenance: schedules, pools, graphs, keys and the registry. */
final class UpkeepScenarios {

  private UpkeepScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("enqueue by the clock", UpkeepScenarios::occurrence),
        repeatable("skip an occurrence by the clock", UpkeepScenarios::skipped),
        repeatable("end the assignments of the dead", UpkeepScenarios::reapAssignments),
        repeatable("look after graphs", UpkeepScenarios::lookAfterGraphs),
        repeatable("forget a graph", UpkeepScenarios::forgetGraph),
        repeatable("forget keys", UpkeepScenarios::forgetKeys),
        repeatable("clean the registry", UpkeepScenarios::cleanRegistry),
        repeatable("look at everything", UpkeepScenarios::lookAtEverything),
        repeatable("read the status", UpkeepScenarios::readStatus),
        repeatable("read the insight", UpkeepScenarios::readInsight),
        repeatable("keep the audit", UpkeepScenarios::keepAudit),
        repeatable("forget the audit", UpkeepScenarios::forgetAudit),
        repeatable("look for segments to index", UpkeepScenarios::lookForSegments));
  }

  private static CrashScenario.Act occurrence(ScenarioEnvironment environment) throws SQLException {
    environment.expect("done", "a");
    environment
        .sound()
        .schedules()
        .add(Schedule.every("hourly", Duration.ofHours(1), ScenarioEnvironment.task("a")));
    return runSchedule(environment);
  }

  /** Skips an occurrence: the task of the last one still runs. */
  private static CrashScenario.Act skipped(ScenarioEnvironment environment) throws SQLException {
    environment.expect("done", "a");
    environment
        .sound()
        .schedules()
        .add(
            Schedule.every("hourly", Duration.ofHours(1), ScenarioEnvironment.task("a"))
                .overlapping(OverlappingRuns.SKIP));
    environment.sound().schedules().run("hourly");
    Batch unused = environment.sound().claim(1);
    return runSchedule(environment);
  }

  private static CrashScenario.Act runSchedule(ScenarioEnvironment environment)
      throws SQLException {
    environment.execute(
        "update rota.schedule set run_at = now() - interval '1 second',"
            + " planned_at = now() - interval '1 second' where tenant = %1$d");
    return act(environment, "look for due schedules")
        .until(
            "its turn is over",
            () ->
                environment.is(
                    "t", "select run_at > now() from rota.schedule where tenant = %1$d"));
  }

  private static CrashScenario.Act reapAssignments(ScenarioEnvironment environment)
      throws SQLException {
    WorkerPool pool = environment.tapped().assignments().workers("crawlers");
    pool.add(List.of(1L));
    pool.assign(7);
    environment.bury();
    return act(environment, "look for assignments of dead workers")
        .until(
            "the worker is free again",
            () ->
                environment.is(
                    "0 1",
                    "select (select count(*) from rota_%1$d.task_assignment_%1$d) || ' '"
                        + " || (select count(*) from rota_%1$d.task_free_%1$d)"));
  }

  /** Maintains graphs: the death of a parent has yet to be propagated. */
  private static CrashScenario.Act lookAfterGraphs(ScenarioEnvironment environment)
      throws SQLException {
    environment.expect("done", "a");
    environment.expect("done", "b", "c", "d");
    environment.sound().graphs().enqueue(EnqueueScenarios.diamond());
    try (Batch batch = environment.sound().claim(10)) {
      batch.settle();
    }
    return act(environment, "look after graphs", "look after graphs");
  }

  private static CrashScenario.Act forgetGraph(ScenarioEnvironment environment) throws Exception {
    environment.expect("done", "a", "b", "c", "d");
    environment.sound().graphs().enqueue(EnqueueScenarios.diamond());
    for (int generation = 0; generation < 3; generation++) {
      try (Batch batch = environment.sound().claim(10)) {
        batch.settle();
      }
    }
    environment.bench().daemon().perform("look after graphs");
    environment.execute("update rota_%1$d.task_graph_%1$d set finished_at" + AGO);
    return act(environment, "look after graphs")
        .until(
            "it is forgotten",
            () ->
                environment.is(
                    "f",
                    "select exists (select from rota_%1$d.task_graph_%1$d)"
                        + " or exists (select from rota_%1$d.task_node_%1$d)"));
  }

  private static CrashScenario.Act forgetKeys(ScenarioEnvironment environment) throws SQLException {
    environment.expect("done", "a");
    environment
        .sound()
        .enqueue(ScenarioEnvironment.task("a").withKey(TaskKey.keptFor("key", Duration.ofDays(1))));
    try (Batch batch = environment.sound().claim(10)) {
      batch.settle();
    }
    environment.execute("update rota_%1$d.task_key_%1$d set free_at" + AGO);
    return act(environment, "forget old keys")
        .until(
            "it is forgotten",
            () -> environment.is("0", "select count(*) from rota_%1$d.task_key_%1$d"));
  }

  private static CrashScenario.Act cleanRegistry(ScenarioEnvironment environment)
      throws SQLException {
    environment.enqueue("a");
    Batch batch = environment.sound().claim(10);
    environment.sound().control().requestCancel(TaskFilter.all(), "not wanted");
    batch.settle();
    return act(environment, "clean the registry")
        .until(
            "no request is left",
            () -> environment.is("0", "select count(*) from rota.cancel_request"));
  }

  private static CrashScenario.Act readStatus(ScenarioEnvironment environment) {
    environment.enqueue("a");
    return () -> environment.rota().admin().status();
  }

  private static CrashScenario.Act readInsight(ScenarioEnvironment environment) {
    environment.enqueue("a");
    DaemonScenarios.runOne(environment, "ended");
    Insight insight = environment.rota().insight();
    ErrorQuery errors = ErrorQuery.between(Instant.EPOCH, Instant.now());
    History history = environment.tapped().history();
    return () -> {
      insight.overview();
      insight.tenants(TenantQuery.all());
      insight.kinds(errors.from(), errors.to());
      insight.tenantsOf(ScenarioEnvironment.KIND, errors.from(), errors.to(), 1);
      insight.workers();
      insight.running(10);
      insight.errors(errors);
      insight.errors(errors.tenant(environment.sound().name()));
      insight.schedules(ScheduleQuery.all());
      insight.storage();
      HistoryFilter one = HistoryFilter.all().limit(1);
      history.recent(one, Duration.ofMinutes(1));
    };
  }

  /** Counts, and changes nothing but the audit. */
  private static CrashScenario.Act keepAudit(ScenarioEnvironment environment) {
    environment.enqueue("a");
    DaemonScenarios.runOne(environment, "ended");
    AuditLog audit = environment.rota().audit();
    String tenant = environment.sound().name();
    AuditedAction action =
        new AuditedAction("joe", "cancel", Optional.of(tenant), "", OptionalLong.empty());
    return () -> {
      long id = audit.begin(action);
      audit.progress(id, environment.tapped().control().count(TaskFilter.all(), tasks -> true));
      audit.requestStop(id);
      audit.end(id, new AuditEntry.Result(AuditState.STOPPED, 0, true, ""));
      audit.find(id);
      audit.list(AuditQuery.newest());
      audit.list(AuditQuery.newest().tenant(tenant));
      environment.rota().insight().tenantsWith(1, ErrorQuery.between(Instant.EPOCH, Instant.now()));
    };
  }

  private static CrashScenario.Act forgetAudit(ScenarioEnvironment environment)
      throws SQLException {
    environment.execute(
        "insert into rota.audit (begun_at, tenant, actor, action, about)"
            + " values (now() - interval '500 days', %1$d, 'joe', 'pause', '')");
    return act(environment, "forget old entries of the audit")
        .until(
            "it is forgotten",
            () ->
                environment.is(
                    "0",
                    "select count(*) from rota.audit where begun_at < now() - interval '1 day'"));
  }

  private static CrashScenario.Act lookForSegments(ScenarioEnvironment environment)
      throws SQLException {
    environment.execute(
        "update rota.segment set sealed_at = now(), indexed_at = null where tenant = %1$d");
    return act(environment, "index segments of history")
        .until(
            "a small one was looked at",
            () ->
                environment.is(
                    "t", "select indexed_at is not null from rota.segment where tenant = %1$d"));
  }

  private static CrashScenario.Act lookAtEverything(ScenarioEnvironment environment) {
    environment.enqueue("a");
    return () ->
        environment
            .daemon()
            .perform(
                "read the registry of tenants",
                "confirm the leadership",
                "look for old row versions");
  }
}
