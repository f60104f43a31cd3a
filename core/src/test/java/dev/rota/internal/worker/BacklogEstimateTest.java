package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.worker.QueuedTenant.BacklogEstimate;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests how long a balance is trusted; {@link TenantQueueTest} tests the consequences. */
class BacklogEstimateTest {

  private static final long START = 1_000;

  private final BacklogEstimate balance = new BacklogEstimate();

  @Test
  void anythingMayBePendingAtFirst() {
    balance.claimed(10);
    assertThat(balance.isPositive(START)).isTrue();
  }

  @Test
  void isBelievedForTenSeconds() {
    balance.visit();
    balance.sawAll(START);
    balance.claimed(10);
    assertThat(balance.isPositive(START + TimeUnit.SECONDS.toNanos(10))).isFalse();
    assertThat(balance.isPositive(START + TimeUnit.SECONDS.toNanos(11))).isTrue();
  }

  @Test
  void isNotBelievedForLongerSinceAnotherVisitSawNothing() {
    balance.visit();
    balance.sawAll(START);
    balance.visit();
    balance.sawAll(START + TimeUnit.SECONDS.toNanos(9));
    assertThat(balance.isPositive(START + TimeUnit.SECONDS.toNanos(11))).isTrue();
  }
}
