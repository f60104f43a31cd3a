package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch;
import dev.rota.ChosenVersions;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.internal.schema.LedgerDdl;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import dev.rota.transfer.TenantTransfer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * A database of the version before lane 0 stood in the arrays of the registry: its tenants, each in
 * the middle of a rotation, go on after the migration as if nothing had been.
 */
@ParameterizedClass
@ChosenVersions
@Tag("exhaustive")
class LaneMigrationTest {

  private static final RegistryTables ROTA = new RegistryTables("rota");
  private static final String VERSION_BEFORE = "16";

  private static final String LANES =
      "select concat_ws(' ', current_slot, lane_slots, priorities) from rota.tenant order by number";

  /** Tenant 1 has one lane: its slot 0 drains while producers write into slot 1. */
  private static final String ONE_LANE =
      """
      update rota.tenant set current_slot = 1, rotated_at = '2026-01-01 00:00Z' where number = 1;
      insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)
        values (1, now(), 0, 'k', 'old');
      insert into rota_1.task_init_1_1 (id, created_at, attempt, kind, payload)
        values (2, now(), 0, 'k', 'new')""";

  /** Tenant 2 has three, with due tasks and a batch whose worker is gone. */
  private static final String THREE_LANES =
      """
      update rota.tenant set current_slot = 2, rotated_at = '2026-01-01 00:00Z',
             lane_priorities = '{5,-5}', lane_slots = '{4,6}',
             lane_rotated_at = '{2026-01-02 00:00Z,2026-01-03 00:00Z}',
             postponed_reason = 'lane 1: not drained' where number = 2;
      insert into rota_2.task_init_2_1 (id, created_at, attempt, kind, payload)
        values (11, now(), 0, 'k', 'old');
      insert into rota_2.task_init_2_2 (id, created_at, attempt, kind, payload)
        values (12, now(), 0, 'k', 'new');
      insert into rota_2.task_init_2_3 (id, created_at, attempt, kind, payload)
        values (13, now(), 0, 'k', 'old');
      insert into rota_2.task_init_2_4 (id, created_at, attempt, kind, payload)
        values (14, now(), 0, 'k', 'new');
      insert into rota_2.task_init_2_6 (id, created_at, attempt, kind, payload)
        values (15, now(), 0, 'k', 'new');
      insert into rota_2.task_wait_2 (id, run_at, created_at, attempt, kind, payload, lane)
        values (16, now(), now(), 0, 'k', '', null), (17, now(), now(), 0, 'k', '', 1),
               (18, now(), now(), 0, 'k', '', 2);
      insert into rota_2.task_hist_2_1
             (id, batch_id, created_at, attempt, state, kind, payload, lane)
        values (19, 5000, now(), 1, 0, 'k', '', null), (20, 5000, now(), 1, 0, 'k', '', 2);
      insert into rota.task_batch_1
             (id, worker, claimed_at, first_block, last_block, tenant, segment, tasks, ended)
        values (5000, 99, now(), 0, 0, 2, 1, 2, 0)""";

  @Parameter int version;

  private TestDatabase database;
  private DaemonFixture fixture;

  @BeforeEach
  void open() throws SQLException {
    database = TestDatabase.onVersion(version);
    fixture = new DaemonFixture(database);
    migrateToTheVersionBefore();
    makeTenant(1, List.of(0));
    makeTenant(2, List.of(0, 5, -5));
    database.execute(ONE_LANE);
    database.execute(THREE_LANES);
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
  }

  @Test
  void theRegistrySaysTheSame() throws SQLException {
    migrate();
    assertThat(fixture.texts(LANES))
        .containsExactly("1 [0:0]={1} [0:0]={0}", "2 [0:2]={2,4,6} [0:2]={0,5,-5}");
    assertThat(
            fixture.texts(
                "select extract(day from r at time zone 'UTC') from rota.tenant,"
                    + " unnest(rotated_at || lane_rotated_at) as r where number = 2"))
        .containsExactly("1", "1", "2", "3");
    fixture.rota().tenants().register("new");
    assertThat(fixture.texts(LANES)).last().isEqualTo("0 [0:0]={0} [0:0]={0}");
  }

  @Test
  void itsTenantsAreNotParked() throws SQLException {
    migrate();
    assertThat(fixture.texts("select parked_at is null and park_at is null from rota.tenant"))
        .containsExactly("t", "t");
    fixture.rota().tenants().register("new");
    assertThat(fixture.texts("select number from rota.tenant where parked_at is not null"))
        .containsExactly("3");
    assertThat(
            fixture.texts(
                "select pronamespace::regnamespace || '.' || proname from pg_proc"
                    + " where pronamespace::regnamespace::text ~ '^rota_' order by 1"))
        .containsExactly("rota_1.enqueue", "rota_1.make", "rota_2.enqueue", "rota_2.make");
  }

  @Test
  void claimsAndProducersFindTheSlotsOfAllLanes() throws SQLException {
    migrate();
    assertThat(ids(tenant(1).claim(10))).containsExactly(1L, 2L);
    assertThat(ids(tenant(2).claim(10))).containsExactly(13L, 14L, 11L, 12L, 15L);
    tenant(1).enqueue(NewTask.of("k", "{}"));
    tenant(2).enqueue(NewTask.of("k", "{}").priority(5));
    fixture.execute("select rota.enqueue('tenant 1', 'k', '{}')");
    fixture.execute("select rota.enqueue('tenant 2', 'k', '{}', null, -5)");
    fixture.execute("select rota.enqueue('tenant 2', 'k', '{}', null, 0)");
    fixture.execute("select rota_2.enqueue('k', '{}', now() + interval '1 day', -5)");
    fixture.execute("select rota_2.enqueue('k', '{}', now() + interval '1 day')");
    assertThat(pending(1, 1)).isEqualTo(2);
    assertThat(pending(2, 4)).isOne();
    assertThat(pending(2, 6)).isOne();
    assertThat(pending(2, 2)).isOne();
    assertThat(
            fixture.texts(
                "select coalesce(lane, 0) from rota_2.task_wait_2 where run_at > now() order by 1"))
        .containsExactly("0", "2");
  }

  @Test
  void theDaemonReturnsPromotesAndRotates() throws Exception {
    migrate();
    Map<Long, Integer> runs = new ConcurrentHashMap<>();
    fixture.daemon(DaemonFixture::quickRing);
    Await.until(
        "all lanes rotated",
        () ->
            fixture.number(
                "select count(*) from rota.tenant, unnest(lane_rotated_at) as r"
                    + " where r > now() - interval '1 hour'"),
        4);
    Await.until(
        "the batch has returned and the tasks that are due are pending",
        () -> fixture.number("select count(*) from rota_2.task_init_2 where state = 'pending'"),
        10);
    assertThat(
            fixture.texts(
                "select concat_ws(' ', id, priority) from rota_2.task_init_2 order by id"))
        .contains("16 0", "17 5", "18 -5", "19 0", "20 -5");
    fixture.closeLater(
        fixture
            .rota()
            .worker()
            .handle("k", task -> runs.merge(task.id(), 1, Integer::sum))
            .start());
    Await.until("all ran", () -> runs.size(), 12);
    Await.until(
        "the reason has gone",
        () ->
            fixture
                .text("select postponed_reason from rota.tenant where number = 2")
                .equals("null"));
    assertThat(runs)
        .containsOnlyKeys(1L, 2L, 11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L, 20L)
        .allSatisfy((id, count) -> assertThat(count).isOne());
  }

  @Test
  void aTenantMovesToAnotherDatabaseWithItsLanes(@TempDir Path folder) throws Exception {
    migrate();
    TenantTransfer.over(fixture.rota()).exportTenant("tenant 2", folder.resolve("export"));
    try (DaemonFixture target = new DaemonFixture(version)) {
      TenantTransfer.over(target.rota()).importTenant(folder.resolve("export"));
      assertThat(target.texts(LANES)).containsExactly("0 [0:2]={0,3,6} [0:2]={0,5,-5}");
      Tenant moved = target.rota().tenants().get("tenant 2");
      assertThat(ids(moved.claim(10))).startsWith(13L, 14L, 11L, 12L);
    }
  }

  @Test
  void aProcessOfTheVersionBeforeFailsAndChangesNothing() throws SQLException {
    migrate();
    assertRefused(
        "select number, name, closed, current_slot, lane_priorities, lane_slots, current_segment,"
            + " ids_above from rota.tenant",
        "42703");
    assertRefused("update rota.tenant set current_slot = 2, rotated_at = now()", "428C9");
    fixture.execute(
        "update rota.tenant set lane_slots[1] = 5, lane_rotated_at[1] = now() where number = 2");
    assertThat(fixture.texts(LANES)).last().isEqualTo("2 [0:2]={2,5,6} [0:2]={0,5,-5}");
  }

  @Test
  void aViewOfTheOwnersKeepsTheOldSchemaWhole() throws SQLException {
    fixture.execute("create view slots as select number, current_slot from rota.tenant");
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(this::migrate)
        .withMessageContaining("cannot drop column current_slot");
    assertThat(fixture.text("select lane_slots from rota.tenant where number = 2"))
        .isEqualTo("{4,6}");
    fixture.execute("drop view slots");
    migrate();
    fixture.execute("create view slots as select number, current_slot from rota.tenant");
    assertThat(fixture.texts("select current_slot from slots order by number"))
        .containsExactly("1", "2");
  }

  private void migrateToTheVersionBefore() throws SQLException {
    MigratedDatabase.toVersion(database, VERSION_BEFORE);
    LedgerDdl ledger = new LedgerDdl(ROTA);
    for (String statement : ledger.createSegment(1)) {
      database.execute(statement);
    }
    database.execute(ledger.view(List.of(1)));
    database.execute("insert into rota.ledger_segment (seq) values (1)");
  }

  private void makeTenant(int number, List<Integer> priorities) throws SQLException {
    database.execute("insert into rota.tenant (name) values ('tenant " + number + "')");
    database.execute("insert into rota.segment (tenant, seq) values (" + number + ", 1)");
    for (String statement : new FormerTenant(number, priorities).tables()) {
      database.execute(statement);
    }
  }

  private void migrate() {
    fixture.rota().admin().migrate();
  }

  private Tenant tenant(int number) {
    return fixture.rota().tenants().get("tenant " + number);
  }

  private static List<Long> ids(Batch batch) {
    return batch.tasks().stream().map(Task::id).toList();
  }

  private long pending(int tenant, int slot) throws SQLException {
    return fixture.number(
        "select count(*) from rota_%1$d.task_init_%1$d_%2$d".formatted(tenant, slot));
  }

  private void assertRefused(String statement, String state) {
    assertThatThrownBy(() -> fixture.execute(statement))
        .asInstanceOf(InstanceOfAssertFactories.throwable(SQLException.class))
        .extracting(SQLException::getSQLState)
        .isEqualTo(state);
  }
}
