package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditedAction;
import dev.rota.control.TaskFilter;
import dev.rota.graph.TaskGraph;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.KindActivity;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import dev.rota.schedule.Schedule;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests that each of the five roles can do its part of the work, and nothing else. */
@ParameterizedClass
@ChosenVersions
class RolesTest {

  /** Statements that only the owner of the registry may run. */
  private static final List<String> SHAPE_OF_THE_REGISTRY =
      List.of(
          "alter table rota.tenant add column mine text",
          "drop table rota.worker",
          "truncate rota.segment cascade",
          "create index on rota.tenant (closed)",
          "drop function rota.enqueue(text, text, text)",
          "alter function rota.enqueue(text, text, text) security definer",
          "create or replace function rota.enqueue(tenant text, kind text, payload text)"
              + " returns bigint language sql as 'select 1::bigint'",
          "create trigger mine before insert on rota.tenant execute function"
              + " suppress_redundant_updates_trigger()",
          "drop schema rota cascade",
          "alter sequence rota.task_id restart",
          "delete from rota.schema_history");

  /** What only who keeps the tables may do. */
  private static final List<String> SHAPE_OF_TENANTS =
      List.of(
          "truncate rota_1.task_init_1_1",
          "drop table rota_1.task_hist_1_1",
          "drop schema rota_1 cascade",
          "create table rota_1.mine (id int)",
          "create table rota.task_batch_9 (id int)",
          "create schema rota_9",
          "alter table rota_1.task_init_1_0 add column mine text",
          "create or replace view rota.task_batch as select 1",
          "drop table rota.task_batch_1 cascade",
          "truncate rota.task_batch_1");

  /** What only who registers tenants may do. */
  private static final List<String> ROWS_OF_THE_REGISTRY =
      List.of(
          "insert into rota.tenant (name) values ('other')",
          "update rota.tenant set name = 'other'",
          "update rota.tenant set lane_slots[0] = 1",
          "delete from rota.tenant",
          "delete from rota.segment",
          "insert into rota.rule (kind, paused_at, paused_until) values ('k', now(), 'infinity')",
          "delete from rota.rule",
          "update rota.rule_version set version = 0",
          "insert into rota.ledger_segment (seq) values (9)");

  /** Statements that only the daemon may run: no other role records what is archived or erased. */
  private static final List<String> ROWS_OF_HISTORY =
      List.of(
          "insert into rota.archive (tenant, seq, key) values (1, 1, 'mine')",
          "update rota.archive set archived_at = now()",
          "delete from rota.archive",
          "update rota.archive_owner set id = gen_random_uuid()",
          "delete from rota.archive_owner",
          "insert into rota.erasure (tenant, name) values (1, 'acme')",
          "update rota.erasure set finished_at = now()",
          "delete from rota.erasure",
          "truncate rota.archive, rota.erasure, rota.statistic",
          "drop table rota.archive");

  private static final List<String> GRANTS_ON_THE_REGISTRY =
      List.of(
          "grant select on rota.tenant to public",
          "grant all on all tables in schema rota to public",
          "grant execute on function rota.enqueue(text, text, text) to public",
          "grant usage on schema rota to public");

  /** What no role of Rota may do. */
  private static final List<String> OUTSIDE_OF_ROTA =
      List.of(
          "select * from hosts.orders",
          "insert into hosts.orders values (1)",
          "drop table hosts.orders",
          "create table hosts.mine (id int)",
          "create table public.mine (id int)",
          "create role mine",
          "alter role postgres nologin",
          "grant postgres to current_user",
          "alter system set fsync = off",
          "create database mine",
          "copy (select 1) to program 'true'",
          "select pg_read_file('postgresql.conf')");

  private static final String INSUFFICIENT_PRIVILEGE = "42501";
  private static final Duration LONG = Duration.ofMinutes(2);

  @Parameter int major;

  private static RolesFixture fixture;

  @BeforeParameterizedClassInvocation
  static void open(int major) throws SQLException {
    fixture = RolesFixture.onVersion(major).migrated();
    try (Rota rota = fixture.rota("owner")) {
      Tenant unused = RotaFixture.tenant(rota, "acme");
    }
  }

  @AfterParameterizedClassInvocation
  static void close() {
    fixture.close();
  }

  @Test
  @Tag("exhaustive")
  void everythingBelongsToTheOwnerOrTheDaemonWhoeverMadeIt() throws SQLException {
    try (Rota owners = fixture.rota("owner");
        Rota daemons = fixture.rota("daemon");
        Rota superusers = Rota.connect(fixture.database().jdbcUrl())) {
      useAllFeatures(owners.tenants().register("by the owner"));
      useAllFeatures(daemons.tenants().register("by the daemon"));
      useAllFeatures(superusers.tenants().register("by a superuser"));
    }
    assertThat(owners("n.nspname = 'rota' and c.relname !~ '^task_batch'"))
        .containsExactly(fixture.roles().owner());
    assertThat(owners("n.nspname ~ '^rota_' or c.relname ~ '^task_batch'"))
        .containsExactly(fixture.roles().daemon());
    assertThat(
            fixture.texts(
                "select distinct nspowner::regrole::text from pg_namespace where nspname ~ '^rota_'"))
        .containsExactly(fixture.roles().daemon());
    // A function that runs with its owner's rights calls triggers of the tables that it changes.
    assertThat(
            fixture.texts(
                """
                select p.oid::regprocedure || ' of ' || p.proowner::regrole
                  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                 where n.nspname ~ '^rota(_[0-9]+|)$'
                   and p.proowner::regrole::text not in ('%s', '%s')"""
                    .formatted(fixture.roles().owner(), fixture.roles().daemon())))
        .isEmpty();
    try (Rota rota = fixture.rota("application")) {
      for (String tenant : List.of("by the owner", "by the daemon", "by a superuser")) {
        useAllFeatures(rota.tenants().get(tenant));
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void applicationEnqueuesClaimsAndSettles() throws Exception {
    CountDownLatch ran = new CountDownLatch(2);
    try (Rota rota = fixture.rota("application")) {
      Tenant acme = rota.tenants().get("acme");
      acme.enqueue(NewTask.of("ok", "{}"));
      acme.enqueue(NewTask.of("broken", "{}"));
      acme.enqueue(NewTask.of("ok", "{}").after(Duration.ofHours(1)));
      try (Connection connection = fixture.source("application").getConnection()) {
        acme.enqueue(connection, NewTask.of("later", "{}"));
      }
      acme.schedules().add(Schedule.every("hourly", Duration.ofHours(1), NewTask.of("ok", "{}")));
      Worker.Builder builder =
          rota.worker()
              .handle("ok", task -> ran.countDown())
              .handle(
                  "broken",
                  task -> {
                    ran.countDown();
                    throw new IllegalStateException("broken");
                  })
              .hourlyStatistics(true)
              .retry(RetryPolicy.exponential(2, Duration.ofHours(1), Duration.ofHours(1)));
      try (Worker worker = builder.start()) {
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        worker.close();
      }
      assertThat(acme.history().scanStates())
          .containsEntry(TaskState.DONE, 1L)
          .containsEntry(TaskState.FAILED, 1L)
          .containsEntry(TaskState.WAITING, 2L)
          .containsEntry(TaskState.PENDING, 1L);
      acme.control().cancel(TaskFilter.all(), "not wanted");
      assertThat(rota.insight().kinds(Instant.EPOCH, Instant.now().plusSeconds(3_600)))
          .extracting(KindActivity::kind)
          .containsExactlyInAnyOrder("ok", "broken");
      ErrorQuery all = ErrorQuery.between(Instant.EPOCH, Instant.now().plusSeconds(3_600));
      assertThat(rota.insight().errors(all))
          .extracting(ErrorActivity::kind)
          .containsExactly("broken");
      assertThat(rota.insight().errors(all.tenant("acme"))).hasSize(1);
    }
    fixture.execute("application", "select rota.enqueue('acme', 'ok', '{}')");
    fixture.execute("application", "select rota.enqueue('acme', 'ok', '{}', now())");
    fixture.execute("application", "select rota.enqueue('acme', 'ok', '{}', null, 0)");
  }

  @Test
  void whoeverEnqueuesFirstTheTablesBelongToTheDaemon() throws SQLException {
    try (Rota owners = fixture.rota("owner");
        Rota workers = fixture.rota("application")) {
      Tenant first = owners.tenants().register("first by the library");
      Tenant second = owners.tenants().register("first by SQL");
      workers.tenants().get("first by the library").enqueue(NewTask.of("k", "{}"));
      fixture.execute("application", "select rota.enqueue('first by SQL', 'k', '{}')");
      for (Tenant tenant : List.of(first, second)) {
        assertThat(owners("n.nspname = 'rota_%d'".formatted(tenant.number())))
            .containsExactly(fixture.roles().daemon());
        try (Batch batch = workers.tenants().get(tenant.name()).claim(1)) {
          assertThat(batch.settle().settled()).isEqualTo(1);
        }
        fixture.execute(
            "reader", "select * from rota_%1$d.task_hist_%1$d".formatted(tenant.number()));
      }
    }
  }

  @Test
  void onlyProducersMakeTablesOfParkedTenants() throws SQLException {
    int number;
    try (Rota owners = fixture.rota("owner")) {
      number = owners.tenants().register("parked").number();
    }
    fixture.login("outsider", "");
    String open = "select rota.open_tenant(%d)".formatted(number);
    for (String role : List.of("reader", "outsider")) {
      fixture.assertDenied(role, open);
      fixture.assertDenied(role, "select rota.make_tables(%d)".formatted(number));
    }
    fixture.assertDenied("application", "select rota.make_tables(%d)".formatted(number));
    fixture.assertDenied("application", "select rota.make(%d, 'tables')".formatted(number));
    try (Rota readers = fixture.rota("reader")) {
      assertThat(readers.tenants().get("parked").history().scanStates().values()).containsOnly(0L);
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> readers.tenants().get("parked").enqueue(NewTask.of("k", "{}")))
          .withMessageContaining("grant EXECUTE on \"rota\".\"open_tenant\"");
    }
    fixture.execute("application", open);
  }

  @Test
  @Tag("exhaustive")
  void applicationMakesAndChangesNoTables() {
    assertAllDenied("application", SHAPE_OF_THE_REGISTRY);
    assertAllDenied("application", SHAPE_OF_TENANTS);
    assertAllDenied("application", ROWS_OF_THE_REGISTRY);
    assertAllDenied("application", ROWS_OF_HISTORY);
    fixture.assertDenied("application", "select * from rota.schema_history");
    try (Rota rota = fixture.rota("application")) {
      Tenants tenants = rota.tenants();
      assertRefused(() -> tenants.register("other"));
      assertRefused(() -> tenants.rename("acme", "other"));
      assertRefused(() -> tenants.close("acme"));
      assertRefused(() -> tenants.get("acme").addLane(7));
      assertRefused(() -> tenants.get("acme").enqueue(NewTask.of("k", "{}").withKey("a")));
      assertRefused(rota.admin()::migrate);
    }
  }

  @Test
  void daemonKeepsTablesButNotTheShapeOfTheRegistry() throws SQLException {
    fixture.execute(
        "daemon",
        "begin; lock table rota_1.task_init_1_1 in access exclusive mode;"
            + " truncate rota_1.task_init_1_1; update rota.tenant set lane_slots[0] = 1;"
            + " insert into rota.segment (tenant, seq) values (1, 2); rollback");
    fixture.execute("daemon", "delete from rota.worker; delete from rota.cancel_request");
    assertAllDenied("daemon", SHAPE_OF_THE_REGISTRY);
    fixture.assertDenied("daemon", "select rota.enqueue('acme', 'ok', '{}')");
    try (Rota rota = fixture.rota("daemon")) {
      assertThat(rota.tenants().register("by the daemon alone").number()).isPositive();
    }
  }

  /** Who owns a table could grant on it; the server only warns those that may grant nothing. */
  @Test
  void daemonGrantsNothingOnTheRegistry() throws SQLException {
    List<String> before = rights();
    for (String statement : GRANTS_ON_THE_REGISTRY) {
      try {
        fixture.execute("daemon", statement);
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as(statement).isEqualTo(INSUFFICIENT_PRIVILEGE);
      }
    }
    assertThat(rights()).isEqualTo(before);
  }

  @Test
  @Tag("exhaustive")
  void nobodyReachesWhatIsNotOfRota() throws SQLException {
    fixture.database().execute("create schema hosts; create table hosts.orders (n int)");
    for (String role : List.of("owner", "daemon", "application", "reader", "operator")) {
      assertAllDenied(role, OUTSIDE_OF_ROTA);
    }
    fixture.database().execute("drop schema hosts cascade");
  }

  @Test
  @Tag("exhaustive")
  void readerOnlyReads() throws SQLException {
    try (Rota rota = fixture.rota("reader")) {
      Tenant acme = rota.tenants().get("acme");
      assertThat(acme.history().scanStates()).containsKey(TaskState.PENDING);
      assertThat(rota.admin().preflight()).isEmpty();
      assertThat(rota.controls().why("acme").reasons()).isNotEmpty();
      assertThat(rota.controls().why("unknown").holdsAll()).isTrue();
      assertThat(rota.controls().top(Duration.ofMillis(100), 5).leftOut()).isZero();
      assertRefused(() -> acme.enqueue(NewTask.of("k", "{}")));
      assertRefused(() -> acme.claim(1));
      assertRefused(() -> rota.tenants().register("other"));
      assertThat(rota.audit().list(AuditQuery.newest())).isNotNull();
      assertRefused(() -> rota.audit().begin(action()));
    }
    fixture.execute("reader", "select * from rota_1.task_init_1; select * from rota_1.task_hist_1");
    fixture.execute("reader", "select * from rota.task_batch; select * from rota.schedule");
    assertAllDenied("reader", SHAPE_OF_THE_REGISTRY);
    assertAllDenied("reader", SHAPE_OF_TENANTS);
    assertAllDenied("reader", ROWS_OF_THE_REGISTRY);
    assertAllDenied("reader", ROWS_OF_HISTORY);
    assertAllDenied(
        "reader",
        List.of(
            "insert into rota_1.task_init_1_0 (id) values (1)",
            "update rota_1.task_hist_1_1 set state = 1",
            "delete from rota_1.task_wait_1",
            "update rota.task_batch_1 set closed_at = now()",
            "delete from rota.worker",
            "delete from rota.statistic",
            "insert into rota.cancel_request (tenant) values (1)",
            "delete from rota.schedule",
            "select nextval('rota.task_id')",
            "select rota.enqueue('acme', 'ok', '{}')",
            "select rota.enqueue('acme', 'ok', '{}', now())",
            "select rota.enqueue('acme', 'ok', '{}', null, 0)"));
  }

  private static AuditedAction action() {
    return new AuditedAction("joe", "pause", Optional.of("acme"), "", OptionalLong.empty());
  }

  @Test
  @Tag("exhaustive")
  void operatorReadsAndChangesRules() throws SQLException {
    try (Rota rota = fixture.rota("operator");
        Rota workers = fixture.rota("application")) {
      Controls controls = rota.controls();
      controls.pause(Scope.tenant("acme").ofKind("paused"), "ticket 4711");
      controls.changeLimits(Scope.plan("pro"), limits -> limits.weight(2));
      controls.changePlan("acme", "pro");
      assertThat(controls.planOf("acme")).isEqualTo("pro");
      Tenant acme = workers.tenants().get("acme");
      acme.enqueue(NewTask.of("paused", "{}"));
      try (Batch batch = acme.claim(1_000)) {
        assertThat(batch.tasks()).extracting(Task::kind).doesNotContain("paused");
      }
      assertThat(controls.awaitQuiet(Scope.tenant("acme").ofKind("paused"), LONG)).isTrue();
      assertThat(workers.controls().rules()).hasSize(2);
      assertRefused(() -> workers.controls().resume(Scope.tenant("acme").ofKind("paused")));
      assertThat(controls.resume(Scope.tenant("acme").ofKind("paused"))).isTrue();
      controls.changeLimits(Scope.plan("pro"), limits -> Limits.none());
      controls.changePlan("acme", "default");
      assertRefused(() -> rota.tenants().close("acme"));
      assertRefused(() -> rota.tenants().get("acme").enqueue(NewTask.of("k", "{}")));
      long id = rota.audit().begin(action());
      assertThat(workers.audit().progress(id, 1)).isTrue();
      assertThat(workers.audit().begin(action())).isGreaterThan(id);
    }
    assertAllDenied("operator", SHAPE_OF_THE_REGISTRY);
    assertAllDenied("operator", SHAPE_OF_TENANTS);
    assertAllDenied("operator", ROWS_OF_HISTORY);
    assertAllDenied(
        "operator",
        List.of(
            "update rota.tenant set name = 'other'",
            "delete from rota.audit",
            "select nextval('rota.task_id')"));
  }

  @Test
  void whoHasNoRoleMayDoNothing() throws SQLException {
    fixture.login("stranger", "");
    assertAllDenied("stranger", SHAPE_OF_TENANTS.subList(0, 4));
    assertAllDenied("stranger", ROWS_OF_HISTORY);
    assertAllDenied(
        "stranger",
        List.of(
            "select * from rota.tenant",
            "select * from rota_1.task_init_1",
            "select nextval('rota.task_id')",
            "select rota.enqueue('acme', 'ok', '{}')"));
  }

  @Test
  @Tag("exhaustive")
  void ownerMigratesAgain() throws SQLException {
    List<String> before = rights();
    try (Rota rota = fixture.rota("owner")) {
      rota.admin().migrate();
      rota.admin().migrate(fixture.roles());
    }
    assertThat(rights()).isEqualTo(before);
  }

  @Test
  @Tag("exhaustive")
  void takesOverWhatOneRoleMadeBefore() throws SQLException {
    try (Rota rota = Rota.builder(fixture.database().jdbcUrl()).schema("jobs").build()) {
      rota.admin().migrate();
      Tenant old = rota.tenants().register("old");
      useAllFeatures(old);
      old.enqueue(NewTask.of("k", "{}"));
      fixture.database().execute("create table jobs.mine (id int)");

      rota.admin().migrate(fixture.roles());

      try (Rota workers = Rota.builder(fixture.source("application")).schema("jobs").build();
          Batch batch = workers.tenants().get("old").claim(10)) {
        assertThat(batch.settle().settled()).isPositive();
      }
    }
    fixture.execute("daemon", "truncate jobs_1.task_init_1_1");
    fixture.execute("reader", "select * from jobs_1.task_hist_1");
    assertThat(owners("n.nspname ~ '^jobs' and c.relname <> 'mine'"))
        .containsExactlyInAnyOrder(fixture.roles().owner(), fixture.roles().daemon());
    assertThat(owners("c.relname = 'mine'")).containsExactly(fixture.database().user());
    fixture.database().execute("drop schema jobs_1 cascade; drop schema jobs cascade");
  }

  @Test
  @Tag("exhaustive")
  void anApplicationMakesSlotsWideIfItMay() throws SQLException {
    NewTask large = NewTask.of("k", "x".repeat(7_001));
    int number;
    try (Rota rota = fixture.rota("daemon")) {
      Tenant tenant = rota.tenants().register("large");
      number = tenant.number();
      // Makes the tables, those of graphs included.
      TaskGraph.Builder small = TaskGraph.builder();
      small.add(NewTask.of("k", "{}"));
      tenant.graphs().enqueue(small.build());
      try (Batch batch = tenant.claim(1)) {
        assertThat(batch.settle().settled()).isEqualTo(1);
      }
    }
    String make = "execute on function rota_" + number + ".make(text)";
    String role = fixture.roles().application();
    fixture.execute("daemon", "revoke " + make + " from " + role);
    try (Rota rota = fixture.rota("application")) {
      Tenant tenant = rota.tenants().get("large");
      tenant.enqueue(large);
      assertThat(tenant.claim(10).tasks()).isEmpty();
      TaskGraph.Builder graph = TaskGraph.builder();
      graph.add(large);
      assertThatThrownBy(() -> tenant.graphs().enqueue(graph.build()))
          .hasMessageContaining("make the slots of tenant 'large' (" + number + ") wide")
          .hasMessageContaining(
              "(the owner of its tables can: select rota_" + number + ".make('wide'))");
    }
    fixture.execute("daemon", "grant " + make + " to " + role);
    try (Rota rota = fixture.rota("application")) {
      Tenant tenant = rota.tenants().get("large");
      tenant.enqueue(large);
      assertThat(tenant.claim(10).tasks()).hasSize(1);
    }
  }

  private static void useAllFeatures(Tenant tenant) {
    tenant.enqueue(NewTask.of("k", "{}").withKey("a"));
    tenant.enqueue(NewTask.of("k", "{}").priority(7));
    tenant.assignments().pairs("crews");
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(NewTask.of("k", "{}"));
    long unused = tenant.graphs().enqueue(graph.build()).id();
  }

  private static List<String> owners(String condition) throws SQLException {
    return fixture.texts(
        "select distinct c.relowner::regrole::text from pg_class c"
            + " join pg_namespace n on n.oid = c.relnamespace where n.nspname !~ '^pg_' and ("
            + condition
            + ")");
  }

  private static List<String> rights() throws SQLException {
    return fixture.texts(
        """
        select t.what from (
          select c.oid::regclass || ' ' || c.relowner::regrole || ' ' || coalesce(c.relacl::text, '')
            from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname ~ '^rota'
          union all
          select nspname || ' ' || nspowner::regrole || ' ' || nspacl::text
            from pg_namespace where nspname ~ '^rota'
          union all
          select p.oid::regprocedure || ' ' || p.proowner::regrole || ' ' || p.proacl::text
            from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname ~ '^rota'
          union all
          select d.defaclrole::regrole || ' ' || d.defaclobjtype::text || ' ' || d.defaclacl::text
            from pg_default_acl d) as t (what)
         order by 1""");
  }

  private static void assertAllDenied(String role, List<String> statements) {
    statements.forEach(statement -> fixture.assertDenied(role, statement));
  }

  private static void assertRefused(Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOf(DatabaseException.class)
        .hasMessageMatching("(?s).*(permission denied|must be owner).*");
  }
}
