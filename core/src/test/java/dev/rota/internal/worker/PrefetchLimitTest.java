package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many tasks a worker claims. */
class PrefetchLimitTest {

  private static final int HANDLERS = 32;

  private final PrefetchLimit appetite = new PrefetchLimit(HANDLERS, 1_000);

  @Test
  void aWorkerThatHasNotFinishedAnythingHoldsATaskForEachHandler() {
    assertThat(appetite.wants(10, 0)).isEqualTo(HANDLERS - 10);
    assertThat(appetite.wants(10, 0)).as("others are being claimed").isZero();
    appetite.claimed(HANDLERS - 10);
    assertThat(appetite.wants(HANDLERS, 0)).isZero();
  }

  @Test
  void asManyAgainAreClaimedOfOthersWhileEnoughIsHeld() {
    assertThat(appetite.wantsBesides(0)).isEqualTo(HANDLERS);
    assertThat(appetite.wantsBesides(0)).as("they are being claimed").isZero();
    appetite.claimedBesides(HANDLERS);
    assertThat(appetite.wantsBesides(HANDLERS - 1)).isEqualTo(1);
    appetite.claimedBesides(1);
    assertThat(appetite.wantsBesides(HANDLERS)).as("other workers get theirs").isZero();
  }
}
