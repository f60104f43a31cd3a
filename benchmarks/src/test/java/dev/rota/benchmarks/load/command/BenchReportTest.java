package dev.rota.benchmarks.load.command;

import static dev.rota.benchmarks.load.command.BenchCall.assertIntact;
import static dev.rota.benchmarks.load.command.BenchCall.bench;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the report of {@code rota bench} about the tasks of a run, and about lost ones. */
@Tag("exhaustive")
class BenchReportTest {

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
      end $$""";

  @Test
  void everyTaskIsHandledOnceAndEverythingIsReported() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          bench(database, "8", "--tenants", "5", "--batch", "100", "--skew", "1", "--rate", "5000")
              .report(0);
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

  @Test
  void lostTasksAreReported() throws IOException, SQLException {
    try (TestDatabase database = TestDatabase.create()) {
      database.execute(LOSE_TASKS);
      BenchCall.onRings(database, "after insert", "for each row execute function public.lose()");
      BenchCall call =
          bench(database, "1", "--rate", "1000", "--batch", "100", "--patience", "10s");
      JsonNode report = call.report(1);
      assertThat(report.get("lost").asLong()).isPositive();
      assertThat(report.get("lost").asLong() + report.get("settled").asLong())
          .isEqualTo(report.get("enqueued").asLong());
      assertThat(report.get("duplicated").asLong()).isZero();
      assertThat(call.err()).contains("nothing has moved");
    }
  }
}
