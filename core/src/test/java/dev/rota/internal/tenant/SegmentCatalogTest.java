package dev.rota.internal.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.PostgresVersions;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.history.HistoryFilter;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.schema.RegistryTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the choice of a tenant's files reads no rows of other tenants. */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
@Tag("exhaustive")
class SegmentCatalogTest {

  private static final Instant START = Instant.parse("2030-01-31T00:00:00Z");

  private static final String FILL =
      """
      insert into rota.tenant (number, name) overriding system value
      select t, 'tenant ' || t from generate_series(1, 1000) t;
      insert into rota.segment (tenant, seq, opened_at, sealed_at, dropped_at, rows)
      select t, h + 1, hour, hour + interval '1 hour', now(), 9
        from generate_series(1, 1000) t, generate_series(0, 23) h,
             lateral (select timestamptz '%1$s' + h * interval '1 hour' as hour) o;
      insert into rota.segment (tenant, seq, opened_at)
      select t, 25, now() from generate_series(1, 1000) t;
      insert into rota.archive (tenant, seq, opened_at, sealed_at, key, bytes, rows, sha256, id_from,
                                id_to, created_from, created_to, archived_at)
      select tenant, seq, opened_at, sealed_at, tenant || '/' || seq, 9, 9, 'x', seq * 100,
             seq * 100 + 99, opened_at, sealed_at - interval '1 second', now()
        from rota.segment where sealed_at is not null;
      analyze rota.tenant, rota.segment, rota.archive"""
          .formatted(START);

  private static final String READ =
      """
      select %s from pg_stat_xact_user_tables
       where schemaname = 'rota' and relname in ('archive', 'segment')""";

  @Given private RotaFixture fixture;

  @Test
  void anHourOfOneOfAThousandTenantsIsFoundAmongItsOwnFiles() throws Exception {
    fixture.execute(FILL);
    for (int tenant : new int[] {1, 500, 1_000}) {
      HistoryFilter hour = HistoryFilter.all().createdFrom(at(5)).createdBefore(at(6));
      assertPlaces(tenant, hour, tenant + "/6");
      assertPlaces(tenant, HistoryFilter.all().taskId(2_399), tenant + "/23");
      assertPlaces(tenant, HistoryFilter.all().createdFrom(at(22)), tenant + "/24", tenant + "/23");
    }
  }

  private static Instant at(int hour) {
    return START.plus(Duration.ofHours(hour));
  }

  private void assertPlaces(int tenant, HistoryFilter filter, String... keys) throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      Session session = Session.inCallersTransaction(connection, StatementObserver.NONE);
      List<HistoryPlace> places =
          new SegmentCatalog(new RegistryTables("rota"), tenant)
              .places(session.dsl(), filter, Integer.MAX_VALUE);
      assertThat(places.stream().map(HistoryPlace::archived).flatMap(Optional::stream))
          .extracting(segment -> segment.key())
          .containsExactly(keys);
      assertThat(places).hasSize(keys.length + 1);
      assertThat(RotaFixture.texts(connection, READ.formatted("sum(seq_tup_read)")))
          .as("rows of all tenants")
          .containsExactly("0");
      // At most 24 files of the tenant, and its 25 segments, once to list them and once to compare.
      String fetched = RotaFixture.texts(connection, READ.formatted("sum(idx_tup_fetch)")).get(0);
      assertThat(Long.parseLong(fetched)).as("rows by index").isBetween(1L, 24L + 2 * 25);
      connection.rollback();
    }
  }
}
