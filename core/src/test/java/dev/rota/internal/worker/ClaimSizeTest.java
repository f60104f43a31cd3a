package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.worker.ClaimLoop.ClaimSize;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how many tenants one transaction claims from, by the locks and workers of the server. */
class ClaimSizeTest {

  @ParameterizedTest
  @CsvSource({
    "100, 1, 12",
    "6400, 0, 50",
    "6400, 1, 50",
    "6400, 2, 40",
    "6400, 6, 13",
    "6400, 20, 12"
  })
  void allWorkersTogetherTakeAQuarterOfTheLocks(long locks, long workers, int tenants) {
    assertThat(ClaimSize.of(locks, workers)).isEqualTo(tenants);
  }
}
