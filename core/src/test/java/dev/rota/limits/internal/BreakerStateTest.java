package dev.rota.limits.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.claim.TaskRules.Attempts;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.limits.Breaker;
import dev.rota.limits.internal.BreakerRules.Trip;
import dev.rota.limits.internal.BreakerState.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when a breaker trips, and what it lets begin, by a clock of the test. */
class BreakerStateTest {

  private static final Breaker RULE =
      Breaker.at(0.5).of(4).within(Duration.ofSeconds(10)).pauseFor(Duration.ofSeconds(5));
  private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

  private long now;
  private int calls;
  private final BreakerState state = new BreakerState(() -> calls++, () -> now);

  @BeforeEach
  void setRule() {
    state.follow(RULE, null);
  }

  private void run(String... errors) {
    for (String error : errors) {
      requireNonNull(state.begin(1)).ended(List.of(outcome(error)));
    }
  }

  private static Outcome outcome(String error) {
    AttemptStateCode code =
        error.isEmpty()
            ? AttemptStateCode.DONE
            : error.equals("cancelled") ? AttemptStateCode.CANCELLED : stateOf(error);
    return new Outcome(null, code, error, Duration.ZERO, null);
  }

  private static AttemptStateCode stateOf(String error) {
    return error.equals("held")
        ? AttemptStateCode.RELEASED
        : error.startsWith("dev.rota.Fatal") ? AttemptStateCode.DEAD : AttemptStateCode.FAILED;
  }

  @Test
  void itTripsAtTheRateWithTheErrorThatCameMostOften() {
    run("", "b\n\tat Frame", "a", "");
    assertThat(state.change()).as("2 of 4 of at least 4, but the last one succeeded").isNull();
    run("a");
    Change change = requireNonNull(state.change());
    assertThat(change.reason()).isEqualTo("3 of 5 attempts failed, most often with: a");
    assertThat(change.pause()).isEqualTo(RULE.pause());
    assertThat(change.seen()).isNull();
    assertThat(state.begin(1)).as("in force at once").isNull();
  }

  @Test
  void fewerThanTheMinimumDoNotTripIt() {
    run("a", "a", "a");
    assertThat(state.change()).isNull();
    now += Duration.ofSeconds(12).toNanos();
    run("a", "a", "a");
    assertThat(state.change()).as("the first ones are too old").isNull();
    run("a");
    assertThat(state.change()).isNotNull();
  }

  @Test
  void aLowRateDoesNotTripIt() {
    for (int i = 0; i < 100; i++) {
      run("", "", "a");
    }
    assertThat(state.change()).isNull();
  }

  @Test
  void whatSaysNothingAboutTheKindDoesNotCount() {
    for (int i = 0; i < 10; i++) {
      run("cancelled", "held", "dev.rota.FatalTaskException: bad address");
    }
    run("a", "a", "a");
    assertThat(state.change()).isNull();
  }

  @Test
  void noMoreBeginThanAreNeededWhileAllFail() {
    List<Attempts> begun = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      begun.add(requireNonNull(state.begin(1)));
    }
    assertThat(state.begin(1)).as("nothing has failed yet").isNotNull();
    begun.get(0).ended(List.of(outcome("a")));
    assertThat(state.begin(1)).isNull();
    assertThat(state.leavesOut(7)).isTrue();
    assertThat(state.takeLeftOut()).isEmpty();
    begun.get(1).ended(List.of(outcome("")));
    begun.get(2).ended(List.of(outcome("")));
    assertThat(state.begin(1)).as("1 of 3 failed").isNotNull();
    assertThat(state.takeLeftOut()).containsExactly(7);
    assertThat(state.isPending()).isFalse();
  }

  @Test
  void moreBeginAgainWhenTheFailuresAreOld() {
    Attempts runs = requireNonNull(state.begin(3));
    run("a");
    assertThat(state.begin(1)).isNull();
    now += Duration.ofSeconds(12).toNanos();
    assertThat(state.begin(1)).isNotNull();
    runs.ended(List.of());
  }

  @Test
  void itIsClosedByEnoughSuccessesInARow() {
    state.follow(RULE, new Trip(AT, true));
    assertThat(state.begin(1)).isNull();
    state.follow(RULE, new Trip(AT, false));
    run("", "", "held");
    assertThat(state.change()).isNull();
    run("");
    Change change = requireNonNull(state.change());
    assertThat(change.pause()).isNull();
    assertThat(change.seen()).isEqualTo(AT);
    state.follow(RULE, null);
    state.written(change);
    assertThat(state.change()).isNull();
    run("", "a", "a");
    assertThat(state.change()).as("it counts anew").isNull();
  }

  @Test
  void oneFailureOfATryPausesAgain() {
    state.follow(RULE, new Trip(AT, false));
    Attempts late = requireNonNull(state.begin(1));
    run("", "a");
    Change change = requireNonNull(state.change());
    assertThat(change.seen()).isEqualTo(AT);
    assertThat(change.pause()).isEqualTo(RULE.pause());
    assertThat(state.begin(1)).isNull();
    late.ended(List.of(outcome("")));
    assertThat(state.change()).isEqualTo(change);
    state.follow(RULE, new Trip(AT.plusSeconds(6), true));
    state.written(change);
    state.follow(RULE, new Trip(AT.plusSeconds(6), false));
    assertThat(state.begin(1)).isNotNull();
  }

  @Test
  void attemptsThatBeganBeforeATripSayNothing() {
    Attempts before = requireNonNull(state.begin(1));
    Attempts failing = requireNonNull(state.begin(1));
    state.follow(RULE, new Trip(AT, true));
    state.follow(RULE, new Trip(AT, false));
    failing.ended(List.of(outcome("a")));
    assertThat(state.change()).isNull();
    before.ended(List.of(outcome(""), outcome(""), outcome(""), outcome("")));
    assertThat(state.change()).isNull();
  }

  @Test
  void aChangeThatIsNotWrittenYetStaysInForce() {
    run("a", "a", "a", "a");
    Change change = requireNonNull(state.change());
    state.follow(RULE, null);
    assertThat(state.begin(1)).as("others do not know of it").isNull();
    state.written(change);
    assertThat(state.begin(1)).as("its breaker was changed meanwhile").isNotNull();
  }

  @Test
  void anotherRuleBeginsAnew() {
    run("a", "a", "a");
    state.follow(RULE.probes(9), null);
    run("a", "a", "a");
    assertThat(state.change()).isNull();
    run("a");
    assertThat(state.change()).isNotNull();
    state.follow(null, null);
    assertThat(state.change()).isNull();
    run("a", "a", "a", "a");
    assertThat(state.change()).as("without a rule").isNull();
  }

  @Test
  void itIsOverWithoutARuleOnceNoTenantWaitsForIt() {
    run("a", "a", "a");
    assertThat(state.isOver()).isFalse();
    Attempts last = requireNonNull(state.begin(1));
    assertThat(state.leavesOut(1)).as("four of four attempts may fail").isTrue();
    state.follow(null, null);
    assertThat(state.isOver()).as("a tenant is to be visited").isFalse();
    assertThat(state.takeLeftOut()).containsExactly(1);
    assertThat(state.isOver()).isTrue();
    last.ended(List.of(outcome("a")));
    assertThat(state.isOver()).isTrue();
  }
}
