package dev.rota.benchmarks.rounds;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoundsTest {

  private static final Variant ROTA = new Variant("rota", Optional.empty());
  private static final Variant FLOOR = new Variant("floor", Optional.empty());

  @TempDir Path folder;

  @Test
  void everyOtherRoundHasTheOppositeOrder() throws Exception {
    List<Variant> order = new ArrayList<>();
    List<Turn> finished = new ArrayList<>();
    Rounds.play(
        3,
        List.of(ROTA, FLOOR),
        variant -> {
          order.add(variant);
          return List.of(figures(100));
        },
        finished::add);
    assertThat(order).containsExactly(ROTA, FLOOR, FLOOR, ROTA, ROTA, FLOOR);
    assertThat(finished).extracting(Turn::round).containsExactly(1, 1, 2, 2, 3, 3);
    assertThat(finished).extracting(Turn::contender).startsWith("rota", "floor", "floor");
  }

  /** The machine is twice as fast in the second round, which concerns both contenders. */
  @Test
  void ratioIsTheMedianOfThoseWithinARound() {
    List<Turn> turns = new ArrayList<>();
    double[][] rates = {{100, 200}, {220, 400}, {90, 150}};
    for (int round = 1; round <= rates.length; round++) {
      turns.add(new Turn(round, "rota", figures(rates[round - 1][0])));
      turns.add(new Turn(round, "floor", figures(rates[round - 1][1])));
    }
    Comparison comparison = Comparison.of(turns).get(0);
    assertThat(comparison.rows())
        .containsExactly(
            "| Some.shot tasks=1000 | 100 | floor 200 | 0.55 | 0.50..0.60 in 3 rounds |");
    assertThat(comparison.text().lines().toList().get(2))
        .containsSubsequence("rota", "100", "90..220", "1.00", "1.00..1.00");
    assertThat(comparison.text().lines().toList().get(3))
        .containsSubsequence("floor", "200", "150..400", "0.55", "0.50..0.60");
  }

  @Test
  void aContenderThatHasNotEndedARoundHasNoRatio() {
    List<Turn> turns =
        List.of(new Turn(2, "rota", figures(100)), new Turn(1, "floor", figures(200)));
    Comparison comparison = Comparison.of(turns).get(0);
    assertThat(comparison.rows()).isEmpty();
    assertThat(comparison.text()).contains("200..200");
  }

  @Test
  void setsOfParametersAreComparedApart() {
    BenchmarkFigures other =
        new BenchmarkFigures("Some.shot", Map.of("tasks", "10"), List.of(1.0), Map.of());
    List<Turn> turns = List.of(new Turn(1, "rota", figures(1)), new Turn(1, "rota", other));
    assertThat(Comparison.of(turns)).hasSize(2);
  }

  @Test
  void whereNoRateIsMeasuredTheTimesAreCompared() {
    BenchmarkFigures fast = timed(0.5);
    BenchmarkFigures slow = timed(2.0);
    List<Turn> turns = List.of(new Turn(1, "rota", fast), new Turn(1, "old", slow));
    assertThat(Comparison.of(turns).get(0).rows().get(0)).contains("| 4.00 |");
  }

  @Test
  void aVersionBeforeIsAContenderOfItsOwn() {
    assertThat(Variant.of(List.of("rota"), Optional.of(Path.of("/tmp/before.jar"))))
        .extracting(Variant::label)
        .containsExactly("rota", "rota, before.jar");
  }

  @Test
  void eachTurnSelectsItsContenderAndKeepsOtherOptions() {
    List<String> options = List.of("Some", "-p", "contender=rota,floor", "-p", "batch=10");
    assertThat(Variant.contenders(options)).containsExactly("rota", "floor");
    assertThat(FLOOR.select(options))
        .containsExactly("Some", "-p", "batch=10", "-p", "contender=floor");
  }

  @Test
  void aFileKeepsEveryShot() throws Exception {
    Recording recording =
        new Recording(
            "rounds Some",
            Map.of("this", "abcdef0"),
            Surroundings.machine(),
            Map.of("server_version", "18.6"),
            List.of(
                new Turn(
                    1,
                    "rota",
                    new BenchmarkFigures(
                        "Some.shot",
                        Map.of("tasks", "10"),
                        List.of(1.0, 1.5),
                        Map.of("walBytesPerTask", List.of(300.0, 301.0))))));
    Path file = folder.resolve("some.json");
    recording.write(file);
    assertThat(Recording.read(file)).isEqualTo(recording);
    assertThat(recording.machine()).containsKeys("cores", "memoryBytes", "system", "jdk");
  }

  static BenchmarkFigures figures(double rate) {
    return new BenchmarkFigures(
        "Some.shot", Map.of("contender", "some", "tasks", "1000"), List.of(1_000 / rate), Map.of());
  }

  private static BenchmarkFigures timed(double seconds) {
    return new BenchmarkFigures("Some.shot", Map.of(), List.of(seconds), Map.of());
  }
}
