package dev.rota.insight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PendingAgesTest {

  private final PendingAges ages = new PendingAges();

  @Test
  void aBacklogAgesFromTheFirstLook() {
    assertThat(seconds(100, 40, 7)).isZero();
    assertThat(seconds(150, 60, 10)).isEqualTo(3);
    assertThat(seconds(150, 51, 12)).as("one of the first hundred is left").isEqualTo(5);
    assertThat(seconds(150, 50, 12)).as("none of them is left").isEqualTo(2);
  }

  @Test
  void aSteadyQueueIsAsOldAsItsTasksWait() {
    // 10 tasks come and go a second; each waits for 100 seconds.
    for (int second = 1; second <= 2_000; second++) {
      double age = seconds(second * 10L, Math.min(second * 10L, 1_000), second);
      if (second > 200) {
        assertThat(age).isBetween(100 - 100 / 8.0, 100.0);
      }
    }
  }

  @Test
  void tablesAreForgottenAndCountersBeginAnew() {
    assertThat(seconds(1_000, 1_000, 0)).isZero();
    assertThat(seconds(1_000, 1_000, 60)).isEqualTo(60);
    assertThat(seconds(5, 5, 61)).as("counters after a crash of the server").isZero();
    assertThat(seconds(5, 5, 64)).isEqualTo(3);
    ages.keepOnly(Set.of());
    assertThat(seconds(9, 1, 70)).isZero();
  }

  @Test
  void tablesAreApart() {
    assertThat(seconds(10, 10, 0)).isZero();
    assertThat(ages.age(2, 10, 10, TimeUnit.SECONDS.toNanos(5))).isZero();
    ages.keepOnly(Set.of(1L));
    assertThat(seconds(10, 10, 9)).isEqualTo(9);
  }

  private double seconds(long inserted, long live, long at) {
    return ages.age(1, inserted, live, TimeUnit.SECONDS.toNanos(at)) / 1e9;
  }
}
