package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FaultPlanTest {

  private static final int FAULTS = 200;
  private static final EnumSet<FaultKind> OF_OTHER_TESTS =
      EnumSet.range(FaultKind.VACUUM_FULL, FaultKind.RESTORE_BASE_BACKUP);

  @Test
  void theSameSeedGivesTheSamePlan() {
    assertThat(FaultPlan.of(7, FaultKind.usual(), FAULTS, 100))
        .isEqualTo(FaultPlan.of(7, FaultKind.usual(), FAULTS, 100));
    assertThat(FaultPlan.of(7, FaultKind.usual(), FAULTS, 100).toString())
        .isEqualTo(FaultPlan.of(7, FaultKind.usual(), FAULTS, 100).toString());
  }

  @Test
  void anotherSeedGivesAnotherPlan() {
    assertThat(FaultPlan.of(7, FaultKind.usual(), FAULTS, 100))
        .isNotEqualTo(FaultPlan.of(8, FaultKind.usual(), FAULTS, 100));
  }

  @Test
  void everyKindComesAndSomeOverlap() {
    FaultPlan plan = FaultPlan.of(7, FaultKind.usual(), FAULTS, 100);
    Set<FaultKind> kinds =
        plan.faults().stream().map(PlannedFault::kind).collect(Collectors.toSet());
    assertThat(plan.faults()).hasSize(FAULTS);
    assertThat(kinds).isEqualTo(EnumSet.complementOf(OF_OTHER_TESTS));
    assertThat(plan.faults()).anyMatch(PlannedFault::overlaps).anyMatch(each -> !each.overlaps());
  }
}
