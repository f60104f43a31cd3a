package dev.rota.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.limits.Rate;
import dev.rota.limits.internal.RateBudget.Answer;
import dev.rota.limits.internal.RateBudget.Demand;
import dev.rota.limits.internal.RateBudget.Leased;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when starts may be used, and which are asked for, at times that the test sets. */
class RateBudgetTest {

  private static final double STEP_MICROS = 10_000;

  private final RateBudget budget =
      new RateBudget(
          new ScopeLimits.Key(0, "mail"), Rate.of(100, Duration.ofSeconds(1)), millis(0));

  @Test
  void aStartIsUsedNeitherBeforeItsTimeNorLate() {
    lease(0, new Leased(1, 5_000 - STEP_MICROS));
    assertThat(budget.hasStart(millis(4))).isFalse();
    assertThat(budget.hasStart(millis(5))).isTrue();
    assertThat(budget.hasStart(millis(75))).isTrue();
    assertThat(budget.hasStart(millis(76))).isFalse();
  }

  @Test
  void startsOfABurstAreGoodFromTheirLeaseOn() {
    lease(0, new Leased(3, -8 * STEP_MICROS));
    for (int i = 0; i < 3; i++) {
      assertThat(budget.hasStart(millis(60))).isTrue();
      budget.take();
    }
    assertThat(budget.hasStart(millis(60))).isFalse();
  }

  @Test
  void aLateAnswerLeavesLessTime() {
    Demand demand = Objects.requireNonNull(demand(0));
    Leased leased = new Leased(2, -2 * STEP_MICROS);
    budget.accept(demand, leased, new Answer(millis(40), millis(40)));
    assertThat(budget.hasStart(millis(70))).isTrue();
    assertThat(budget.hasStart(millis(71))).isFalse();
    budget.accept(demand, leased, new Answer(millis(300), millis(200)));
    assertThat(budget.hasStart(millis(320))).isTrue();
    assertThat(budget.hasStart(millis(321))).isFalse();
  }

  @Test
  void aTaskThatWaitedForAHandlerBeginsWithAFreshStart() {
    lease(0, new Leased(2, -2 * STEP_MICROS));
    budget.take();
    assertThat(budget.isGood(millis(0), millis(60))).isTrue();
    budget.renew(millis(0), millis(60));
    assertThat(budget.hasStart(millis(60))).isFalse();
    assertThat(budget.isGood(millis(0), millis(30))).isTrue();
    assertThat(budget.isGood(millis(0), millis(60))).isFalse();
    assertThat(Objects.requireNonNull(demand(110)).back()).isEqualTo(1);
  }

  @Test
  void itLeasesOnceInATenthOfASecond() {
    lease(0, new Leased(1, 0));
    assertThat(demand(104)).isNull();
    assertThat(demand(105)).isNotNull();
    assertThat(demand(209)).isNull();
  }

  @Test
  void unusedStartsGoBackWithTheNextLease() {
    lease(0, new Leased(4, -5 * STEP_MICROS));
    budget.take();
    assertThat(budget.hasStart(millis(80))).isFalse();
    assertThat(Objects.requireNonNull(demand(110)).back()).isEqualTo(3);
    assertThat(Objects.requireNonNull(demand(220)).back()).isZero();
  }

  @Test
  void unusedStartsAreLostAfterALongTime() {
    lease(0, new Leased(4, -5 * STEP_MICROS));
    assertThat(Objects.requireNonNull(demand(400)).back()).isZero();
  }

  /** The next start may be a day away. */
  @Test
  void anUnusedStartOfASlowRateGoesBackAtOnce() {
    Rate daily = Rate.of(1, Duration.ofDays(1));
    RateBudget slow = new RateBudget(new ScopeLimits.Key(0, "mail"), daily, millis(0));
    slow.waits(5);
    slow.want(true);
    Demand demand = Objects.requireNonNull(slow.demand(millis(0)));
    slow.accept(demand, new Leased(1, -daily.stepNanos() / 1e3), new Answer(millis(0), 0));
    assertThat(slow.hasStart(millis(70))).isTrue();
    assertThat(slow.demand(millis(70))).as("no other comes today").isNull();
    assertThat(slow.hasStart(millis(400))).as("it is too old").isFalse();
    assertThat(Objects.requireNonNull(slow.demand(millis(400))).back()).isEqualTo(1);
  }

  @Test
  void aTaskThatDoesNotBeginGivesItsStartToAnother() {
    lease(0, new Leased(1, -STEP_MICROS));
    budget.take();
    assertThat(budget.hasStart(millis(1))).isFalse();
    budget.giveBack(millis(0), millis(20));
    assertThat(budget.hasStart(millis(20))).isTrue();
    budget.take();
    budget.giveBack(millis(20), millis(60));
    assertThat(budget.hasStart(millis(60))).isFalse();
    assertThat(Objects.requireNonNull(demand(110)).back()).isEqualTo(1);
  }

  @Test
  void itAsksForMoreWhereAllAreUsedAndForFewerWhereSomeAreNot() {
    budget.waits(100);
    lease(0, new Leased(8, -8 * STEP_MICROS));
    for (int i = 0; i < 8; i++) {
      budget.take();
    }
    assertThat(lease(110, new Leased(16, -16 * STEP_MICROS)).starts()).isEqualTo(16);
    budget.take();
    budget.take();
    assertThat(Objects.requireNonNull(demand(220)).starts()).isEqualTo(2);
  }

  @Test
  void startsOfAnotherRateAreNotUsed() {
    Demand former = Objects.requireNonNull(demand(0));
    budget.follow(Rate.of(2, Duration.ofSeconds(1)), millis(10));
    budget.accept(former, new Leased(5, -5 * STEP_MICROS), new Answer(millis(20), 0));
    assertThat(budget.hasStart(millis(20))).isFalse();
    assertThat(demand(99)).isNull();
    Demand slow = Objects.requireNonNull(demand(110));
    assertThat(slow.ahead()).isZero();
    budget.accept(slow, new Leased(0, -200_000), new Answer(millis(110), 0));
    // The next start comes half a second after the one before.
    assertThat(budget.nextEvent(millis(111))).isEqualTo(millis(410));
  }

  @Test
  void withoutARateEverythingBegins() {
    budget.follow(null, millis(0));
    assertThat(budget.hasStart(millis(1))).isTrue();
    assertThat(budget.room(millis(1))).isGreaterThan(1_000_000);
    assertThat(demand(500)).isNull();
  }

  private Demand lease(long atMillis, Leased leased) {
    Demand demand = Objects.requireNonNull(demand(atMillis));
    budget.accept(demand, leased, new Answer(millis(atMillis), 0));
    return demand;
  }

  private @Nullable Demand demand(long atMillis) {
    budget.waits(1);
    budget.want(true);
    return budget.demand(millis(atMillis));
  }

  private static long millis(long count) {
    return TimeUnit.MILLISECONDS.toNanos(count);
  }
}
