package dev.rota.benchmarks;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.Archive;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how long it takes to read the newest hundred tasks of one archived hour of one tenant.
 * The tenant is alone, or among a thousand tenants with as much history each.
 *
 * <p>Data: 24 files of one tenant, one for each hour of a day; for the other tenants only the rows
 * of registry and manifest.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ArchivedHistoryBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ArchivedHistoryBenchmark {

  private static final Instant START = Instant.parse("2030-01-31T00:00:00Z");
  private static final int PAGE = 100;

  private static final String COPY =
      """
      copy (select %1$d * 10000000 + i as id, 'done' as state, 1 as attempt, 'mail' as kind,
                   md5(i::varchar) as payload, null::bigint as parent_id, t as created_at,
                   t as claimed_at, t as finished_at, null::varchar as error, 1::bigint as batch_id,
                   1::bigint as worker, null::varchar as key, 0 as priority
              from range(0, %3$d) r (i),
                   lateral (select timestamptz '%2$s' + to_microseconds(i * 100) as t) c)
        to '%4$s' (format parquet, compression zstd)""";

  private static final String MANIFEST =
      """
      insert into rota.segment (tenant, seq, opened_at, sealed_at, dropped_at, rows)
      values (%7$d, %1$d + 2, '%2$s', timestamptz '%2$s' + interval '1 hour', now(), %3$d);
      insert into rota.archive (tenant, seq, opened_at, sealed_at, key, bytes, rows, sha256, id_from,
                                id_to, created_from, created_to, archived_at)
      values (%7$d, %1$d + 2, '%2$s', timestamptz '%2$s' + interval '1 hour', '%4$s', %5$d, %3$d,
              '%6$s', 1, 1, '%2$s', timestamptz '%2$s' + interval '59 minutes', now())""";

  private static final String OTHERS =
      """
      insert into rota.tenant (name) select 'other ' || t from generate_series(1, 1000) t;
      insert into rota.segment (tenant, seq, opened_at, sealed_at, dropped_at, rows)
      select t.number, s.seq, s.opened_at, s.sealed_at, s.dropped_at, s.rows
        from rota.tenant t, rota.segment s
       where t.name like 'other %%' and s.tenant = %1$d and s.dropped_at is not null;
      insert into rota.archive (tenant, seq, opened_at, sealed_at, key, bytes, rows, sha256, id_from,
                                id_to, created_from, created_to, archived_at)
      select t.number, a.seq, a.opened_at, a.sealed_at, t.number || a.key, a.bytes, a.rows, a.sha256,
             a.id_from, a.id_to, a.created_from, a.created_to, a.archived_at
        from rota.tenant t, rota.archive a where t.name like 'other %%' and a.tenant = %1$d;
      analyze rota.tenant, rota.segment, rota.archive""";

  /** The archived history of other tenants. */
  @Param({"alone", "amongThousand"})
  String contender;

  /** Tasks of an hour. */
  @Param("20000")
  int tasks;

  private ArchiveTrial trial;
  private Archive archive;
  private Rota rota;
  private Tenant tenant;

  /**
   * Creates files and manifest.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = ArchiveTrial.open(1);
    archive = trial.archive().build();
    rota = Rota.builder(trial.rota().url()).archive(archive).build();
    tenant = rota.tenants().get(trial.rota().tenants().get(0).name());
    for (int hour = 0; hour < 24; hour++) {
      write(hour);
    }
    if (contender.equals("amongThousand")) {
      TrialDatabase.execute(trial.rota().url(), OTHERS.formatted(tenant.number()));
    }
  }

  private void write(int hour) throws Exception {
    String key = String.format(Locale.ROOT, "hour=%02d.parquet", hour);
    Path file = trial.kept().resolve(key);
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute("set TimeZone = 'UTC'");
      statement.execute(COPY.formatted(hour + 1, at(hour), tasks, file));
    }
    TrialDatabase.execute(
        trial.rota().url(),
        MANIFEST.formatted(
            hour, at(hour), tasks, key, Files.size(file), Digest.of(file), tenant.number()));
  }

  private static Instant at(int hour) {
    return START.plus(Duration.ofHours(hour));
  }

  /**
   * Reads a page.
   *
   * @return the page
   */
  @Benchmark
  public HistoryPage readAnHour() {
    HistoryPage page =
        tenant
            .history()
            .page(HistoryFilter.all().createdFrom(at(5)).createdBefore(at(6)).limit(PAGE));
    RotaTrial.require("attempts", PAGE, page.attempts().size());
    RotaTrial.require("files", 1, page.archive().opened().size());
    return page;
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    rota.close();
    archive.close();
    trial.close();
  }
}
