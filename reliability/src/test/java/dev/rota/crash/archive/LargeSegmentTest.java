package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Archives a segment of more than a gigabyte, archives it again with the times of its first object,
 * and drops it. The process has 64 MiB of heap, and its DuckDB may use 128 MiB. Half of the texts
 * have characters of three bytes.
 */
@Alone
@CrashTest
class LargeSegmentTest {

  private static final int BYTES_OF_ROW = 2_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long MOST_MEMORY_KB = 512 << 10;

  /** Texts that are all different, and too short to be stored apart. */
  private static final String FILL =
      """
      insert into rota_1.task_hist_1_1 (id, batch_id, state, attempt, kind, payload, created_at)
      with narrow as (
             select string_agg(md5(i::text), '') as noise from generate_series(1, 250) i),
           noise as materialized (
             select noise as narrow,
                    translate(noise, '0123456789abcdef', '一二三四五六七八九十百千万億兆京') as wide
               from narrow),
           task as (
             select n, (n %% 4000)::integer + 1 as place from generate_series(1::bigint, %d) n)
      select n * 7, 0, 0, 1, 'large',
             n || ' ' || case n %% 2 when 0 then substr(narrow, place, 1890)
                                    else substr(wide, place, 630) end,
             now() - (n %% 100000) * interval '1 second'
        from task, noise""";

  private static final String BATCH =
      "insert into rota.task_batch_1 (id, worker, claimed_at, closed_at, tenant, segment)"
          + " values (0, 4711, now(), now(), 1, 1)";

  private static final String ARCHIVED =
      "select count(*) from rota.archive where archived_at is not null";

  @TempDir private Path kept;
  @TempDir private Path staging;

  @Test
  void aSegmentMuchLargerThanAllMemoryIsArchivedAndDropped() throws Exception {
    long rows = CrashRun.size(1_150, 4_600) * 1_000_000L / BYTES_OF_ROW;
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      rota.tenants().register("large").history().changeRetention(policy -> policy.legalHold(true));
      database.execute("select rota.open_tenant(1)");
      database.execute(FILL.formatted(rows));
      database.execute(BATCH);
      long bytes = number(database, "select pg_relation_size('rota_1.task_hist_1_1')");
      assertThat(bytes).isGreaterThan(1L << 30);
      try (JavaProcess archiver =
          JavaProcess.startWithHeap(
              "64m",
              ArchiverProcess.class,
              database.jdbcUrl(),
              kept.toString(),
              staging.toString(),
              "none")) {
        await(database, ARCHIVED);
        database.execute("delete from rota.task_batch_1 where id = 0");
        database.execute("update rota.archive set archived_at = null");
        await(database, ARCHIVED);
        rota.tenants().get("large").history().changeRetention(policy -> policy.legalHold(false));
        await(database, "select count(*) from rota.segment where dropped_at is not null");
        long memory = mostMemory(archiver.pid());
        assertThat(memory).as("kilobytes of memory").isLessThan(MOST_MEMORY_KB);
        assertKept(database, rows);
        record(database, rows, bytes, memory);
      }
    }
  }

  private void assertKept(TestDatabase database, long rows) throws SQLException {
    Path file = file(database);
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select count(*), count(distinct id), sum(id)::bigint, count(distinct payload),"
                    + " count(*) filter (created_at < earlier), count(worker), count(claimed_at)"
                    + " from (select *, lag(created_at) over () as earlier from read_parquet('"
                    + file
                    + "'))")) {
      row.next();
      assertThat(row.getLong(1)).isEqualTo(rows);
      assertThat(row.getLong(2)).isEqualTo(rows);
      assertThat(row.getLong(3)).isEqualTo(rows * (rows + 1) / 2 * 7);
      assertThat(row.getLong(4)).isEqualTo(rows);
      assertThat(row.getLong(5)).as("rows that are not in order").isZero();
      assertThat(row.getLong(6)).as("workers").isEqualTo(rows);
      assertThat(row.getLong(7)).as("times of claim").isEqualTo(rows);
    }
    assertThat(number(database, "select rows from rota.segment where seq = 1")).isEqualTo(rows);
  }

  private void record(TestDatabase database, long rows, long bytes, long memory) throws Exception {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("rows", rows);
    figures.put("bytesOfSegment", bytes);
    figures.put("bytesOfFile", Files.size(file(database)));
    figures.put("mostMemoryKilobytes", memory);
    CrashRun.record("archive-large-segment", figures);
  }

  private Path file(TestDatabase database) throws SQLException {
    return kept.resolve(text(database, "select key from rota.archive where seq = 1"));
  }

  /** The most that the process ever had in memory, Java and DuckDB together. */
  private static long mostMemory(long pid) throws Exception {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElseThrow();
  }

  private static void await(TestDatabase database, String count) throws SQLException {
    Await.until(
        "something is counted by " + count,
        PATIENCE,
        () -> number(database, count) > 0,
        () -> text(database, "select string_agg(a::text, '; ') from rota.archive a"));
  }

  private static long number(TestDatabase database, String sql) throws SQLException {
    return Long.parseLong(text(database, sql));
  }

  private static String text(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
