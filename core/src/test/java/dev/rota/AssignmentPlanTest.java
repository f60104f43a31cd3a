package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.PlanTap.Plan;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A free one is found by its spot, and never by reading or sorting all of them. */
class AssignmentPlanTest {

  private static final String ASSIGN = "delete from \"rota_1\".\"task_free_1\"";
  private static final int UNTIL_KEPT = 8;

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void aPlanMadeOverAnEmptyPoolHoldsForAFullOne(int version) throws Exception {
    try (RotaFixture fixture = RotaFixture.onVersion(version)) {
      PlanTap tap = new PlanTap();
      Rota rota =
          fixture.closeLater(
              Rota.builder(tap.url(fixture.database()))
                  .poolSize(2)
                  .registryRefresh(Duration.ofMinutes(1))
                  .lease(Duration.ofHours(1))
                  .build());
      WorkerPool crawlers = rota.tenants().register("acme").assignments().workers("crawlers");
      fixture.execute("vacuum analyze rota_1.task_free_1; ");
      for (long task = 0; task < UNTIL_KEPT; task++) {
        assertThat(crawlers.assign(task).made()).isEmpty();
      }
      crawlers.add(LongStream.range(0, 20_000).boxed().toList());
      assertPlan(tap, crawlers, 1);

      fixture.execute("vacuum analyze rota_1.task_free_1");
      assertPlan(tap, crawlers, 2);
    }
  }

  private static void assertPlan(PlanTap tap, WorkerPool crawlers, long task) throws SQLException {
    tap.clear();
    assertThat(crawlers.assign(task).made()).isPresent();
    List<Plan> plans = tap.plansOf(ASSIGN);
    assertThat(plans).hasSize(1);
    assertThat(plans.get(0).isOfPrepared(ASSIGN)).isTrue();
    assertThat(plans.get(0).text())
        .contains("using task_free_1_pkey", "using task_assignment_1_pkey")
        .doesNotContain("Seq Scan", "Sort", "Bitmap");
  }
}
