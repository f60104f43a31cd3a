package dev.rota.benchmarks.share;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.RotaCommand;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ShareCommandTest {

  private static final ShareSettings SETTINGS =
      new ShareSettings(
          4,
          List.of(1.0, 3.0),
          List.of(Duration.ofMillis(1), Duration.ofMillis(5)),
          new ShareSettings.Workers(2, 4),
          new ShareSettings.Pace(Duration.ofSeconds(1), Duration.ofSeconds(10), 2));

  @Test
  @Tag("exhaustive")
  void everyTenantGetsATimeOfTheHandlers() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          JsonMapper.builder()
              .build()
              .readTree(
                  run(
                      "bench",
                      "share",
                      "--jdbc-url",
                      database.jdbcUrl(),
                      "--tenants",
                      "4",
                      "--weights",
                      "1,4",
                      "--run",
                      "2ms,5ms",
                      "--processes",
                      "2",
                      "--concurrency",
                      "2",
                      "--warmup",
                      "1",
                      "--seconds",
                      "2",
                      "--json"));
      assertThat(report.get("groups")).hasSize(4);
      for (JsonNode group : report.get("groups")) {
        assertThat(group.get("is").asDouble()).isPositive();
      }
      assertThat(report.get("handlersBusy").asDouble()).isBetween(0.1, 1.1);
      assertThat(report.get("worstErrorPercent").asDouble()).isLessThan(100);
    }
  }

  @Test
  void weightsAndRunTimesAreCombined() {
    assertThat(List.of(0, 1, 2, 3))
        .extracting(SETTINGS::weightOf, SETTINGS::runOf)
        .doesNotHaveDuplicates();
    assertThat(SETTINGS.partOf(1)).isEqualTo(0.375, within(1e-9));
  }

  @Test
  void errorsAreThoseOfTheWorstTenantAndWindow() {
    ShareReport report =
        new ShareReport(
            SETTINGS,
            List.of(
                new ShareReport.Window(List.of(10.0, 30.0, 10.0, 30.0), 10),
                new ShareReport.Window(List.of(11.0, 30.0, 9.0, 30.0), 10)));
    assertThat(report.worstErrorPercent()).isEqualTo(10, within(1e-9));
    assertThat(report.meanErrorPercent()).isEqualTo(2.5, within(1e-9));
    assertThat(report.handlersBusy()).isEqualTo(1, within(1e-9));
  }

  private static String run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        RotaCommand.run(
            arguments, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    assertThat(code).as(err.toString(UTF_8)).isZero();
    return out.toString(UTF_8);
  }
}
