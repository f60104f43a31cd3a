package dev.rota.benchmarks.load.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.cli.RotaCommand;
import dev.rota.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** One call of the command, and what it printed. */
record BenchCall(int code, String out, String err) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  static BenchCall of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        RotaCommand.run(args, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    return new BenchCall(code, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** A run of so many seconds, without a warm-up, whose rings turn each second. */
  static BenchCall bench(TestDatabase database, String seconds, String... options) {
    List<String> args = new ArrayList<>(List.of("bench", "--json", "--seconds", seconds));
    args.addAll(List.of("--warmup", "0", "--rotate-every", "1s"));
    args.addAll(List.of("--jdbc-url", database.jdbcUrl()));
    args.addAll(List.of(options));
    return of(args.toArray(String[]::new));
  }

  /** The report, if the command ended with this code. */
  JsonNode report(int expected) throws IOException {
    assertThat(code).as(err).isEqualTo(expected);
    assertThat(out.lines()).hasSize(1);
    return JSON.readTree(out);
  }

  static void assertIntact(JsonNode report) {
    assertThat(report.get("lost").asLong()).as(report.toString()).isZero();
    assertThat(report.get("duplicated").asLong()).isZero();
    assertThat(report.get("enqueued").asLong()).isPositive();
    assertThat(report.get("settled").asLong()).isEqualTo(report.get("enqueued").asLong());
  }
}
