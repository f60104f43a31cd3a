package dev.rota.benchmarks.load.command;

import static dev.rota.benchmarks.load.command.BenchCall.assertIntact;
import static dev.rota.benchmarks.load.command.BenchCall.bench;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rota.benchmarks.load.report.Report;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;

/** Tests the options of {@code rota bench}, and the forms of its output. */
class BenchCommandTest {

  private static final List<String> CHARTS =
      List.of("throughput", "backlog", "latency", "percentiles", "table-size", "catalog-size");

  /** Each statement that inserts into a ring notes whether an idle transaction has a snapshot. */
  private static final String NOTE_SNAPSHOTS =
      """
      create table public.noted (held boolean);
      create function public.note() returns trigger language plpgsql as $$
      begin
        insert into public.noted
          select exists (select from pg_stat_activity
                          where datname = current_database() and state = 'idle in transaction'
                            and backend_xmin is not null);
        return null;
      end $$""";

  @TempDir Path directory;

  /** A trigger notes whether any snapshot but those of the inserts themselves is held. */
  @Test
  @Tag("exhaustive")
  void aSnapshotIsHeldIfWanted() throws IOException, SQLException {
    for (boolean wanted : new boolean[] {true, false}) {
      try (TestDatabase database = TestDatabase.create()) {
        database.execute(NOTE_SNAPSHOTS);
        BenchCall.onRings(
            database, "before insert", "for each statement execute function public.note()");
        List<String> options = new ArrayList<>(List.of("--tenants", "3", "--batch", "100"));
        if (wanted) {
          options.add("--hold-snapshot");
        }
        JsonNode report = bench(database, "1", options.toArray(String[]::new)).report(0);
        assertIntact(report);
        assertThat(report.get("settings").get("holdSnapshot").asBoolean()).isEqualTo(wanted);
        assertThat(held(database)).isEqualTo(wanted);
      }
    }
  }

  private static boolean held(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select bool_and(held) from public.noted")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  @Test
  @Tag("exhaustive")
  void singleEnqueuesComeByTheSchedule() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          bench(database, "1", "--tenants", "3", "--batch", "1", "--rate", "1000").report(0);
      assertIntact(report);
      assertThat(report.get("enqueued").asLong() + report.get("unsent").asLong()).isEqualTo(1_000);
    }
  }

  @Test
  @Tag("exhaustive")
  void batchesAndSleepingHandlers() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          bench(
                  database,
                  "1",
                  "--handle-batches",
                  "--handler-sleep",
                  "1ms",
                  "--backlog",
                  "5000",
                  "--payload",
                  "100")
              .report(0);
      assertIntact(report);
      assertThat(report.get("backlog").asLong()).isLessThanOrEqualTo(5_000);
    }
  }

  @Test
  @Tag("exhaustive")
  void oneRunForEachNumberOfTenantsAndAPageOfCharts() throws Exception {
    Path report = directory.resolve("new").resolve("report");
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode result =
          bench(database, "1", "--tenant-curve", "1,3", "--report", report.toString()).report(0);
      assertThat(result.get("runs")).hasSize(2);
      assertThat(result.get("lowestToHighest").asDouble()).isBetween(0.0, 1.0);
      result.get("runs").forEach(BenchCall::assertIntact);
    }
    String page = Files.readString(report.resolve(Report.PAGE));
    assertThat(page).doesNotContain("http:", "https:", "<script", "src=", "@import");
    Document parsed = parsed(report.resolve(Report.PAGE));
    assertThat(parsed.getElementsByTagName("svg").getLength()).isEqualTo(2 * CHARTS.size() + 1);
    assertThat(parsed(report.resolve("tenants.svg")).getElementsByTagName("title").getLength())
        .isEqualTo(1);
    for (String chart : CHARTS) {
      assertThat(page).contains("\"1-tenants-" + chart + "\"", "\"3-tenants-" + chart + "\"");
      Document drawing = parsed(report.resolve("3-tenants-" + chart + ".svg"));
      assertThat(drawing.getDocumentElement().getNodeName()).isEqualTo("svg");
    }
  }

  @Test
  @Tag("exhaustive")
  void tableIsReadable() {
    try (TestDatabase database = TestDatabase.create()) {
      BenchCall call =
          BenchCall.of(
              "bench",
              "--seconds",
              "1",
              "--warmup",
              "0",
              "--tenants",
              "2",
              "--dashboard",
              "0",
              "--jdbc-url",
              database.jdbcUrl());
      assertThat(call.code()).as(call.err()).isZero();
      assertThat(call.out()).contains("settled", "/s", "p99", "PostgreSQL", "handled once");
      assertThat(call.err())
          .contains("registering 2 tenants", "the dashboard listens at http://localhost:");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--seconds, 0",
    "--seconds, soon",
    "--warmup, -1",
    "--tenants, 0",
    "--tenant-curve, '1,0'",
    "--skew, -1",
    "--batch, 0",
    "--rate, 0",
    "--backlog, 10",
    "--payload, 15",
    "--producers, 0",
    "--worker-batch, 20000",
    "--concurrency, 0",
    "--handler-sleep, 2h",
    "--rotate-every, 10ms",
    "--keep, forever",
    "--report, pom.xml",
    "--trust-header, X-User"
  })
  @Tag("exhaustive")
  void wrongOptionIsNamed(String option, String value) {
    BenchCall call = BenchCall.of("bench", option, value);
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.out()).isEmpty();
    assertThat(call.err().lines().toList())
        .singleElement()
        .asString()
        .startsWith("rota: ")
        .contains(option);
  }

  @Test
  void rateAndBacklogExcludeEachOther() {
    BenchCall call = BenchCall.of("bench", "--rate", "100", "--backlog", "10000");
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.err()).contains("--rate and --backlog");
  }

  @Test
  @Tag("exhaustive")
  void helpListsTheCommandOnce() {
    assertThat(BenchCall.of("--help").out()).containsOnlyOnce("  bench ");
    assertThat(BenchCall.of("bench", "--help").out()).startsWith("Usage: rota bench ");
  }

  private static Document parsed(Path file) throws Exception {
    byte[] text = Files.readString(file).replace("<!DOCTYPE html>", "").getBytes(UTF_8);
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(text));
  }
}
