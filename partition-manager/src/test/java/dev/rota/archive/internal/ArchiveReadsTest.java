package dev.rota.archive.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.daemon.internal.retention.SegmentId;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that queries for work, among 24 archived segments of each of a thousand tenants, read only
 * what there is to do.
 */
class ArchiveReadsTest {

  private static final Duration LONG = Duration.ofDays(3_650);
  private static final RegistryTables TABLES = new RegistryTables("rota");
  private static final int TENANTS = 1_000;

  /** One of each tenant, and a few that were archived. */
  private static final int OF_OPEN_SEGMENTS = TENANTS + 20;

  /** Tenant 7 has a segment to archive, tenant 8 one to drop, and tenant 9 one that was begun. */
  private static final String FILL =
      """
      insert into rota.tenant (number, name) overriding system value
      select t, 'tenant ' || t from generate_series(1, 1000) t;
      insert into rota.segment (tenant, seq, opened_at, sealed_at, dropped_at, rows)
      select t, h, now() - (27 - h) * interval '1 hour', now() - (26 - h) * interval '1 hour', now(), 9
        from generate_series(1, 1000) t, generate_series(1, 24) h;
      insert into rota.segment (tenant, seq, sealed_at)
      select t, 25, case when t in (7, 8) then now() - interval '1 hour' end
        from generate_series(1, 1000) t;
      insert into rota.archive (tenant, seq, opened_at, sealed_at, key, bytes, rows, id_sum,
                                state_sum, sha256, archived_at)
      select tenant, seq, opened_at, sealed_at, 'tenant=' || tenant || '/seq=' || seq, 9, 9, 9, 9, 'x',
             now()
        from rota.segment where sealed_at is not null and not (tenant = 7 and seq = 25);
      update rota.archive set archived_at = null where tenant = 9 and seq = 24;
      analyze rota.tenant, rota.segment, rota.archive""";

  private static TestDatabase database;

  private final ArchiveManifest manifest =
      new ArchiveManifest(TABLES, new ClockGuard(System::nanoTime, Duration.ZERO));
  private Connection connection;
  private Session session;

  @BeforeAll
  static void fill() throws SQLException {
    database = MigratedDatabase.create();
    database.execute(FILL);
  }

  @AfterAll
  static void drop() {
    database.close();
  }

  @BeforeEach
  void begin() throws SQLException {
    connection = database.connect();
    connection.setAutoCommit(false);
    session = Session.inCallersTransaction(connection, StatementObserver.NONE);
  }

  @AfterEach
  void rollBack() throws SQLException {
    connection.rollback();
    connection.close();
  }

  /** No table was read whole, and by index no more rows than these. */
  private void assertRead(int atMost) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                select sum(seq_tup_read), sum(idx_tup_fetch) from pg_stat_xact_user_tables
                 where schemaname = 'rota' and relname in ('archive', 'segment')""")) {
      row.next();
      assertThat(row.getLong(1)).as("rows read one after the other").isZero();
      assertThat(row.getLong(2)).as("rows read by index").isPositive().isLessThanOrEqualTo(atMost);
    }
  }

  @Test
  void whatIsToBeArchivedIsFound() throws SQLException {
    assertThat(manifest.archivable(session, Duration.ofSeconds(10), Set.of()))
        .containsExactly(new SegmentId(7, 25));
    assertRead(OF_OPEN_SEGMENTS);
  }

  /** A clock that was ahead sealed it. */
  @Test
  void whatIsSealedInTheFutureIsArchivedAsWell() throws SQLException {
    execute(
        "update rota.segment set sealed_at = now() + interval '1 year'"
            + " where tenant = 7 and seq = 25");
    assertThat(manifest.archivable(session, Duration.ofSeconds(10), Set.of()))
        .containsExactly(new SegmentId(7, 25));
    assertRead(OF_OPEN_SEGMENTS);
  }

  @Test
  void whatIsToBeDroppedFromTheDatabaseIsFound() throws SQLException {
    assertThat(manifest.droppable(session, Duration.ofMinutes(1), Set.of()))
        .extracting(ArchiveManifest.Entry::segment)
        .containsExactly(new SegmentId(8, 25));
    assertRead(OF_OPEN_SEGMENTS);
  }

  @Test
  void whatIsDroppedWithoutAnArchiveIsFound() throws SQLException {
    execute("update rota.tenant set archive = false where number = 7");
    List<SegmentId> found =
        session.run(
            BoundStatement.query(
                Sql.named("find_retirable_segments").call(),
                Sql.named("find_retirable_segments")
                    .on(
                        Map.of(
                            "segments", TABLES.segments(),
                            "tenants", TABLES.tenants(),
                            "ledger", TABLES.ledgerView())),
                row -> new SegmentId(row.getInt(1), row.getInt(2)),
                Duration.ofMinutes(1).toMillis(),
                Duration.ofHours(1).toMillis(),
                new int[0],
                true));
    assertThat(found).containsExactly(new SegmentId(7, 25));
    assertRead(OF_OPEN_SEGMENTS);
  }

  @Test
  void whatWasBegunForNothingExpires() throws SQLException {
    assertThat(manifest.expire(session, LONG)).isEqualTo(1);
    // Each tenant is looked at: what it has that is oldest, and whether it is there.
    assertRead(4 * TENANTS);
    assertThat(manifest.expired(session, Set.of()))
        .containsExactly(Map.entry(new SegmentId(9, 24), "tenant=9/seq=24"));
    assertThat(manifest.expire(session, LONG)).isZero();
  }

  @Test
  void whatIsKeptLongEnoughExpiresTenantByTenant() throws SQLException {
    execute("update rota.tenant set keep_archive = '90 minutes' where number in (20, 21, 22)");
    execute("update rota.tenant set legal_hold = true where number = 22");
    // Begun, and 23 hours for each of the two.
    assertThat(manifest.expire(session, LONG)).isEqualTo(1 + 2 * 24);
    assertRead(4 * TENANTS + 500);
    assertThat(manifest.expired(session, Set.of()))
        .extracting(each -> each.getKey().tenant())
        .containsOnly(9, 20, 21);
  }

  @Test
  void nothingIsDeletedThatStandsInTheDatabase() throws SQLException {
    execute("update rota.tenant set keep_archive = '0' where number = 8");
    assertThat(manifest.expire(session, LONG)).isEqualTo(1 + 24);
    assertThat(manifest.expired(session, Set.of()))
        .extracting(Map.Entry::getKey)
        .doesNotContain(new SegmentId(8, 25));
  }

  @Test
  void allOfATenantThatIsGoneExpiresStepByStep() throws SQLException {
    execute("update rota.tenant set legal_hold = true where number = 30");
    execute(
        """
        insert into rota.archive (tenant, seq, opened_at, sealed_at, key, archived_at)
        select 30, s, now(), now(), 'x', now() from generate_series(100, 239) s""");
    execute("delete from rota.tenant where number in (30, 1000)");
    List<Integer> marked =
        IntStream.range(0, 3)
            .mapToObj(
                pass -> {
                  try {
                    return manifest.expire(session, LONG);
                  } catch (SQLException e) {
                    throw new IllegalStateException(e);
                  }
                })
            .toList();
    assertThat(marked).containsExactly(1 + 100 + 24, 64, 0);
  }

  /** Whatever the time zone of the session is, and at the very ends of an hour. */
  @Test
  void theKeyThatIsNotedIsTheOneThatReadersExpect() throws SQLException {
    for (String openedAt :
        List.of(
            "2030-01-31T08:00:00Z",
            "2030-01-31T08:59:59.999999Z",
            "2028-02-29T23:30:00Z",
            "2029-12-31T23:59:59Z")) {
      execute("set local timezone = 'Asia/Kathmandu'");
      execute("delete from rota.archive where tenant = 7 and seq = 25");
      execute(
          "update rota.segment set opened_at = '%s' where tenant = 7 and seq = 25"
              .formatted(openedAt));
      SegmentKey expected = SegmentKey.of(7, Instant.parse(openedAt), 25);
      assertThat(manifest.begin(session, new SegmentId(7, 25)))
          .map(ArchiveManifest.Begun::key)
          .contains(expected.text());
      assertThat(SegmentKey.parse(expected.text())).contains(expected);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
