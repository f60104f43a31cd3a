package dev.rota.partition.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PausesTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @Test
  void workOfAQuarterOfTheTimeRestsThreeTimesAsLong() {
    long startedAt = System.nanoTime() - SECOND;
    assertThat(Pauses.afterWork(startedAt, 0.25)).isBetween(3 * SECOND, 60 * SECOND);
  }

  @Test
  void workOfAllTheTimeDoesNotRest() {
    assertThat(Pauses.afterWork(System.nanoTime() - SECOND, 1)).isZero();
  }

  @Test
  void theSmallestShareRestsNinetyNineTimesAsLong() {
    long startedAt = System.nanoTime() - SECOND;
    assertThat(Pauses.afterWork(startedAt, 0.01)).isGreaterThanOrEqualTo(99 * SECOND);
  }
}
