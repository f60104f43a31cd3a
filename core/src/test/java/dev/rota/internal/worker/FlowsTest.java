package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.worker.Flows.Flow;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Tests the charges of tenants for the handlers that they use. */
class FlowsTest {

  private static final int HANDLERS = 8;
  private static final Flows.Work ONE = new Flows.Work("k", 1, false);
  private static final Offset<Double> CLOSELY = within(1e-9);

  private final AtomicLong now = new AtomicLong();
  private final Flows flows = new Flows(HANDLERS, 2, now::get);
  private final Flow whale = flows.of(1);
  private final Flow small = flows.of(2);

  @Test
  void aWeightDividesWhatIsCharged() {
    flows.apply(weights(Map.of(1, 4.0)));
    run(whale, 1_000);
    run(small, 1_000);
    assertThat(whale.tag()).isEqualTo(0.25, CLOSELY);
    assertThat(small.tag()).isEqualTo(1.0, CLOSELY);
  }

  @Test
  void tenantsThatAreNotServedAreForgottenUnlessTheirTasksWaitOrRun() {
    Map<Integer, String> besides = flows.newMap();
    List.of(1, 2, 3, 4).forEach(tenant -> besides.put(tenant, "of " + flows.of(tenant).tenant()));
    flows.waits(whale);
    Flow third = flows.of(3);
    flows.waits(third);
    Flows.Charge charge = flows.begin(third, ONE, third.tag(), flows.now());
    flows.waitsNoMore(third);
    flows.forgetAllBut(Set.of(4));
    assertThat(besides).containsOnlyKeys(1, 3, 4);
    assertThat(flows.of(1)).isSameAs(whale);
    assertThat(flows.of(3)).isSameAs(third);
    flows.end(charge, flows.now());
    flows.waitsNoMore(whale);
    flows.forgetAllBut(Set.of(4));
    assertThat(besides).containsOnlyKeys(4);
    assertThat(flows.size()).isOne();
  }

  @Test
  void aShareFollowsTheWeightsOfThoseThatWait() {
    flows.waits(whale);
    flows.waits(small);
    assertThat(flows.share(whale)).isEqualTo(0.5, CLOSELY);
    flows.apply(weights(Map.of(1, 3.0)));
    assertThat(flows.share(whale)).isEqualTo(0.75, CLOSELY);
    assertThat(flows.share(small)).isEqualTo(0.25, CLOSELY);
    flows.waitsNoMore(whale);
    flows.apply(weights(Map.of(3, 9.0)));
    flows.waits(whale);
    flows.waits(flows.of(3));
    assertThat(flows.share(flows.of(3))).as("a new one").isEqualTo(9.0 / 11, CLOSELY);
  }

  @Test
  void aLowerTierHasATenthWhileAHigherOneWantsTheRest() {
    flows.apply(tiers(Map.of(1, 1)));
    flows.waits(whale);
    flows.waits(small);
    assertThat(flows.share(whale)).isEqualTo(1, CLOSELY);
    assertThat(flows.share(small)).isEqualTo(0.1, CLOSELY);
    Flows.Charge first = flows.begin(whale, ONE, whale.tag(), flows.now());
    pass(1_000);
    flows.end(first, flows.now());
    assertThat(flows.isLowerOwed()).isTrue();
    Flows.Charge lower = flows.begin(small, ONE, small.tag(), flows.now());
    pass(100);
    flows.end(lower, flows.now());
    assertThat(flows.isLowerOwed()).as("it has had its tenth").isFalse();
    flows.waitsNoMore(whale);
    assertThat(flows.share(small)).as("nobody of the higher one is left").isEqualTo(1, CLOSELY);
  }

  @Test
  void aFlowThatMovesToAnotherTierBeginsWhereThatOneIs() {
    flows.waits(whale);
    flows.waits(small);
    Flows.Charge charge = flows.begin(whale, ONE, whale.tag(), flows.now());
    pass(5_000);
    flows.end(charge, flows.now());
    assertThat(whale.tag()).isEqualTo(5, CLOSELY);
    flows.apply(tiers(Map.of(1, 3)));
    assertThat(whale.tag()).isZero();
    assertThat(flows.share(small)).isEqualTo(0.1, CLOSELY);
    flows.apply(TaskRules.NONE);
    assertThat(flows.share(small)).isEqualTo(0.5, CLOSELY);
  }

  private static TaskRules tiers(Map<Integer, Integer> tiers) {
    return new TaskRules() {
      @Override
      public Pauses pauses(int tenant) {
        return Pauses.NONE;
      }

      @Override
      public int tier(int tenant) {
        return tiers.getOrDefault(tenant, STANDARD_TIER);
      }
    };
  }

  private static TaskRules weights(Map<Integer, Double> weights) {
    return new TaskRules() {
      @Override
      public Pauses pauses(int tenant) {
        return Pauses.NONE;
      }

      @Override
      public double weight(int tenant) {
        return weights.getOrDefault(tenant, STANDARD_WEIGHT);
      }

      @Override
      public boolean areUneven() {
        return true;
      }
    };
  }

  @Test
  void aTaskIsChargedWhatItTook() {
    flows.waits(whale);
    Flows.Charge charge = flows.begin(whale, ONE, 0, flows.now());
    assertThat(whale.tag()).isEqualTo(20e-6, CLOSELY);
    pass(3_000);
    flows.end(charge, flows.now());
    assertThat(whale.tag()).isEqualTo(3.0, CLOSELY);
  }

  @Test
  void theLongestRunOfLateIsExpectedUntilShorterOnesFollow() {
    run(whale, 1_000);
    assertThat(whale.cost("k").seconds()).isEqualTo(1.0, CLOSELY);
    run(whale, 1);
    assertThat(whale.cost("k").seconds()).isEqualTo(0.9, CLOSELY);
    assertThat(whale.cost("k").isLong()).isTrue();
    for (int i = 0; i < 40; i++) {
      run(whale, 1);
    }
    assertThat(whale.cost("k").isLong()).isFalse();
    assertThat(whale.cost("other").isLong()).isFalse();
  }

  @Test
  void tasksOfOneCallShareItsTime() {
    flows.waits(whale);
    Flows.Work work = new Flows.Work("k", 10, false);
    Flows.Charge charge = flows.begin(whale, work, 0, flows.now());
    pass(1_000);
    flows.end(charge, flows.now());
    assertThat(whale.cost("k").seconds()).isEqualTo(0.1, CLOSELY);
  }

  @Test
  void ofTasksThatRanInTurnOneIsTakenToBeTheCauseOfADelay() {
    flows.waits(whale);
    Flows.Work work = new Flows.Work("k", 10, true);
    Flows.Charge quick = flows.begin(whale, work, 0, flows.now());
    now.addAndGet(TimeUnit.MICROSECONDS.toNanos(100));
    flows.end(quick, flows.now());
    assertThat(whale.cost("k").seconds()).as("a decay of the first").isEqualTo(18e-6, CLOSELY);
    Flows.Charge slow = flows.begin(whale, work, 0, flows.now());
    pass(40);
    flows.end(slow, flows.now());
    assertThat(whale.cost("k").seconds()).isEqualTo(0.040, CLOSELY);
  }

  @Test
  void onlyCheapTasksRunTogether() {
    assertThat(whale.cost("k").together()).as("nothing is known").isEqualTo(1);
    for (int i = 0; i < 20; i++) {
      run(whale, 0);
    }
    assertThat(whale.cost("k").together()).isEqualTo(16);
    run(whale, 1);
    assertThat(whale.cost("k").together()).isEqualTo(1);
  }

  /** A late claim must not cost a tenant with a weight its share. */
  @Test
  void byWeightATenantMayBeAwayForASecond() {
    flows.apply(weights(Map.of(1, 2.0)));
    flows.waits(whale);
    run(small, 1_000);
    serveWhale(4_000);
    double tag = small.tag();
    flows.waits(small);
    assertThat(small.tag()).as("the virtual time is less than a second ahead").isEqualTo(tag);
    flows.waitsNoMore(small);
    serveWhale(100_000);
    flows.waits(small);
    // Its share is a third of the handlers.
    assertThat(whale.tag() - small.tag()).isCloseTo(HANDLERS / 3.0, within(0.1));
  }

  @Test
  void byWeightANewTenantWasNotAway() {
    flows.apply(weights(Map.of(1, 2.0)));
    flows.waits(whale);
    serveWhale(4_000);
    flows.waits(small);
    assertThat(small.tag()).isCloseTo(whale.tag(), within(0.1));
  }

  /** Claims that are late leave all handlers to the others: a second of that is made up for. */
  @Test
  void byWeightTheOthersCountThoughTheyAreAway() {
    flows.apply(weights(Map.of(1, 2.0)));
    flows.waits(whale);
    List<Flow> others = IntStream.range(10, 19).mapToObj(flows::of).toList();
    others.forEach(flows::waits);
    others.forEach(flows::waitsNoMore);
    runOnAllHandlers(whale, 500);
    run(whale, 0);
    double virtualTime = HANDLERS * 0.5 / 2;
    flows.waits(others.get(0));
    double share = (double) HANDLERS / (2 + others.size());
    assertThat(others.get(0).tag()).isCloseTo(virtualTime - share, within(0.01));
  }

  private void runOnAllHandlers(Flow flow, long millis) {
    List<Flows.Charge> charges =
        Stream.generate(() -> flows.begin(flow, ONE, flow.tag(), flows.now()))
            .limit(HANDLERS)
            .toList();
    pass(millis);
    charges.forEach(charge -> flows.end(charge, flows.now()));
  }

  @Test
  void byWeightATenantIsAloneOnceTheOthersHaveBeenAwayForAWhile() {
    flows.waits(whale);
    flows.waits(small);
    flows.waitsNoMore(small);
    assertThat(flows.isAlone()).as("where all have the same weight").isTrue();
    flows.waits(small);
    flows.apply(weights(Map.of(1, 3.0)));
    flows.waitsNoMore(small);
    assertThat(flows.isAlone()).isFalse();
    assertThat(flows.share(whale)).isEqualTo(0.75, CLOSELY);
    pass(2_000);
    assertThat(flows.isAlone()).isTrue();
    assertThat(flows.share(whale)).isEqualTo(1, CLOSELY);
  }

  private void serveWhale(long millis) {
    for (long left = millis; left > 0; left -= 100) {
      Flows.Charge charge = flows.begin(whale, ONE, whale.tag(), flows.now());
      pass(100);
      flows.end(charge, flows.now());
    }
  }

  @Test
  void aTenantThatRestedSavedNothingUp() {
    run(whale, 5_000);
    flows.waits(whale);
    flows.end(flows.begin(whale, ONE, whale.tag(), flows.now()), flows.now());
    flows.waits(small);
    assertThat(small.tag()).isEqualTo(5.0, CLOSELY);
  }

  @Test
  void ofTasksThatWereNeverSeenToEndOneIsTriedOut() {
    flows.waits(whale);
    assertThat(whale.cost("k").isLong()).isFalse();
    Flows.Charge first = flows.begin(whale, ONE, 0, flows.now());
    assertThat(whale.cost("k").isLong()).isTrue();
    flows.end(first, flows.now());
    assertThat(whale.cost("k").isLong()).isFalse();
  }

  @Test
  void longTasksLeaveHeadroomWhileOthersHaveShortOnes() {
    run(whale, 60_000);
    flows.waits(whale);
    flows.waits(small);
    flows.sawShort(small, flows.now());
    for (int i = 0; i < HANDLERS - 2; i++) {
      assertThat(flows.mayRunLong(whale.tenant())).isTrue();
      flows.begin(whale, ONE, 0, flows.now());
    }
    assertThat(flows.mayRunLong(whale.tenant())).isFalse();
    assertThat(flows.mayRunLong(small.tenant())).as("its own are no reason").isTrue();
    pass(60_000);
    assertThat(flows.mayRunLong(whale.tenant())).isTrue();
  }

  @Test
  void aWorkerThatHasJustStartedKeepsItsHeadroom() {
    run(whale, 1_000);
    flows.waits(whale);
    for (int i = 0; i < HANDLERS - 2; i++) {
      flows.begin(whale, ONE, 0, flows.now());
    }
    assertThat(flows.mayRunLong(whale.tenant())).isFalse();
    pass(60_000);
    assertThat(flows.mayRunLong(whale.tenant())).isTrue();
  }

  @Test
  void theOnlyTenantHasAllHandlers() {
    run(whale, 1_000);
    flows.waits(whale);
    flows.registered(1);
    for (int i = 0; i < HANDLERS; i++) {
      assertThat(flows.mayRunLong(whale.tenant())).isTrue();
      flows.begin(whale, ONE, 0, flows.now());
    }
    flows.registered(2);
    assertThat(flows.mayRunLong(whale.tenant())).isFalse();
  }

  @Test
  void theirPartsAreEven() {
    flows.waits(whale);
    assertThat(flows.share(whale)).isEqualTo(1.0, CLOSELY);
    assertThat(flows.isAlone()).isTrue();
    flows.waits(small);
    assertThat(flows.share(whale)).isEqualTo(0.5, CLOSELY);
    flows.waitsNoMore(small);
    assertThat(flows.share(whale)).isEqualTo(1.0, CLOSELY);
  }

  @Test
  void transactionsAreChargedAndAnswerForTheOrder() {
    flows.ran(whale.tenant(), TimeUnit.SECONDS.toNanos(2));
    flows.ran(small.tenant(), TimeUnit.SECONDS.toNanos(1));
    assertThat(flows.tag(small.tenant())).isLessThan(flows.tag(whale.tenant()));
    assertThat(flows.tag(3)).isLessThanOrEqualTo(flows.tag(small.tenant()));
  }

  private void run(Flow flow, long millis) {
    flows.waits(flow);
    Flows.Charge charge = flows.begin(flow, ONE, flow.tag(), flows.now());
    flows.waitsNoMore(flow);
    pass(millis);
    flows.end(charge, flows.now());
  }

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }
}
