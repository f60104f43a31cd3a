package dev.rota.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.claim.ClaimMemory.LaneHints;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that claims which leave some kinds out have hints of their own, and keep them. */
class LaneHintsTest {

  private static final long BLOCK = 500;

  private final LaneHints hints = new LaneHints(0, () -> 0);

  @BeforeEach
  void claimOfAllKinds() {
    hints.ofClaimsWithout(Set.of()).ringOf(0).advance(0, BLOCK, 10, true);
  }

  @Test
  void aSetOfKindsBeginsAtTheStart() {
    assertThat(startWithout("mail")).isZero();
  }

  @Test
  void theHintsOfASetAreKeptWhileOthersAreClaimed() {
    assertThat(startWithout("mail")).isZero();
    hints.ringOf(0).advance(0, 2 * BLOCK, 10, true);
    assertThat(startWithout()).isEqualTo(BLOCK);
    assertThat(startWithout("mail")).isEqualTo(2 * BLOCK);
  }

  @Test
  void aRollbackForgetsTheHintsOfAllSets() {
    assertThat(startWithout("mail")).isZero();
    hints.forget();
    assertThat(startWithout()).isZero();
  }

  @Test
  void onlySomeSetsAreKept() {
    for (int i = 0; i < 20; i++) {
      assertThat(startWithout("kind " + i)).isZero();
    }
    assertThat(startWithout()).isZero();
  }

  private long startWithout(String... kinds) {
    return hints.ofClaimsWithout(Set.of(kinds)).ringOf(0).start(0);
  }
}
