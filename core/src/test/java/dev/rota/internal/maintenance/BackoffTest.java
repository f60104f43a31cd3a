package dev.rota.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @Test
  void workOfAQuarterOfTheTimeRestsThreeTimesAsLong() {
    assertThat(Backoff.afterWorkOf(SECOND, 0.25)).isEqualTo(3 * SECOND);
  }

  @Test
  void workOfAllTheTimeDoesNotRest() {
    assertThat(Backoff.afterWorkOf(SECOND, 1)).isZero();
    assertThat(Backoff.afterWork(System.nanoTime() - SECOND, 1)).isEqualTo(Duration.ZERO);
  }

  @Test
  void theSmallestShareRestsNinetyNineTimesAsLong() {
    assertThat(Backoff.afterWorkOf(SECOND, 0.01)).isEqualTo(99 * SECOND);
  }

  @Test
  void workCountsFromWhenItBegan() {
    long startedAt = System.nanoTime() - SECOND;
    assertThat(Backoff.afterWork(startedAt, 0.25)).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void retriesComeMoreRarelyUpToABound() {
    assertThat(Backoff.beforeRetry(1)).isBetween(SECOND * 7 / 16, SECOND * 9 / 16);
    assertThat(Backoff.beforeRetry(3)).isBetween(SECOND * 7 / 4, SECOND * 9 / 4);
    assertThat(Backoff.beforeRetry(1_000)).isBetween(SECOND * 105 / 2, SECOND * 135 / 2);
    assertThat(Backoff.beforeRetry(1_000, Duration.ofSeconds(8))).isBetween(7 * SECOND, 9 * SECOND);
  }
}
