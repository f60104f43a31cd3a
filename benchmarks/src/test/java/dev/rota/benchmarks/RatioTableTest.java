package dev.rota.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.benchmarks.rounds.BenchmarkFigures;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RatioTableTest {

  @Test
  void setsTheFirstContenderInProportionToEach() {
    String table = tableOf(shots("rota", 2.0), shots("floor", 1.0), shots("rival", 20.0));

    assertThat(lineOf(table, "rota")).containsSubsequence("rota", "500", "1.00");
    assertThat(lineOf(table, "floor")).containsSubsequence("floor", "1,000", "0.50");
    assertThat(lineOf(table, "rival")).containsSubsequence("rival", "50", "10.00");
  }

  @Test
  void takesTheMedianOfTheShots() {
    String table = tableOf(shots("rota", 1.0, 1.0, 100.0), shots("floor", 4.0, 2.0, 1.0, 1.0));

    assertThat(lineOf(table, "rota")).contains("1,000");
    assertThat(lineOf(table, "floor")).contains("750");
  }

  @Test
  void comparesOnlyWhatHasTheSameParameters() {
    String table =
        tableOf(
            finding(Map.of("contender", "rota", "batch", "10", "tasks", "1000"), 1.0),
            finding(Map.of("contender", "rota", "batch", "100", "tasks", "1000"), 0.5),
            finding(Map.of("contender", "floor", "batch", "100", "tasks", "1000"), 0.25));

    assertThat(table).contains("Some.shot batch=10 tasks=1000", "Some.shot batch=100 tasks=1000");
    assertThat(lineOf(table, "floor")).contains("4,000", "0.50");
  }

  @Test
  void setsTheCostOfDeepClaimsInProportionToThatOfFreshOnes() {
    String table =
        tableOf(
            finding(Map.of("consumed", "0", "tasks", "1000"), 1.0),
            finding(Map.of("consumed", "7000000", "tasks", "1000"), 1.1));

    assertThat(lineOf(table, "7000000")).contains("909", "1.10");
  }

  @Test
  void showsCountersBesideTheRate() {
    BenchmarkFigures finding =
        new BenchmarkFigures(
            "Some.shot",
            Map.of("contender", "rota", "tasks", "1000"),
            List.of(1.0),
            Map.of("walBytesPerTask", List.of(300.0, 310.0, 320.0)));

    assertThat(tableOf(finding)).contains("walBytesPerTask=310.0");
  }

  @Test
  void takesTheRateFromItsCounterWhereTheTimeIsGiven() {
    BenchmarkFigures finding =
        new BenchmarkFigures(
            "Some.shot",
            Map.of("contender", "rota", "seconds", "60"),
            List.of(60.0),
            Map.of("tasksPerSecond", List.of(168_000.0)));

    assertThat(lineOf(tableOf(finding), "rota")).contains("168,000");
  }

  @Test
  void leavesTheRateOpenWhereCountersAreWhatCounts() {
    BenchmarkFigures finding =
        new BenchmarkFigures(
            "Some.shot",
            Map.of("tenants", "1000"),
            List.of(10.0),
            Map.of("processPercent", List.of(1.5)));

    assertThat(finding.rate()).isNaN();
    assertThat(tableOf(finding)).contains("processPercent=1.5");
  }

  @Test
  void putsParametersInFrontWhereNothingIsCompared() {
    String table =
        tableOf(finding(Map.of("tenants", "100"), 0.5), finding(Map.of("tenants", "1000"), 2.0));

    assertThat(lineOf(table, "tenants=100")).containsSubsequence("200", "500.00 ms");
    assertThat(lineOf(table, "tenants=1000")).containsSubsequence("500", "2,000.00 ms");
    assertThat(table).doesNotContain(": this");
  }

  private static BenchmarkFigures shots(String contender, Double... seconds) {
    return finding(Map.of("contender", contender, "tasks", "1000"), seconds);
  }

  private static BenchmarkFigures finding(Map<String, String> parameters, Double... seconds) {
    return new BenchmarkFigures("Some.shot", parameters, List.of(seconds), Map.of());
  }

  private static String tableOf(BenchmarkFigures... findings) {
    return new RatioTable(List.of(findings)).text();
  }

  private static String lineOf(String table, String label) {
    return table
        .lines()
        .filter(line -> line.strip().startsWith(label + " "))
        .findFirst()
        .orElse("");
  }
}
