package dev.rota.crash.fuzz;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.admin.Roles;
import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.control.TaskFilter;
import dev.rota.graph.TaskGraph;
import dev.rota.history.HistoryFilter;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import dev.rota.pipeline.Pipeline;
import dev.rota.schedule.Schedule;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The intake paths through the library and through the functions in SQL. */
final class ApiWays {

  private final String jdbcUrl;
  private final Rota rota;
  private final Tenant tenant;

  ApiWays(String jdbcUrl, Rota rota, Tenant tenant) {
    this.jdbcUrl = jdbcUrl;
    this.rota = rota;
    this.tenant = tenant;
  }

  List<IntakePath> all() {
    return List.of(
        IntakePath.quick("name of a tenant", this::tenantName),
        IntakePath.quick("name of no tenant", this::unknownTenant),
        IntakePath.quick("kind", this::kind),
        IntakePath.quick("payload", this::payload),
        IntakePath.quick("payload of several", this::payloadOfMany),
        IntakePath.quick("payload in a transaction", this::payloadInTransaction),
        IntakePath.quick("header", this::header),
        IntakePath.quick("key", this::key),
        IntakePath.quick("error", this::error),
        IntakePath.quick("reason to stop", this::reason),
        IntakePath.quick("filters", this::filters),
        IntakePath.quick("schedule", this::schedule),
        IntakePath.quick("times of a schedule", this::scheduleTimes),
        IntakePath.quick("graph", this::graph),
        IntakePath.quick("pool", this::pool),
        IntakePath.quick("pipeline", this::pipeline),
        IntakePath.quick("function in SQL", this::sqlFunction),
        IntakePath.quick("scope", this::scope),
        IntakePath.quick("rules", this::rules),
        IntakePath.quick("pool of workers", this::poolOfWorkers),
        IntakePath.quick("settings", this::settings));
  }

  private void tenantName(String text) {
    Tenant registered = rota.tenants().register(text);
    Answers.same(text, rota.tenants().get(text).name());
    Answers.same(text, registered.name());
    rota.tenants().rename(text, text + ".");
    rota.tenants().rename(text + ".", text);
    rota.tenants().close(text);
    rota.tenants().reopen(text);
  }

  private void unknownTenant(String text) {
    rota.tenants().find(text);
    rota.tenants().get(text);
  }

  private void kind(String text) {
    tenant.enqueue(NewTask.of(text, "{}"));
    Answers.same(text, claimed().kind());
  }

  private void payload(String text) {
    tenant.enqueue(NewTask.of("k", text));
    Answers.same(text, claimed().payload());
  }

  private void payloadOfMany(String text) {
    tenant.enqueueAll(List.of(NewTask.of("k", text), NewTask.of("k", text).priority(1)));
    Answers.same(text, claimed().payload());
    Answers.same(text, claimed().payload());
  }

  private void payloadInTransaction(String text) throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
      connection.setAutoCommit(false);
      tenant.enqueue(connection, NewTask.of("k", text));
      connection.commit();
    }
    Answers.same(text, claimed().payload());
  }

  private void header(String text) {
    tenant.enqueue(NewTask.of("k", "{}").withHeader("h", text));
    Task task = claimed();
    Answers.same(text, String.valueOf(task.headers().get("h")));
    Answers.same("{}", task.payload());
    tenant.enqueue(NewTask.of("k", "{}").withHeader(text, "value"));
    Answers.same("value", String.valueOf(claimed().headers().get(text)));
  }

  private void key(String text) {
    long id = tenant.enqueue(NewTask.of("k", "{}").withKey(text));
    Answers.require(
        tenant.enqueue(NewTask.of("k", "{}").withKey(text)) == id, "the key is another one");
    Answers.require(
        tenant.control().cancel(TaskFilter.all().key(text), "done") == 1, "the key is not found");
  }

  private void error(String text) {
    List<Ending> endings =
        List.of(
            (batch, task) -> batch.fail(task, text, Duration.ofHours(1)),
            (batch, task) -> batch.fail(task, new IllegalStateException(text)),
            (batch, task) -> batch.dead(task, text));
    for (Ending ending : endings) {
      tenant.enqueue(NewTask.of("k", "{}"));
      try (Batch batch = tenant.claim(1)) {
        ending.end(batch, batch.tasks().get(0));
        Answers.require(batch.settle().settled() == 1, "it is not settled");
      }
    }
    tenant.history().scanErrorGroups(HistoryFilter.all());
    tenant.control().cancel(TaskFilter.all(), text);
  }

  private interface Ending {
    void end(Batch batch, Task task);
  }

  private void reason(String text) {
    tenant.enqueue(NewTask.of("k", "{}"));
    try (Batch batch = tenant.claim(1)) {
      Answers.require(
          tenant.control().requestCancel(TaskFilter.all(), text) == 1, "it was not asked");
      batch.settle();
    }
  }

  private void filters(String text) {
    tenant.control().cancel(TaskFilter.all().kind(text), "x");
    tenant.control().cancel(TaskFilter.all().key(text), "x");
    tenant.control().redrive(Redrive.all().error(text));
    tenant.control().redrive(Redrive.all().kind(text));
    tenant.history().page(HistoryFilter.all().kind(text));
    tenant.history().scanErrorGroups(HistoryFilter.all().kind(text));
    tenant.control().replay(Replay.of(HistoryFilter.all().kind(text)).dryRun());
    tenant.control().replay(Replay.of(HistoryFilter.all().kind("none")).once(text));
    tenant.history().page(HistoryFilter.all().after(text));
  }

  private void schedule(String text) {
    tenant.schedules().add(Schedule.every(text, Duration.ofHours(1), NewTask.of("k", "{}")));
    try {
      Answers.same(text, tenant.schedules().find(text).orElseThrow().schedule().name());
      tenant.schedules().pause(text);
      tenant.schedules().resume(text);
    } finally {
      tenant.schedules().remove(text);
    }
    tenant
        .schedules()
        .add(Schedule.every("of payload", Duration.ofHours(1), NewTask.of("k", text)));
    tenant.schedules().remove("of payload");
  }

  private void scheduleTimes(String text) {
    Schedule.cron("c", text, NewTask.of("k", "{}"));
    tenant.schedules().add(Schedule.cron("of time", text, NewTask.of("k", "{}")));
    tenant.schedules().remove("of time");
  }

  private void graph(String text) {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node parent = builder.add(text, NewTask.of("k", text));
    builder.add(NewTask.of("k", text)).dependsOn(parent);
    long id = tenant.graphs().enqueue(builder.build()).id();
    Answers.require(tenant.graphs().cancel(id, text) == 2, "the graph is not cancelled");
  }

  private void pool(String text) {
    Answers.same(text, tenant.assignments().pairs(text).name());
  }

  private void pipeline(String text) {
    Pipeline.named(text).stage(text).build();
  }

  private void sqlFunction(String text) throws SQLException {
    for (String call :
        List.of(
            "select rota.enqueue(?, 'k', '{}')",
            "select rota.enqueue('fuzzed', ?, '{}')",
            "select rota.enqueue('fuzzed', 'k', ?)",
            "select rota.enqueue('fuzzed', 'k', '{}', null, 0, ?)",
            "select rota.enqueue_with_headers('fuzzed', 'k', '{}', jsonb_build_object('h', ?::text))",
            "select rota.enqueue_with_headers('fuzzed', 'k', '{}', jsonb_build_object(?::text, 'v'))")) {
      try (Connection connection = DriverManager.getConnection(jdbcUrl);
          PreparedStatement statement = connection.prepareStatement(call)) {
        statement.setString(1, text);
        statement.execute();
      } catch (SQLException e) {
        // 22P05 and 22021: characters that cannot be stored; the others are the function's own.
        if (!List.of("22023", "42704", "55000", "22021", "22P05").contains(e.getSQLState())) {
          throw e;
        }
      }
    }
    drain();
  }

  private void scope(String text) {
    Scope scope = Scope.tenant(text);
    Answers.require(Scope.parse(scope.toString()).equals(scope), "the scope is another one");
    Scope.parse(text);
  }

  private void rules(String text) {
    Controls controls = rota.controls();
    Scope none = Scope.tenant(tenant.name()).ofKind("none");
    controls.pause(none, text);
    controls.resume(none);
    controls.planOf(text);
    controls.pause(Scope.tenant(text), "x");
    controls.resume(Scope.tenant(text));
    controls.changePlan(tenant.name(), text);
    Answers.same(text, controls.planOf(tenant.name()));
  }

  private void poolOfWorkers(String text) {
    rota.worker().pools(text);
    Scope plan = Scope.plan("of-a-pool");
    Answers.same(
        text, rota.controls().changeLimits(plan, limits -> limits.pool(text)).pool().orElseThrow());
  }

  private void settings(String text) {
    Rota.builder(jdbcUrl).schema(text);
    Roles.withPrefix(text);
  }

  private Task claimed() {
    try (Batch batch = tenant.claim(1)) {
      Answers.require(batch.tasks().size() == 1, "the task is not there");
      batch.settle();
      return batch.tasks().get(0);
    }
  }

  private void drain() {
    boolean more = true;
    while (more) {
      try (Batch batch = tenant.claim(100)) {
        more = !batch.tasks().isEmpty();
        batch.settle();
      }
    }
  }
}
