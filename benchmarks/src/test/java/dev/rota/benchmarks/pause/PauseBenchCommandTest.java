package dev.rota.benchmarks.pause;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.RotaCommand;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PauseBenchCommandTest {

  @Test
  @Tag("exhaustive")
  void aPauseHoldsWhileItLastsAndCostsFewStatements() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          JsonMapper.builder()
              .build()
              .readTree(
                  run(
                      0,
                      "--jdbc-url",
                      database.jdbcUrl(),
                      "--pending",
                      "20000",
                      "--concurrency",
                      "4",
                      "--rounds",
                      "2",
                      "--json"));
      assertThat(report.get("pending").asLong()).isEqualTo(20_000);
      assertThat(report.get("pauseMillis").get("max").asDouble()).isPositive();
      assertThat(report.get("resumeMillis").get("max").asDouble()).isPositive();
      assertThat(report.get("lastStartMillis").get("max").asDouble()).isLessThan(500);
      assertThat(report.get("claimsWhilePaused").asLong()).isZero();
      assertThat(report.get("pauseStatements").asLong()).isBetween(3L, 12L);
      assertThat(report.get("resumeStatements").asLong()).isBetween(3L, 12L);
    }
  }

  @Test
  void theFiguresAreOfAllRounds() {
    List<PauseReport.Round> rounds =
        IntStream.rangeClosed(1, 200)
            .mapToObj(
                i ->
                    new PauseReport.Round(
                        new PauseReport.Step(i, 2 * i, i % 7),
                        new PauseReport.Step(3 * i, 4 * i, i % 5),
                        i % 3))
            .toList();
    PauseReport report =
        new PauseReport(
            new PauseSettings(1, Duration.ofMillis(1), 1, 200, Duration.ofSeconds(1)), rounds);
    assertThat(report.rows())
        .containsExactly(
            List.of("", "p50", "p99", "max"),
            List.of("pause returned after", "100.0 ms", "198.0 ms", "200.0 ms"),
            List.of("last start after that", "200.0 ms", "396.0 ms", "400.0 ms"),
            List.of("resume returned after", "300.0 ms", "594.0 ms", "600.0 ms"),
            List.of("first start after that", "400.0 ms", "792.0 ms", "800.0 ms"));
    assertThat(report.summary())
        .isEqualTo("at most 6 statements to pause, 4 to resume; 2 claims while paused");
  }

  @Test
  @Tag("exhaustive")
  void optionsOutOfRangeAreRefused() {
    assertThat(run(2, "--pending", "0")).isEmpty();
    assertThat(run(2, "--quiet", "1ms")).isEmpty();
  }

  private static String run(int expected, String... options) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    String[] arguments = new String[options.length + 2];
    arguments[0] = "bench";
    arguments[1] = "pause";
    System.arraycopy(options, 0, arguments, 2, options.length);
    int code =
        RotaCommand.run(
            arguments, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    assertThat(code).as(err.toString(UTF_8)).isEqualTo(expected);
    return out.toString(UTF_8);
  }
}
