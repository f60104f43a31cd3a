package dev.rota.benchmarks.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.RotaCommand;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests {@code rota bench dashboard} with few tenants. */
@Tag("exhaustive")
class DashboardBenchCommandTest {

  private static final List<String> SMALL =
      List.of("--tenants", "20", "--attempts", "20000", "--calls", "2");

  @Test
  @Tag("exhaustive")
  void everyPageAndItsViewersAreMeasured() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      JsonNode report =
          JsonMapper.builder()
              .build()
              .readTree(run(0, database, "--viewers", "3", "--seconds", "1", "--json"));
      JsonNode pages = report.get("pages");
      assertThat(pages).hasSize(Page.all().size() + 2);
      assertThat(pages)
          .allSatisfy(
              page -> {
                assertThat(page.get("first").asDouble()).isPositive();
                assertThat(page.get("p95").asDouble()).isPositive();
              });
      assertThat(pages.get("a tenant").get("address").asText()).startsWith("/tenant?name=");
      assertThat(report.get("watched").get("viewers").asInt()).isEqualTo(3);
      assertThat(report.get("watched").get("activeShare").asDouble()).isNotNegative();
      assertThat(report.get("alone").get("statements").asInt()).isZero();
    }
  }

  @Test
  void optionsOutOfRangeAreRefused() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      assertThat(run(2, database, "--viewers", "0")).isEmpty();
    }
  }

  private static String run(int expected, TestDatabase database, String... options) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    List<String> where = List.of("bench", "dashboard", "--jdbc-url", database.jdbcUrl());
    int code =
        RotaCommand.run(
            Stream.of(where, SMALL, List.of(options)).flatMap(List::stream).toArray(String[]::new),
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8));
    assertThat(code).as(err.toString(UTF_8)).isEqualTo(expected);
    return out.toString(UTF_8);
  }
}
