package dev.rota.benchmarks.rounds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RoundsCommandTest {

  /** In the JVM of the turn, which starts sooner, also beside another run of JMH. */
  private static final List<String> TINY =
      List.of("BulkEnqueueBenchmark", "-f", "0", "-wi", "0", "-i", "2", "-p", "warmup=0");

  private static final List<String> SMALL =
      List.of("-p", "tenants=2", "-p", "batch=10", "-p", "threads=1", "-p", "tasks=100");

  private static final List<String> QUICK_JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djmh.ignoreLock=true");

  @TempDir Path folder;

  @Test
  @Tag("exhaustive")
  void aTurnIsABenchmarkInItsOwnProcess() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      BenchmarkFigures figures = run(database, "floor").get(0);
      assertThat(figures.benchmark()).isEqualTo("BulkEnqueueBenchmark.enqueue");
      assertThat(figures.parameters()).containsEntry("contender", "floor");
      assertThat(figures.seconds()).hasSize(2).allMatch(seconds -> seconds > 0 && seconds < 60);
      assertThat(figures.rate()).isPositive();
      assertThat(Surroundings.server(database.jdbcUrl())).containsKey("shared_buffers");
    }
  }

  @Test
  @Tag("exhaustive")
  void aTurnThatFailsEndsTheRoundsWithItsOutput() {
    try (TestDatabase database = TestDatabase.create()) {
      assertThatThrownBy(() -> run(database, "nothingOfThisName"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the benchmark of nothingOfThisName failed")
          .hasMessageContaining("there is no contender nothingOfThisName");
    }
  }

  @Test
  @Tag("exhaustive")
  void aFailureLeavesAFileOfTheTurnsBefore() throws Exception {
    Path file = folder.resolve("some.json");
    try (TestDatabase database = TestDatabase.create()) {
      Rounds.Server server = new GivenServer(database.jdbcUrl());
      StringWriter errors = new StringWriter();
      int code =
          Rounds.commandLine(() -> server)
              .setOut(new PrintWriter(new StringWriter()))
              .setErr(new PrintWriter(errors))
              .execute("rounds", "--json", file.toString(), "Bulk", "-p", "contender=no,nor");
      assertThat(code).isEqualTo(1);
      assertThat(errors.toString()).contains("the benchmark of no failed");
    }
    Recording recording = Recording.read(file);
    assertThat(recording.turns()).isEmpty();
    assertThat(recording.command()).isEqualTo("rounds --rounds 5 Bulk -p contender=no,nor");
    assertThat(recording.server()).containsKey("shared_buffers");
  }

  private record GivenServer(String url) implements Rounds.Server {

    @Override
    public void close() {}
  }

  private static List<BenchmarkFigures> run(TestDatabase database, String contender)
      throws Exception {
    List<String> options = new ArrayList<>(TINY);
    options.addAll(SMALL);
    return new BenchmarkProcess(database.jdbcUrl(), QUICK_JVM)
        .run(new Variant(contender, Optional.empty()), options);
  }

  @Test
  void wrongUsageIsRefusedBeforeAServerStarts() {
    assertThat(refused("rounds", "Bulk")).contains("nothing to compare", "--jar");
    assertThat(refused("rounds", "--rounds", "0", "Bulk", "-p", "contender=rota,floor"))
        .contains("--rounds is 0");
    assertThat(refused("rounds", "--jar", "missing.jar", "Bulk")).contains("no file missing.jar");
    assertThat(refused("rounds", "Bulk", "-p", "contender=rota,floor", "-f", "3"))
        .contains("rounds sets [-f] itself");
    String file = folder.resolve("missing").resolve("some.json").toString();
    assertThat(refused("rounds", "--json", file, "Bulk", "-p", "contender=rota,floor"))
        .contains("--json: there is no folder for " + file);
    assertThat(refused("rounds")).contains("BENCHMARK");
    assertThat(refused("table")).contains("FILE");
  }

  @Test
  void filesBecomeOneTable() throws Exception {
    List<Turn> turns =
        List.of(
            new Turn(1, "rota", RoundsTest.figures(810_248)),
            new Turn(1, "floor", RoundsTest.figures(942_140)));
    Recording recording = new Recording("rounds Some", Map.of(), Map.of(), Map.of(), turns);
    Path file = folder.resolve("some.json");
    recording.write(file);
    assertThat(printed("table", file.toString()))
        .startsWith("| benchmark |")
        .contains("| 810,248 | floor 942,140 | 0.86 | 0.86..0.86 in 1 round |");
  }

  @Test
  void onlyItsOwnNamesAreCommands() {
    assertThat(Rounds.isCommand("rounds", "Bulk")).isTrue();
    assertThat(Rounds.isCommand("table")).isTrue();
    assertThat(Rounds.isCommand("BulkEnqueueBenchmark", "rounds")).isFalse();
    assertThat(Rounds.isCommand()).isFalse();
  }

  private static String refused(String... args) {
    StringWriter errors = new StringWriter();
    int code = commandLine().setErr(new PrintWriter(errors)).execute(args);
    assertThat(code).as(errors.toString()).isEqualTo(2);
    return errors.toString();
  }

  private static String printed(String... args) {
    StringWriter output = new StringWriter();
    assertThat(commandLine().setOut(new PrintWriter(output)).execute(args)).isZero();
    return output.toString();
  }

  private static CommandLine commandLine() {
    return Rounds.commandLine(
        () -> {
          throw new IllegalStateException("no server is needed");
        });
  }
}
