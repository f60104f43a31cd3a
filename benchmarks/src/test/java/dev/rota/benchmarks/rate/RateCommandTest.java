package dev.rota.benchmarks.rate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.RotaCommand;
import dev.rota.limits.Rate;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateCommandTest {

  @Test
  @Tag("exhaustive")
  void killedProcessesKeepARate() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          JsonMapper.builder()
              .build()
              .readTree(
                  run(
                      0,
                      "--jdbc-url",
                      database.jdbcUrl(),
                      "--per-second",
                      "50",
                      "--processes",
                      "2",
                      "--kill-every",
                      "2s",
                      "--warmup",
                      "10",
                      "--seconds",
                      "4",
                      "--json"));
      JsonNode rate = report.get("rates").get(0);
      assertThat(rate.get("starts").asLong()).isPositive();
      assertThat(rate.get("kills").asInt()).isGreaterThanOrEqualTo(2);
      assertThat(rate.get("countError").asDouble()).isLessThan(0.03);
      assertThat(rate.get("worstWindow").asLong())
          .isLessThanOrEqualTo(rate.get("windowLimit").asLong());
      assertThat(rate.get("worstStatementsPerSecond").asLong()).isBetween(1L, 10L);
    }
  }

  @Test
  void startsAreCountedByTheMillisecondAndStatementsByTheSecond(@TempDir Path folder) {
    Duration second = Duration.ofSeconds(1);
    RateSettings settings =
        new RateSettings(Rate.of(1, second), 2, Duration.ZERO, Duration.ZERO, second);
    long began = System.currentTimeMillis();
    List<StartLog> logs =
        List.of(
            StartLog.open(folder.resolve("a"), began, settings.all()),
            StartLog.open(folder.resolve("b"), began, settings.all()));
    logs.get(0).started();
    logs.forEach(StartLog::sent);
    StartLog.open(folder.resolve("a"), began, settings.all()).started();
    assertThat(Arrays.stream(logs.get(0).starts()).sum()).isEqualTo(2);
    RateReport.Round round = RateReport.Round.of(settings, logs, 3);
    // It begins half a second after the first start, and sees none.
    assertThat(round.starts()).isZero();
    assertThat(round.countError()).isEqualTo(-1, within(1e-9));
    assertThat(round.windowLimit()).isEqualTo(2.02, within(1e-9));
    assertThat(new RateReport(List.of(round)).rows().get(1))
        .containsExactly("1/s", "0", "-100.00 %", "0 of 2", "0.0, at most 0", "3");
  }

  @Test
  void optionsOutOfRangeAreRefused() {
    assertThat(run(2, "--processes", "0")).isEmpty();
    assertThat(run(2, "--kill-every", "1ms")).isEmpty();
  }

  private static String run(int expected, String... options) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    String[] arguments = new String[options.length + 2];
    arguments[0] = "bench";
    arguments[1] = "rate";
    System.arraycopy(options, 0, arguments, 2, options.length);
    int code =
        RotaCommand.run(
            arguments, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    assertThat(code).as(err.toString(UTF_8)).isEqualTo(expected);
    return out.toString(UTF_8);
  }
}
