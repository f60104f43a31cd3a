package dev.rota.crash.interleaving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import dev.rota.Rota;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays small scenarios in thousands of orders and checks the invariants after each step.
 *
 * <p>A failure prints the order; {@code -Drota.crash.interleaving="..."} with the printed order
 * plays that one alone.
 */
@CrashTest
class InterleavingTest {

  private static final String REPEATED = System.getProperty("rota.crash.interleaving", "");
  private static final int NEWEST = 18;
  private static final int LEAST_ORDERS = CrashRun.size(5_000, 20_000);
  private static final Map<String, Object> FIGURES = new LinkedHashMap<>();

  /** By the version of the server. */
  private static final Map<Integer, Integer> PLAYED = new TreeMap<>();

  /** A scenario on a server of a version. */
  record Case(int major, Scenario scenario) {
    @Override
    public String toString() {
      return scenario.name() + " on " + major;
    }
  }

  static Stream<Case> cases() {
    Stream<Integer> majors = CrashRun.isSoak() ? Stream.of(15, 16, 17, NEWEST) : Stream.of(NEWEST);
    List<Scenario> scenarios =
        InterleavingScenarios.all().stream().filter(InterleavingTest::isWanted).toList();
    return majors.flatMap(major -> scenarios.stream().map(scenario -> new Case(major, scenario)));
  }

  private static boolean isWanted(Scenario scenario) {
    return REPEATED.isEmpty() || Interleaving.parse(REPEATED).scenario().equals(scenario.name());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyOrderKeepsTheRules(Case each) throws Exception {
    TestDatabase database =
        TestDatabase.copyOnVersion(each.major(), "interleaving", InterleavingTest::migrate);
    try (InterleavingEnvironment environment =
        InterleavingEnvironment.open(database, each.scenario(), Rewriting.NONE)) {
      Exploration exploration = new Exploration(environment, each.scenario(), CrashRun.seed());
      if (!REPEATED.isEmpty()) {
        refuse(exploration.replay(REPEATED));
        return;
      }
      long startedAt = System.nanoTime();
      Optional<Exploration.Failure> failure = exploration.run(CrashRun.size(260, 1_000));
      FIGURES.put(
          each.toString(), figures(exploration, environment, System.nanoTime() - startedAt));
      PLAYED.merge(each.major(), exploration.orders(), Integer::sum);
      refuse(failure);
      assertThat(exploration.orders()).isGreaterThan(10);
    }
  }

  private static void refuse(Optional<Exploration.Failure> failure) {
    failure.ifPresent(
        found ->
            fail(
                "%s%nafter these steps, which -Drota.crash.interleaving=\"...\" plays again:%n%s"
                    .formatted(found.reason().getMessage(), found.schedule()),
                found.reason()));
  }

  private static Map<String, Object> figures(
      Exploration exploration, InterleavingEnvironment environment, long nanos) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("orders", exploration.orders());
    figures.put("plays", exploration.plays());
    figures.put("steps", exploration.steps());
    figures.put("steps under a lock, not looked at", environment.unseen());
    figures.put("all within the bound", exploration.isComplete());
    figures.put("seconds", Math.round(nanos / 1e8) / 10.0);
    return figures;
  }

  private static void migrate(String jdbcUrl) {
    try (Rota rota = Rota.connect(jdbcUrl)) {
      rota.admin().migrate();
      rota.tenants().register("acme");
    }
  }

  /** One that failed, or was asked for alone, leaves the numbers what they are. */
  @AfterAll
  static void recordAndJudge() throws IOException {
    boolean whole = REPEATED.isEmpty() && FIGURES.size() == cases().count();
    PLAYED.forEach((major, orders) -> FIGURES.put("orders on " + major, orders));
    CrashRun.record("interleavings", FIGURES);
    if (whole) {
      assertThat(PLAYED.values())
          .as("orders on each version: " + PLAYED)
          .allMatch(orders -> orders >= LEAST_ORDERS);
    }
  }
}
