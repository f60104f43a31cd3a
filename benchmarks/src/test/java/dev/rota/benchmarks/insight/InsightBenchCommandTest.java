package dev.rota.benchmarks.insight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.RotaCommand;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests {@code rota bench insight} with few tenants. */
class InsightBenchCommandTest {

  @Test
  @Tag("exhaustive")
  void everyReadIsMeasured() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode times =
          JsonMapper.builder()
              .build()
              .readTree(
                  run(
                      0,
                      "--jdbc-url",
                      database.jdbcUrl(),
                      "--tenants",
                      "20",
                      "--attempts",
                      "20000",
                      "--calls",
                      "3",
                      "--json"));
      assertThat(times.get("tenants").asInt()).isEqualTo(20);
      assertThat(times.get("overview").get("p95").asDouble()).isPositive();
      assertThat(times.get("a task by its id, sealed").get("max").asDouble()).isPositive();
      assertThat(times).hasSize(3 + 11 + 1 + 6);
    }
  }

  @Test
  void optionsOutOfRangeAreRefused() {
    assertThat(run(2, "--tenants", "0")).isEmpty();
  }

  private static String run(int expected, String... options) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        RotaCommand.run(
            Stream.concat(Stream.of("bench", "insight"), Stream.of(options)).toArray(String[]::new),
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8));
    assertThat(code).as(err.toString(UTF_8)).isEqualTo(expected);
    return out.toString(UTF_8);
  }
}
