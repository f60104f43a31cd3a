package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FaultPlanTest {

  private static final int FAULTS = 200;

  @Test
  void theSameSeedGivesTheSamePlan() {
    assertThat(FaultPlan.of(7, FAULTS, 100)).isEqualTo(FaultPlan.of(7, FAULTS, 100));
    assertThat(FaultPlan.of(7, FAULTS, 100).toString())
        .isEqualTo(FaultPlan.of(7, FAULTS, 100).toString());
  }

  @Test
  void anotherSeedGivesAnotherPlan() {
    assertThat(FaultPlan.of(7, FAULTS, 100)).isNotEqualTo(FaultPlan.of(8, FAULTS, 100));
  }

  @Test
  void everyKindComesAndSomeOverlap() {
    FaultPlan plan = FaultPlan.of(7, FAULTS, 100);
    Set<FaultKind> kinds =
        plan.faults().stream().map(PlannedFault::kind).collect(Collectors.toSet());
    assertThat(plan.faults()).hasSize(FAULTS);
    assertThat(kinds).isEqualTo(EnumSet.allOf(FaultKind.class));
    assertThat(plan.faults()).anyMatch(PlannedFault::overlaps).anyMatch(each -> !each.overlaps());
  }
}
