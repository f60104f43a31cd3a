package dev.rota.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that, of 24 files of each of a thousand tenants, a read opens only files that can hold
 * matching rows.
 */
@Tag("exhaustive")
class HistoryOfManyTenantsTest {

  private static final Instant START = Instant.parse("2030-01-31T00:00:00Z");
  private static final int TASKS = 10;

  /** Tasks of an hour, in a file of the archive. */
  private static final String COPY =
      """
      copy (select %1$d * 1000 + i as id, 'done' as state, 1 as attempt, 'mail' as kind,
                   '{}' as payload, null::bigint as parent_id,
                   (timestamptz '%2$s' + to_minutes(i)) as created_at,
                   (timestamptz '%2$s' + to_minutes(i)) as claimed_at,
                   (timestamptz '%2$s' + to_minutes(i)) as finished_at, null::varchar as error,
                   %1$d::bigint as batch_id, 1::bigint as worker, null::varchar as key, 0 as priority
              from range(0, %3$d) r (i)) to '%4$s' (format parquet, compression zstd)""";

  private static final String SEGMENT =
      """
      insert into rota.segment (tenant, seq, opened_at, sealed_at, dropped_at, rows)
      values (1, %1$d, '%2$s', timestamptz '%2$s' + interval '1 hour', now(), %3$d);
      insert into rota.archive (tenant, seq, opened_at, sealed_at, key, bytes, rows, sha256, id_from,
                                id_to, created_from, created_to, archived_at)
      select 1, %1$d, '%2$s', timestamptz '%2$s' + interval '1 hour', '%4$s', %5$d, %3$d, '%6$s',
             %1$d * 1000, %1$d * 1000 + %3$d - 1, '%2$s',
             timestamptz '%2$s' + (%3$d - 1) * interval '1 minute', now()""";

  /** The same of each other tenant, whose files are not even there. */
  private static final String OTHERS =
      """
      insert into rota.tenant (number, name) overriding system value
      select t, 'tenant ' || t from generate_series(2, 1000) t;
      insert into rota.segment (tenant, seq, opened_at, sealed_at, dropped_at, rows)
      select t, s.seq, s.opened_at, s.sealed_at, s.dropped_at, s.rows
        from generate_series(2, 1000) t, rota.segment s where s.tenant = 1 and s.seq < 25;
      insert into rota.archive (tenant, seq, opened_at, sealed_at, key, bytes, rows, sha256, id_from,
                                id_to, created_from, created_to, archived_at)
      select t, seq, opened_at, sealed_at, replace(key, 'tenant=1/', 'tenant=' || t || '/'), bytes,
             rows, sha256, id_from, id_to, created_from, created_to, archived_at
        from generate_series(2, 1000) t, rota.archive a where a.tenant = 1""";

  @TempDir private Path folder;
  private final List<String> touched = new ArrayList<>();
  private TestDatabase database;
  private Archive archive;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void fill() throws Exception {
    database = MigratedDatabase.create();
    archive =
        Archive.in(
                new StoreAround(ObjectStore.folder(folder)) {
                  @Override
                  public Optional<Path> local(String key) {
                    touched.add(key);
                    return super.local(key);
                  }
                })
            .build();
    rota = Rota.builder(database.jdbcUrl()).archive(archive).build();
    acme = rota.tenants().register("acme");
    database.execute("update rota.tenant set current_segment = 25");
    database.execute("update rota.segment set seq = 25");
    for (int hour = 0; hour < 24; hour++) {
      write(hour);
    }
    database.execute(OTHERS);
    assertThat(acme.number()).isEqualTo(1);
  }

  @AfterEach
  void close() {
    rota.close();
    archive.close();
    database.close();
  }

  private static Instant at(int hour) {
    return START.plus(Duration.ofHours(hour));
  }

  private static String key(int hour) {
    return "tenant=1/hour=2030-01-31T%02dZ/seq=%d.parquet".formatted(hour, hour + 1);
  }

  private void write(int hour) throws Exception {
    Path file = folder.resolve(key(hour));
    Files.createDirectories(Optional.ofNullable(file.getParent()).orElseThrow());
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute("set TimeZone = 'UTC'");
      statement.execute(COPY.formatted(hour + 1, at(hour), TASKS, file));
    }
    database.execute(
        SEGMENT.formatted(hour + 1, at(hour), TASKS, key(hour), Files.size(file), Digest.of(file)));
  }

  @Test
  void anHourOfOneTenantOpensOneFile() {
    HistoryPage page =
        acme.history().page(HistoryFilter.all().createdFrom(at(5)).createdBefore(at(6)));
    assertThat(page.attempts())
        .extracting(attempt -> attempt.taskId())
        .containsExactlyElementsOf(IntStream.range(0, TASKS).mapToObj(i -> 6_009L - i).toList());
    assertThat(page.archive().opened()).containsExactly(key(5));
    assertThat(page.archive().missed()).isEmpty();
    assertThat(touched).containsExactly(key(5));
  }

  @Test
  void aPageOfTheNewestOpensAsManyAsItNeeds() {
    HistoryPage page = acme.history().page(HistoryFilter.all().limit(15));
    assertThat(page.attempts()).hasSize(15);
    assertThat(touched).containsExactly(key(23), key(22));
  }

  @Test
  void oneTaskOpensOneFile() {
    assertThat(acme.history().page(HistoryFilter.all().taskId(12_004)).attempts()).hasSize(1);
    assertThat(touched).containsExactly(key(11));
  }

  @Test
  void countsOfSomeHoursOpenTheirFiles() {
    HistoryCounts counts =
        acme.history()
            .count(
                HistoryFilter.all().createdFrom(at(7)).createdBefore(at(9)),
                HistoryCounts.Dimension.HOUR);
    assertThat(counts.counts())
        .extracting(HistoryCounts.Count::hour, HistoryCounts.Count::attempts)
        .containsExactly(
            tuple(Optional.of(at(7)), (long) TASKS), tuple(Optional.of(at(8)), (long) TASKS));
    assertThat(touched).containsExactlyInAnyOrder(key(7), key(8));
  }
}
