package dev.rota.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.claim.ClaimMemory.ClaimBound;
import org.junit.jupiter.api.Test;

/** Tests how a claim shrinks when it does not fit into memory, and how it grows again. */
class ClaimBoundTest {

  private final ClaimBound bound = new ClaimBound();

  @Test
  void aClaimThatAloneDoesNotFitShrinksToOneRowInTwoSteps() {
    assertThat(bound.isolate(bound.rows(1_000))).isTrue();
    assertThat(bound.isWeighed()).isTrue();
    assertThat(bound.rows(1_000)).isEqualTo(1_000);
    assertThat(bound.isolate(bound.rows(1_000))).isTrue();
    assertThat(bound.rows(1_000)).isEqualTo(1);
    assertThat(bound.isolate(bound.rows(1_000))).isFalse();
  }

  @Test
  void aClaimThatDoesNotFitWithOthersIsHalved() {
    bound.lighten(bound.rows(1_000));
    bound.lighten(bound.rows(1_000));
    assertThat(bound.rows(1_000)).isEqualTo(250);
    assertThat(bound.isWeighed()).isTrue();
  }

  @Test
  void successDoublesTheRowsUntilNoBoundIsLeft() {
    assertThat(bound.isolate(1_000)).isTrue();
    assertThat(bound.isolate(1_000)).isTrue();
    for (int rows = 1; rows < 1_000; rows *= 2) {
      assertThat(bound.rows(1_000)).isEqualTo(rows);
      bound.succeeded(false, true);
    }
    assertThat(bound.rows(1_000)).isEqualTo(1_000);
  }
}
