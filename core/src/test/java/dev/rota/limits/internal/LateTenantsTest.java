package dev.rota.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.limits.internal.LateTenants.Counters;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which tenants wait for too long, by their counters. */
class LateTenantsTest {

  private static final int MANY = 100;

  private long nanos;
  private final LateTenants late = new LateTenants(() -> nanos);
  private int looks;
  private boolean old = true;

  @Test
  void aTenantWhoseTasksDoNotBeginIsLate() {
    assertThat(after(0, 5, 100)).isEmpty();
    assertThat(after(9, 7, 104)).as("one of the first is left").isEmpty();
    assertThat(looks).isZero();
    assertThat(after(1, 7, 104)).containsExactly(1);
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aTenantWhoseTasksBeginInTimeIsNot() {
    for (long removed = 100; removed < 1_000; removed += 50) {
      assertThat(after(9, 50, removed)).isEmpty();
    }
    assertThat(looks).isZero();
  }

  @Test
  void itIsHelpedUntilTasksBeginInTime() {
    makeLate();
    assertThat(after(5, 50, 104)).isNotEmpty();
    assertThat(after(6, 50, 150)).as("they took eleven seconds").isNotEmpty();
    assertThat(after(9, 50, 200)).as("they took nine").isEmpty();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aLookEndsHelpThatCountersDoNot() {
    makeLate();
    old = false;
    assertThat(after(10, 5, 100)).isEmpty();
    assertThat(looks).isEqualTo(2);
    assertThat(after(9, 5, 100)).isEmpty();
    assertThat(looks).as("not again soon").isEqualTo(2);
  }

  @Test
  void aTenantWithoutTasksIsForgotten() {
    makeLate();
    assertThat(late.of(Map.of(), MANY, this::look)).isEmpty();
    assertThat(after(10, 5, 100)).isEmpty();
  }

  /** A table was dropped, or the server has lost its counters. */
  @Test
  void countersThatFellBeginAnew() {
    makeLate();
    assertThat(after(10, 5, 3)).isEmpty();
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void oneRoundLooksAtSomeTenantsAlone() {
    Map<Integer, Counters> tenants = new HashMap<>();
    for (int tenant = 1; tenant <= 5; tenant++) {
      tenants.put(tenant, new Counters(1, 0));
    }
    assertThat(late.of(tenants, 3, this::look)).isEmpty();
    nanos += LateTenants.PATIENCE_NANOS;
    assertThat(late.of(tenants, 3, this::look)).hasSize(3);
    assertThat(late.of(tenants, 3, this::look)).hasSize(5);
    assertThat(looks).isEqualTo(5);
  }

  private void makeLate() {
    assertThat(after(0, 5, 100)).isEmpty();
    assertThat(after(10, 5, 100)).containsExactly(1);
  }

  private Set<Integer> after(long seconds, long pending, long removed) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
    return late.of(Map.of(1, new Counters(pending, removed)), MANY, this::look);
  }

  private boolean look(int tenant) {
    looks++;
    return old;
  }
}
