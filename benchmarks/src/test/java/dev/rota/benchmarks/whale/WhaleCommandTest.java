package dev.rota.benchmarks.whale;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class WhaleCommandTest {

  @Test
  @Tag("exhaustive")
  void everySmallTaskBeginsBesideAWhaleOfAnyLength() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          JsonMapper.builder()
              .build()
              .readTree(
                  run(
                      "bench",
                      "whale",
                      "--jdbc-url",
                      database.jdbcUrl(),
                      "--tenants",
                      "5",
                      "--rate",
                      "50",
                      "--whale-run",
                      "5ms,60s",
                      "--concurrency",
                      "8",
                      "--rounds",
                      "1",
                      "--warmup",
                      "1",
                      "--seconds",
                      "2",
                      "--json"));
      assertThat(report.get("whales")).hasSize(2);
      for (JsonNode whale : report.get("whales")) {
        assertThat(whale.get("unserved").asInt()).isZero();
        assertThat(whale.get("alone").get("p50").asDouble()).isPositive();
        assertThat(whale.get("beside").get("p99").asDouble()).isPositive();
        assertThat(whale.get("beside").get("enqueueP99").asDouble()).isPositive();
        assertThat(whale.get("whaleBeside").get("handlers").asDouble()).isPositive();
      }
    }
  }

  @Test
  void theMedianIsTheMiddle() {
    Phase low = new Phase(new Phase.Waits(1, 30, 3), 0, 100, 2);
    Phase middle = new Phase(new Phase.Waits(2, 20, 2), 0, 300, 1);
    Phase high = new Phase(new Phase.Waits(9, 10, 1), 4, 200, 3);
    assertThat(Phase.median(List.of(high, low, middle)))
        .isEqualTo(new Phase(new Phase.Waits(2, 20, 2), 4, 200, 2));
    assertThat(Phase.median(List.of(low, middle)))
        .isEqualTo(new Phase(new Phase.Waits(1.5, 25, 2.5), 0, 200, 1.5));
  }

  @Test
  void aWhaleWhoseTasksRunIsJudgedByItsHandlers() {
    Phase alone = new Phase(new Phase.Waits(0, 0, 0), 0, 100, 8);
    Phase beside = new Phase(new Phase.Waits(0, 0, 0), 0, 50, 6);
    assertThat(new WhaleReport(Duration.ofSeconds(1), beside, alone, beside).kept())
        .isEqualTo(0.75);
    assertThat(new WhaleReport(Duration.ZERO, beside, alone, beside).kept()).isEqualTo(0.5);
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
