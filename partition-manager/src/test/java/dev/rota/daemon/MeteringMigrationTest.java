package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch;
import dev.rota.ChosenVersions;
import dev.rota.NewTask;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.metering.Usage;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * A database of the version before the ledger was metered: its batches, some of them open, go on
 * after the migration, and do not count. Processes of that version go on beside new ones.
 */
@ParameterizedClass
@ChosenVersions
@Tag("exhaustive")
class MeteringMigrationTest {

  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");
  private static final String VERSION_BEFORE = "18";

  private static final String SEGMENT =
      """
      create table rota.task_batch_%1$d (
        id bigint primary key, worker bigint, claimed_at timestamptz, closed_at timestamptz,
        first_block bigint, last_block bigint, tenant integer, segment integer,
        tasks integer, ended smallint)
        with (fillfactor = 50, autovacuum_enabled = off);
      create index on rota.task_batch_%1$d (worker) where closed_at is null;
      insert into rota.ledger_segment (seq) values (%1$d)""";

  private static final String VIEW =
      "create or replace view rota.task_batch as select *, 1 as seq from rota.task_batch_1"
          + " union all select *, 2 as seq from rota.task_batch_2";

  /** A batch that ended, and one whose worker is gone. */
  private static final String BATCHES =
      """
      insert into rota.tenant (name, parked_at) values ('acme', now());
      create schema rota_1;
      select rota.make_tables(1);
      insert into rota_1.task_hist_1_1 (id, batch_id, created_at, attempt, state, kind, payload)
        values (1, 500, now(), 1, 0, 'k', 'ended'), (2, 501, now(), 1, 0, 'k', 'open');
      insert into rota.task_batch_1
             (id, worker, claimed_at, closed_at, first_block, last_block, tenant, segment, tasks,
              ended)
        values (500, 99, now(), now(), 0, 0, 1, 1, 1, 1), (501, 99, now(), null, 0, 0, 1, 1, 1, 0)""";

  private static final String OLD_CLAIM =
      """
      insert into rota.task_batch_2
             (id, worker, claimed_at, closed_at, first_block, last_block, tenant, segment, tasks,
              ended)
        values (502, 98, now(), null, 0, 0, 1, 1, 1, 0)""";

  private static final String OLD_SETTLE =
      "update rota.task_batch_2 set closed_at = now(), ended = 1::smallint"
          + " where id = any ('{502}'::bigint[]) and ended = 0 and worker = 98";

  @Parameter int version;

  private TestDatabase database;
  private DaemonFixture fixture;

  @BeforeEach
  void open() throws SQLException {
    database = TestDatabase.onVersion(version);
    fixture = new DaemonFixture(database);
    MigratedDatabase.toVersion(database, VERSION_BEFORE);
    database.execute(SEGMENT.formatted(1));
    database.execute(SEGMENT.formatted(2));
    database.execute("update rota.ledger_segment set sealed_at = now() where seq = 1");
    database.execute(VIEW);
    database.execute(BATCHES);
  }

  @AfterEach
  void close() throws Exception {
    if (fixture != null) {
      fixture.close();
    }
  }

  @Test
  void openBatchesReturnAndRunAgain() throws Exception {
    fixture.rota().admin().migrate();
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("the open one is back", () -> daemon.statistics().reaped(), 1);
    Tenant acme = fixture.rota().tenants().get("acme");
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("open");
      batch.settle();
    }
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(1L);
    assertThat(fixture.rota().metering().verify(Instant.EPOCH, FOREVER).isExact()).isTrue();
    Await.until(
        "the old segment is metered, with nothing",
        () ->
            fixture.number("select count(*) from rota.ledger_segment where metered_at is not null"),
        1);
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(1L);
  }

  @Test
  void aWorkerOfTheVersionBeforeGoesOn() throws SQLException {
    fixture.rota().admin().migrate();
    fixture.execute(OLD_CLAIM);
    Tenant acme = fixture.rota().tenants().get("acme");
    acme.enqueue(NewTask.of("k", "new"));
    try (Batch batch = acme.claim(10)) {
      batch.settle();
    }
    fixture.execute(OLD_SETTLE);
    assertThat(fixture.number("select count(*) from rota.task_batch_2 where ended = 1"))
        .isEqualTo(2);
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(1L);
    assertThat(fixture.rota().metering().verify(Instant.EPOCH, FOREVER).isExact()).isTrue();
  }

  @Test
  void aDaemonOfTheVersionBeforeOpensNoSegmentWithoutTheColumns() throws SQLException {
    fixture.rota().admin().migrate();
    String opening =
        SEGMENT.formatted(3) + ";" + VIEW + " union all select *, 3 as seq from rota.task_batch_3";
    assertThatThrownBy(() -> fixture.execute(opening))
        .hasMessageContaining("each UNION query must have the same number of columns");
    assertThat(fixture.number("select max(seq) from rota.ledger_segment")).isEqualTo(2);
  }

  @Test
  void aDaemonOfThisVersionRollsTheLedgerOver() throws SQLException {
    fixture.rota().admin().migrate();
    Tenant acme = fixture.rota().tenants().get("acme");
    acme.enqueue(NewTask.of("k", "new"));
    try (Batch batch = acme.claim(10)) {
      batch.settle();
    }
    fixture.execute("update rota.ledger_segment set opened_at = now() - interval '8 days'");
    ManualDaemon.leading(fixture.rota()).perform("turn the ledger over");
    assertThat(columns("task_batch_1"))
        .isEqualTo(columns("task_batch_2"))
        .isEqualTo(columns("task_batch_3"));
    assertThat(fixture.number("select count(*) from rota.task_batch")).isEqualTo(3);
  }

  private List<String> columns(String table) throws SQLException {
    return fixture.texts(
        "select attname || ' ' || format_type(atttypid, null) from pg_attribute"
            + " where attrelid = 'rota."
            + table
            + "'::regclass and attnum > 0 order by attnum");
  }

  private List<Usage> usage() {
    return fixture
        .rota()
        .metering()
        .usage(Instant.EPOCH, FOREVER)
        .filter(hour -> hour.attempts().count() > 0)
        .toList();
  }
}
