package dev.rota.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.limits.Limits;
import dev.rota.limits.Rate;
import dev.rota.limits.Scope;
import dev.rota.limits.internal.CapBudget.Demand;
import dev.rota.limits.internal.CapStore.Others;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a process forgets what it counted for rules that were removed, and no sooner. */
class RemovedRulesTest {

  private static final List<ScopeLimits.Key> KEYS = List.of(new ScopeLimits.Key(0, "mail"));
  private static final CapRules CAPS = caps(List.of(row(Limits.none().concurrency(2))));
  private static final CapRules NO_CAPS = caps(List.of());
  private static final ScopeLimits<Rate> RATES =
      rates(List.of(row(Limits.none().rate(10, Duration.ofSeconds(1)))));
  private static final ScopeLimits<Rate> NO_RATES = rates(List.of());
  private static final Others NONE = new Others(0, 0, 0, 0);

  private final CapBudgets slots = new CapBudgets(() -> {}, tenant -> {});
  private final RateBudgets starts = new RateBudgets(at -> {});

  @BeforeEach
  void setRules() {
    slots.apply(CAPS);
    starts.apply(RATES);
  }

  private static RuleRow row(Limits limits) {
    return new RuleRow(OptionalInt.empty(), Scope.kind("mail"), limits, Optional.empty(), null);
  }

  private static CapRules caps(List<RuleRow> rows) {
    return new CapRules(rows, tenant -> "default", Map.of());
  }

  private static ScopeLimits<Rate> rates(List<RuleRow> rows) {
    return new ScopeLimits<>(rows, tenant -> "default", Limits::rate);
  }

  @Test
  void slotsOfARemovedCapAreGivenBackFirst() {
    Bound held = slots.bound(KEYS);
    assertThat(slots.isFull(1, KEYS, false)).isTrue();
    lease(2);
    assertThat(slots.takeLeftOut()).containsExactly(1);
    slots.apply(NO_CAPS);
    assertThat(slots.bound(KEYS)).as("others may not have its slots yet").isEqualTo(held);
    lease(0);
    assertThat(slots.bound(KEYS)).as("it is forgotten").isNotEqualTo(held);
  }

  /** Leases slots of all budgets that ask for some. */
  private void lease(int granted) {
    List<CapBudget> due = slots.due();
    List<Demand> demands = slots.demands(due, Collections.nCopies(due.size(), NONE));
    assertThat(demands).hasSize(1);
    assertThat(demands.get(0).slots()).isLessThanOrEqualTo(granted);
    slots.accept(demands, Map.of(0, granted), 1);
  }

  @Test
  void aCapIsForgottenWhenItsTasksAreGone() {
    Bound held = slots.bound(KEYS);
    held.waiting(1);
    slots.apply(NO_CAPS);
    assertThat(slots.bound(KEYS)).isEqualTo(held);
    held.waiting(-1);
    slots.apply(NO_CAPS);
    assertThat(slots.bound(KEYS)).isNotEqualTo(held);
  }

  @Test
  void aRateIsForgottenWhenItsTasksAreGone() {
    Bound held = starts.bound(KEYS, RATES);
    held.waiting(1);
    starts.apply(NO_RATES);
    assertThat(starts.bound(KEYS, RATES)).as("the task counts if it comes back").isEqualTo(held);
    held.waiting(-1);
    starts.apply(RATES);
    assertThat(starts.bound(KEYS, RATES)).as("it came back").isEqualTo(held);
    starts.apply(NO_RATES);
    assertThat(starts.bound(KEYS, RATES)).isNotEqualTo(held);
  }
}
