package dev.rota.benchmarks.load.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.benchmarks.load.report.Report;
import dev.rota.cli.RotaCommand;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;

class BenchCommandTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final List<String> CHARTS =
      List.of("throughput", "backlog", "latency", "percentiles", "table-size", "catalog-size");

  /** Each tenth row that is inserted into a ring is deleted, which its insert does not see. */
  private static final String LOSE_TASKS =
      """
      create function public.lose() returns trigger language plpgsql as $$
      begin
        if new.id % 10 = 0 then
          execute format('delete from %I.%I where id = $1', tg_table_schema, tg_table_name)
            using new.id;
        end if;
        return null;
      end $$;
      create function public.sabotage() returns event_trigger language plpgsql as $$
      declare
        made record;
      begin
        for made in select object_identity as ring from pg_event_trigger_ddl_commands()
                     where object_identity like '%.task_init_%' loop
          execute format('create trigger lose after insert on %s for each row'
                         ' execute function public.lose()', made.ring);
        end loop;
      end $$;
      create event trigger sabotage on ddl_command_end when tag in ('CREATE TABLE')
        execute function public.sabotage()""";

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
      end $$;
      create function public.watch() returns event_trigger language plpgsql as $$
      declare
        made record;
      begin
        for made in select object_identity as ring from pg_event_trigger_ddl_commands()
                     where object_identity like '%.task_init_%' loop
          execute format('create trigger note before insert on %s for each statement'
                         ' execute function public.note()', made.ring);
        end loop;
      end $$;
      create event trigger watch on ddl_command_end when tag in ('CREATE TABLE')
        execute function public.watch()""";

  @TempDir Path directory;

  @Test
  void everyTaskIsHandledOnceAndEverythingIsReported() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          json(bench(database, "8", "--tenants", "5", "--batch", "100", "--skew", "1"), 0);
      assertThat(report.properties().stream().map(Map.Entry::getKey))
          .containsExactly(
              "enqueuedPerSecond",
              "settledPerSecond",
              "backlog",
              "latencyMillis",
              "walBytesPerTask",
              "rotations",
              "rotationsPostponed",
              "lost",
              "duplicated",
              "enqueued",
              "settled",
              "unsent",
              "drainSeconds",
              "sizeBytes",
              "postgres",
              "durable",
              "cores",
              "settings");
      assertIntact(report);
      assertThat(report.get("latencyMillis").properties().stream().map(Map.Entry::getKey))
          .containsExactly("p50", "p99", "p999", "max");
      assertThat(report.get("settledPerSecond").asLong()).isPositive();
      assertThat(report.get("walBytesPerTask").asLong()).isGreaterThan(64);
      assertThat(report.get("rotations").asLong()).isPositive();
      assertThat(report.get("durable").asBoolean()).isTrue();
      assertThat(report.get("postgres").asText()).matches("\\d+\\.\\d+.*");
      assertThat(report.get("settings").get("skew").asDouble()).isEqualTo(1);
    }
  }

  /** A trigger notes whether any snapshot but those of the inserts themselves is held. */
  @Test
  void aSnapshotIsHeldIfWanted() throws IOException, SQLException {
    for (boolean wanted : new boolean[] {true, false}) {
      try (TestDatabase database = TestDatabase.create()) {
        database.execute(NOTE_SNAPSHOTS);
        List<String> options = new ArrayList<>(List.of("--tenants", "3", "--batch", "100"));
        if (wanted) {
          options.add("--hold-snapshot");
        }
        JsonNode report = json(bench(database, "1", options.toArray(String[]::new)), 0);
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
  void singleEnqueuesComeByTheSchedule() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          json(bench(database, "1", "--tenants", "3", "--batch", "1", "--rate", "1000"), 0);
      assertIntact(report);
      assertThat(report.get("enqueued").asLong() + report.get("unsent").asLong()).isEqualTo(1_000);
    }
  }

  @Test
  void batchesAndSleepingHandlers() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          json(
              bench(
                  database,
                  "1",
                  "--handle-batches",
                  "--handler-sleep",
                  "1ms",
                  "--backlog",
                  "5000",
                  "--payload",
                  "100"),
              0);
      assertIntact(report);
      assertThat(report.get("backlog").asLong()).isLessThanOrEqualTo(5_000);
    }
  }

  @Test
  void lostTasksAreReported() throws IOException, SQLException {
    try (TestDatabase database = TestDatabase.create()) {
      database.execute(LOSE_TASKS);
      Call call = bench(database, "1", "--rate", "1000", "--batch", "100", "--patience", "10s");
      JsonNode report = json(call, 1);
      assertThat(report.get("lost").asLong()).isPositive();
      assertThat(report.get("lost").asLong() + report.get("settled").asLong())
          .isEqualTo(report.get("enqueued").asLong());
      assertThat(report.get("duplicated").asLong()).isZero();
      assertThat(call.err()).contains("nothing has moved");
    }
  }

  @Test
  void oneRunForEachNumberOfTenantsAndAPageOfCharts() throws Exception {
    Path report = directory.resolve("new").resolve("report");
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode result =
          json(bench(database, "1", "--tenant-curve", "1,3", "--report", report.toString()), 0);
      assertThat(result.get("runs")).hasSize(2);
      assertThat(result.get("lowestToHighest").asDouble()).isBetween(0.0, 1.0);
      result.get("runs").forEach(BenchCommandTest::assertIntact);
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
  void tableIsReadable() {
    try (TestDatabase database = TestDatabase.create()) {
      Call call =
          Call.of(
              "bench",
              "--seconds",
              "1",
              "--warmup",
              "0",
              "--tenants",
              "2",
              "--jdbc-url",
              database.jdbcUrl());
      assertThat(call.code()).as(call.err()).isZero();
      assertThat(call.out()).contains("settled", "/s", "p99", "PostgreSQL", "handled once");
      assertThat(call.err()).contains("registering 2 tenants");
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
    "--report, pom.xml"
  })
  void wrongOptionIsNamed(String option, String value) {
    Call call = Call.of("bench", option, value);
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
    Call call = Call.of("bench", "--rate", "100", "--backlog", "10000");
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.err()).contains("--rate and --backlog");
  }

  @Test
  void helpListsTheCommandOnce() {
    assertThat(Call.of("--help").out()).containsOnlyOnce("  bench ");
    assertThat(Call.of("bench", "--help").out()).startsWith("Usage: rota bench ");
  }

  private static void assertIntact(JsonNode report) {
    assertThat(report.get("lost").asLong()).as(report.toString()).isZero();
    assertThat(report.get("duplicated").asLong()).isZero();
    assertThat(report.get("enqueued").asLong()).isPositive();
    assertThat(report.get("settled").asLong()).isEqualTo(report.get("enqueued").asLong());
  }

  private static Call bench(TestDatabase database, String seconds, String... options) {
    List<String> args = new ArrayList<>(List.of("bench", "--json", "--seconds", seconds));
    args.addAll(List.of("--warmup", "0", "--rotate-every", "1s"));
    args.addAll(List.of("--jdbc-url", database.jdbcUrl()));
    args.addAll(List.of(options));
    return Call.of(args.toArray(String[]::new));
  }

  private static JsonNode json(Call call, int code) throws IOException {
    assertThat(call.code()).as(call.err()).isEqualTo(code);
    assertThat(call.out().lines()).hasSize(1);
    return JSON.readTree(call.out());
  }

  private static Document parsed(Path file) throws Exception {
    byte[] text = Files.readString(file).replace("<!DOCTYPE html>", "").getBytes(UTF_8);
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(text));
  }

  /** One call of the command, and what it printed. */
  private record Call(int code, String out, String err) {

    static Call of(String... args) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      int code =
          RotaCommand.run(
              args, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
      return new Call(code, out.toString(UTF_8), err.toString(UTF_8));
    }
  }
}
