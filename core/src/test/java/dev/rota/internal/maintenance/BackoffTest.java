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
}
