package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.worker.ClaimLoop.ClaimSize;
import dev.rota.internal.worker.ClaimLoop.PrefetchLimit;
import org.junit.jupiter.api.Test;

/** Tests how many tasks a worker claims. */
class PrefetchLimitTest {

  private static final int HANDLERS = 32;

  private final ClaimSize size = new ClaimSize(new RegistryTables("rota"));
  private final PrefetchLimit prefetch = new PrefetchLimit(HANDLERS, 1_000, size);

  @Test
  void aWorkerThatHasNotFinishedAnythingHoldsATaskForEachHandler() {
    assertThat(prefetch.wants(10, 0, 0)).isEqualTo(HANDLERS - 10);
    assertThat(prefetch.wants(10, 0, 0)).as("others are being claimed").isZero();
    prefetch.claimed(HANDLERS - 10);
    assertThat(prefetch.wants(HANDLERS, 0, 0)).isZero();
  }

  @Test
  void asManyAgainAreClaimedOfOthersWhileEnoughIsHeld() {
    assertThat(prefetch.wantsBesides(0)).isEqualTo(HANDLERS);
    assertThat(prefetch.wantsBesides(0)).as("they are being claimed").isZero();
    prefetch.claimedBesides(HANDLERS);
    int portion = HANDLERS / 8;
    assertThat(prefetch.wantsBesides(HANDLERS - portion)).isEqualTo(portion);
    prefetch.claimedBesides(portion);
    assertThat(prefetch.wantsBesides(HANDLERS - portion + 1)).as("too few for a claim").isZero();
    assertThat(prefetch.wantsBesides(HANDLERS)).as("other workers get theirs").isZero();
  }

  @Test
  void aClaimForAFewTasksWaitsUntilItIsWorthItsCost() {
    assertThat(prefetch.wants(HANDLERS - HANDLERS / 8 + 1, 0, 0))
        .as("seven of eight held")
        .isZero();
    assertThat(prefetch.wants(HANDLERS - HANDLERS / 8, 0, 0)).isEqualTo(HANDLERS / 8);
  }

  @Test
  void aClaimOfAllTheTenantsThatOneVisitsIsAlwaysWorthIt() {
    PrefetchLimit ofSmallBatches = new PrefetchLimit(10_000, 10, size);
    int portion = size.tenants() * 10;

    assertThat(ofSmallBatches.wants(10_000 - portion + 1, 0, 0)).isZero();
    assertThat(ofSmallBatches.wants(10_000 - portion, 0, 0)).isEqualTo(portion);
  }
}
