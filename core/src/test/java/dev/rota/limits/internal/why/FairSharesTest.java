package dev.rota.limits.internal.why;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rota.limits.internal.why.FairShares.Want;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what is due to tenants, given what all of them want. */
class FairSharesTest {

  private static final double EXACTLY = 1e-9;

  @Test
  void tenantsThatWantMoreShareByTheirWeights() {
    due(
        Map.of(1, 6.0, 2, 2.0),
        new Want(1, 3, 0, 7, true), //
        new Want(2, 1, 0, 1, true));
  }

  @Test
  void whatOneTenantDoesNotWantGoesToTheOthers() {
    due(
        Map.of(1, 1.0, 2, 4.5, 3, 4.5),
        new Want(1, 8, 0, 1, false),
        new Want(2, 1, 0, 3, true),
        new Want(3, 1, 0, 6, true));
  }

  @Test
  void aTenantThatWantsNoMoreGivesWayToOthers() {
    due(
        Map.of(1, 4.0, 2, 4.0),
        new Want(1, 1, 0, 6, false), //
        new Want(2, 1, 0, 2, true));
  }

  @Test
  void allKeepWhatTheyUseIfNoneWantsMore() {
    due(
        Map.of(1, 6.0, 2, 2.0, 3, 1.0),
        new Want(1, 1, 0, 6, false),
        new Want(2, 8, 1, 2, false),
        new Want(3, 1, -1, 1, false));
  }

  @Test
  void lowerTiersHaveATenthInTurns() {
    due(
        Map.of(1, 9.0, 2, 0.5, 3, 0.25, 4, 0.25),
        new Want(1, 1, 2, 5, true),
        new Want(2, 8, 1, 2, true),
        new Want(3, 1, 0, 2, true),
        new Want(4, 1, 0, 1, true));
  }

  @Test
  void lowerTiersHaveAllThatTheHighestLeaves() {
    due(
        Map.of(1, 2.0, 2, 7.2, 3, 0.8),
        new Want(1, 1, 2, 2, false),
        new Want(2, 1, 1, 4, true),
        new Want(3, 1, 0, 4, true));
  }

  @Test
  void nothingIsDueWhereNothingRuns() {
    due(Map.of());
    due(Map.of(1, 0.0), new Want(1, 1, 0, 0, true));
  }

  private static void due(Map<Integer, Double> expected, Want... wants) {
    Map<Integer, Double> due = FairShares.of(List.of(wants));
    assertThat(due).containsOnlyKeys(expected.keySet());
    expected.forEach(
        (tenant, part) -> assertThat(due.get(tenant)).isCloseTo(part, within(EXACTLY)));
  }
}
