package dev.rota.partition.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PausesTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @Test
  void workOfAQuarterOfTheTimeRestsThreeTimesAsLong() {
    assertThat(Pauses.afterWorkOf(SECOND, 0.25)).isEqualTo(3 * SECOND);
  }

  @Test
  void workOfAllTheTimeDoesNotRest() {
    assertThat(Pauses.afterWorkOf(SECOND, 1)).isZero();
    assertThat(Pauses.afterWork(System.nanoTime() - SECOND, 1)).isZero();
  }

  @Test
  void theSmallestShareRestsNinetyNineTimesAsLong() {
    assertThat(Pauses.afterWorkOf(SECOND, 0.01)).isEqualTo(99 * SECOND);
  }

  @Test
  void workCountsFromWhenItBegan() {
    long startedAt = System.nanoTime() - SECOND;
    assertThat(Pauses.afterWork(startedAt, 0.25)).isGreaterThanOrEqualTo(3 * SECOND);
  }
}
