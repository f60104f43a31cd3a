package dev.rota.crash.sabotage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.interleaving.Exploration;
import dev.rota.crash.interleaving.InterleavingEnvironment;
import dev.rota.crash.interleaving.Rewriting;
import dev.rota.crash.interleaving.Scenario;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that every wrong variant breaks a rule of the scenarios. The real Rota breaks none in the
 * very order that convicted the variant, nor in some others.
 */
@CrashTest
class SabotageTest {

  private static final int MAJOR = 18;
  private static final int ORDERS = 250;
  private static final int CLEAN_ORDERS = 10;

  /** A variant with such an error of its own breaks no rule: of syntax, names, types and values. */
  private static final Pattern MISTAKE = Pattern.compile("(42|22|07|08P).*");

  private static final Map<String, Object> CAUGHT = new LinkedHashMap<>();

  static List<Sabotage> sabotages() {
    return Stream.of(
            RingSabotages.rotations(),
            RingSabotages.claims(),
            RingSabotages.looks(),
            RingSabotages.enqueues(),
            RingSabotages.promotions(),
            RingSabotages.retention(),
            RingSabotages.parkings(),
            RingSabotages.graphs(),
            LeaseSabotages.settles(),
            LeaseSabotages.leases(),
            LeaseSabotages.heartbeats(),
            LeaseSabotages.keys(),
            RewriteSabotages.places(),
            RewriteSabotages.tables(),
            RewriteSabotages.begins())
        .flatMap(List::stream)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("sabotages")
  void isCaught(Sabotage sabotage) throws Exception {
    Rewriting wrong = sabotage.wrong().get();
    Optional<Exploration.Failure> failure = explore(sabotage.sabotaged(), wrong);
    assertThat(wrong.applied()).as("how often something was changed").isPositive();
    assertThat(failure).as("what " + sabotage.sabotaged().name() + " found").isPresent();
    assertThat(failure.get().reason()).as("a broken rule, and not an error").hasNoCause();
    CAUGHT.put(
        sabotage.name(),
        Map.of(
            "breaks", sabotage.rule(),
            "caught by", sabotage.detector().name(),
            "found", String.valueOf(failure.get().reason().getMessage())));
    acquitsRota(sabotage, failure.get().schedule());
  }

  @Test
  void thereAreAtLeastTwentyOfDifferentNames() {
    assertThat(sabotages().stream().map(Sabotage::name).distinct())
        .hasSameSizeAs(sabotages())
        .hasSizeGreaterThanOrEqualTo(20);
  }

  private static Optional<Exploration.Failure> explore(Scenario scenario, Rewriting wrong)
      throws Exception {
    try (InterleavingEnvironment environment =
        InterleavingEnvironment.open(database(), scenario, wrong)) {
      Optional<Exploration.Failure> failure =
          new Exploration(environment, scenario, CrashRun.seed()).run(ORDERS);
      assertThat(environment.refusals())
          .as("what the server could not even understand")
          .noneMatch(refusal -> MISTAKE.matcher(refusal.getSQLState()).matches());
      return failure;
    }
  }

  private static void acquitsRota(Sabotage sabotage, String schedule) throws Exception {
    Scenario scenario = sabotage.detector();
    Rewriting around = sabotage.isOfScenario() ? sabotage.wrong().get() : Rewriting.NONE;
    try (InterleavingEnvironment environment =
        InterleavingEnvironment.open(database(), scenario, around)) {
      Exploration exploration = new Exploration(environment, scenario, CrashRun.seed());
      assertThat(exploration.replay(schedule)).as("Rota in the same order").isEmpty();
      assertThat(exploration.run(CLEAN_ORDERS)).as("Rota in other orders").isEmpty();
      assertThat(!sabotage.isOfScenario() || around.applied() > 0)
          .as("the same befell it")
          .isTrue();
    }
  }

  private static TestDatabase database() {
    return TestDatabase.copyOnVersion(MAJOR, "sabotage", SabotageTest::migrate);
  }

  private static void migrate(String jdbcUrl) {
    try (Rota rota = Rota.connect(jdbcUrl)) {
      rota.admin().migrate();
      rota.tenants().register("acme");
    }
  }

  @AfterAll
  static void record() throws IOException {
    CrashRun.record("sabotage", CAUGHT);
  }
}
