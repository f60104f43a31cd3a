package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.internal.RotaBuilder;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a login that may enqueue for one tenant, by that tenant's function, and nothing else. */
@ParameterizedClass
@ChosenVersions
@Tag("exhaustive")
class NarrowProducerTest {

  private static final String FUNCTION = "rota_1.enqueue(text, text, timestamptz, integer, text)";

  @Parameter int version;

  private RolesFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() throws SQLException {
    fixture = RolesFixture.onVersion(version).migrated();
    rota = Rota.connect(fixture.database().jdbcUrl());
    acme = RotaFixture.tenant(rota, "acme");
    Tenant unused = RotaFixture.tenant(rota, "globex");
    fixture.login("narrow", "");
    fixture
        .database()
        .execute(
            "grant usage on schema rota_1 to %1$s; grant execute on function %2$s to %1$s"
                .formatted(fixture.login("narrow"), FUNCTION));
  }

  @AfterEach
  void close() {
    rota.close();
    fixture.close();
  }

  @Test
  void itEnqueuesInAllForms() throws SQLException {
    acme.addLane(7);
    acme.enqueue(NewTask.of("first", "{}").withKey("first"));
    fixture.execute("narrow", "select rota_1.enqueue('k', '1')");
    fixture.execute("narrow", "select rota_1.enqueue('k', '2', now() + interval '1 hour')");
    fixture.execute("narrow", "select rota_1.enqueue('k', '3', priority => 7)");
    fixture.execute("narrow", "select rota_1.enqueue('k', '4', key => 'a')");
    fixture.execute("narrow", "select rota_1.enqueue('k', '5', key => 'a')");
    fixture.execute("narrow", "select rota_1.enqueue('k', repeat('x', 7001))");
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 4L)
        .containsEntry(TaskState.WAITING, 2L);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks())
          .extracting(Task::payload)
          .containsExactlyInAnyOrder("{}", "1", "3", "4");
      assertThat(batch.settle().settled()).isEqualTo(4);
    }
  }

  @Test
  void itKeepsTheQuota() throws SQLException {
    rota.controls().changeLimits(Scope.tenant("acme"), limits -> limits.maxPending(1));
    fixture.execute("narrow", "select rota_1.enqueue('k', '1')");
    assertThatThrownBy(() -> fixture.execute("narrow", "select rota_1.enqueue('k', '2')"))
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("53400");
  }

  @Test
  void itKeepsTheQuotaOfPayloads() throws SQLException {
    rota.controls()
        .changeLimits(Scope.tenant("acme"), limits -> limits.maxPayload(1, ChronoUnit.MONTHS));
    fixture.execute("narrow", "select rota_1.enqueue('k', '1')");
    assertThatThrownBy(() -> fixture.execute("narrow", "select rota_1.enqueue('k', '2')"))
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("53400");
  }

  /** The grant is older than the tables, which belong to their usual owner. */
  @Test
  void itMakesTheTablesOfAParkedTenant() throws SQLException {
    Tenant parked = rota.tenants().register("parked");
    // The first grant makes its schema; parking leaves that as it is.
    fixture.database().execute("select rota.open_tenant(3)");
    fixture.database().execute(RotaFixture.parking(3));
    fixture
        .database()
        .execute(
            "grant usage on schema rota_3 to %1$s; grant execute on function %2$s to %1$s"
                .formatted(fixture.login("narrow"), FUNCTION.replace("rota_1", "rota_3")));
    fixture.execute("narrow", "select rota_3.enqueue('k', '{}')");
    assertThat(
            fixture.texts(
                "select distinct relowner::regrole::text from pg_class"
                    + " where relnamespace = 'rota_3'::regnamespace"))
        .containsExactly(fixture.roles().daemon());
    assertThat(parked.claim(10).tasks()).hasSize(1);
    fixture.assertDenied("narrow", "select rota_3.make('tables')");
    fixture.assertDenied("narrow", "select rota.open_tenant(3)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select rota_1.enqueue('k', repeat('x', 65537))",
        "select rota_1.enqueue('k', null)",
        "select rota_1.enqueue(null, '{}')",
        "select rota_1.enqueue(repeat('k', 129), '{}')",
        "select rota_1.enqueue('two words', '{}')",
        "select rota_1.enqueue('k', '{}', 'infinity')",
        "select rota_1.enqueue('k', '{}', priority => 1001)",
        "select rota_1.enqueue('k', '{}', priority => 7)",
        "select rota_1.enqueue('k', '{}', priority => null)",
        "select rota_1.enqueue('k', '{}', key => '')",
        "select rota_1.enqueue('k', '{}', key => repeat('x', 501))",
        "select rota_1.enqueue('k', '{}', key => 'no table of keys')",
        "set rota.payload_limit = 2000000; select rota_1.enqueue('k', repeat('x', 1048577))"
      })
  void itKeepsTheLimits(String statement) {
    assertThatThrownBy(() -> fixture.execute("narrow", statement))
        .isInstanceOf(SQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isIn("22023", "42704");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void itDoesNothingElse() {
    List<String> denied =
        List.of(
            "select rota_2.enqueue('k', '{}')",
            "select rota.enqueue('acme', 'k', '{}')",
            "select rota.enqueue('globex', 'k', '{}', null, 0)",
            "select * from rota.tenant",
            "select rota_1.make('wide')",
            "select * from rota.room(1)",
            "select rota.require_room(1, 1)",
            "select * from rota.lease_payload(1, 1, true)",
            "select rota.require_payload(1, 1)",
            "select rota.return_payload('{1}', '{day}', '{0}', '{1}')",
            "select * from rota.allowance",
            "select rota.count_pending(true)",
            "create temp table tenant (number int); create trigger mine after insert on tenant"
                + " for each row execute function rota.mark_quotas()",
            "insert into rota_1.task_init_1_0 (id, kind, payload, key) values (1, 'k', '{}', 'a')",
            "select * from rota_1.task_init_1",
            "select * from rota_1.task_hist_1",
            "select nextval('rota.task_id')",
            "create table rota_1.mine (id int)",
            "create or replace function rota_1.enqueue(kind text, payload text,"
                + " run_at timestamptz default null, priority integer default 0,"
                + " key text default null) returns bigint language sql as 'select 1::bigint'");
    denied.forEach(each -> fixture.assertDenied("narrow", each));
  }

  /** Closed means closed for it too, and another name changes nothing. */
  @Test
  void itFollowsItsTenant() throws SQLException {
    rota.tenants().rename("acme", "acme ltd");
    fixture.execute("narrow", "select rota_1.enqueue('k', '{}')");
    rota.tenants().close("acme ltd");
    assertThatThrownBy(() -> fixture.execute("narrow", "select rota_1.enqueue('k', '{}')"))
        .hasMessageContaining("tenant 'acme ltd' is closed");
  }

  /** Objects of the caller's own come before none that the function uses. */
  @Test
  void itIsNotMisledByTheSearchPathOfItsCaller() throws SQLException {
    fixture
        .database()
        .execute(
            """
            create schema traps;
            create function traps.nextval(regclass) returns bigint language sql as 'select 13::bigint';
            create function traps.octet_length(text) returns integer language sql as 'select 1';
            create function traps.format(text, variadic text[]) returns text language sql
              as $$ select 'delete from rota_1.task_init_1_0' $$;
            grant usage on schema traps to public""");
    fixture.execute(
        "narrow",
        "set search_path = traps, pg_catalog; create temp table tenant (number int, name text);"
            + " select rota_1.enqueue('k', 'first'); select rota_1.enqueue('k', 'second')");
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("first", "second");
      assertThat(batch.tasks()).extracting(Task::id).doesNotContain(13L);
      batch.settle();
    }
    fixture.database().execute("drop schema traps cascade");
  }

  @Test
  void usageOnTheSchemaAloneIsNotEnough() throws SQLException {
    fixture.login("stranger", "");
    fixture.database().execute("grant usage on schema rota_1 to " + fixture.login("stranger"));
    fixture.assertDenied("stranger", "select rota_1.enqueue('k', '{}')");
  }

  /**
   * A plain grant of INSERT lets through what the function refuses. Outcomes of another tenant that
   * are settled in one transaction with that row are written, and each of its tasks runs once.
   */
  @Test
  void rowWithAKeyAndNoTableOfKeysHurtsNoOtherTenant() throws Exception {
    fixture
        .database()
        .execute(
            "grant insert on rota_1.task_init_1_0 to %s; create table effect (task bigint)"
                .formatted(fixture.login("narrow")));
    Tenant globex = rota.tenants().get("globex");
    Tenant first = RotaFixture.tenant(rota, "first");
    Faults faults = new Faults();
    // Until all else has run, so that all else is settled together.
    ScriptedFault settle = faults.before("close batches").times(1).hold();
    Rota.Builder builder =
        Rota.builder(fixture.database().jdbcUrl()).lease(Duration.ofSeconds(2)).poolSize(8);
    try (Rota workers = RotaBuilder.build(builder, new FaultObserver(faults));
        Worker worker =
            workers
                .worker()
                .concurrency(64)
                .batchSize(1)
                .handle("first", task -> {})
                .handle("k", task -> note(task.id()))
                .start()) {
      first.enqueue(NewTask.of("first", "{}"));
      settle.awaitReached();
      fixture.execute(
          "narrow",
          "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload, key)"
              + " values (1000000, now(), 0, 'k', '{}', 'a')");
      List<Long> good = globex.enqueueAll(Collections.nCopies(40, NewTask.of("k", "{}")));
      Await.until("all have run", () -> ofGlobex().size(), good.size());
      Await.until("so has the row, or it was set aside", () -> isClaimed(acme));
      settle.release();
      Await.until(
          "all of the other tenant are done",
          () -> globex.history().scanStates().getOrDefault(TaskState.DONE, 0L),
          good.size());
      assertThat(globex.history().scanStates()).containsEntry(TaskState.LOST, 0L);
      assertThat(ofGlobex())
          .containsExactlyInAnyOrderElementsOf(good.stream().map(String::valueOf).toList());
      assertThat(worker.statistics().done()).isGreaterThanOrEqualTo(good.size());
    }
  }

  private static boolean isClaimed(Tenant tenant) {
    return tenant.history().scanStates().get(TaskState.PENDING) == 0;
  }

  private List<String> ofGlobex() throws SQLException {
    return fixture.texts("select task::text from effect where task <> 1000000");
  }

  private void note(long task) throws SQLException {
    fixture.database().execute("insert into effect values (" + task + ")");
  }
}
