package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.PlanTap.Plan;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.WorkerPool;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a free member is found by its position, and never by reading or sorting all members.
 */
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

  /** Also when a plan was made over the empty table and serves several callers. */
  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void pairsAreFoundByTheirKeys(int version) throws Exception {
    try (RotaFixture fixture = RotaFixture.onVersion(version)) {
      PlanTap tap = new PlanTap();
      Rota rota =
          fixture.closeLater(
              Rota.builder(tap.url(fixture.database()))
                  .poolSize(2)
                  .registryRefresh(Duration.ofMinutes(1))
                  .lease(Duration.ofHours(1))
                  .build());
      PairPool crews = rota.tenants().register("acme").assignments().pairs("crews");
      fixture.execute("vacuum analyze rota_1.task_assignment_1");
      for (long task = 0; task < UNTIL_KEPT; task++) {
        assertThat(crews.release(crews.assign(task, task).made().orElseThrow())).isTrue();
      }
      fixture.execute(
          "insert into rota_1.task_assignment_1 (pool, worker, task, token, holder, assigned_at)"
              + " select 1, n, n, -n, 1, now() from generate_series(1000, 20000) n");
      assertPairPlans(tap, crews);

      fixture.execute("vacuum analyze rota_1.task_assignment_1");
      assertPairPlans(tap, crews);
    }
  }

  private static void assertPairPlans(PlanTap tap, PairPool crews) throws SQLException {
    tap.clear();
    assertThat(crews.release(crews.assign(1, 1).made().orElseThrow())).isTrue();
    for (String statement :
        List.of(
            "insert into \"rota_1\".\"task_assignment_1\"",
            "delete from \"rota_1\".\"task_assignment_1\"")) {
      List<Plan> plans = tap.plansOf(statement);
      assertThat(plans).hasSize(1);
      assertThat(plans.get(0).isOfPrepared(statement)).isTrue();
      assertThat(plans.get(0).text())
          .contains("using task_assignment_1_pkey")
          .doesNotContain("Seq Scan", "Merge Join", "Bitmap")
          .doesNotContainPattern("Rows Removed by Filter: \\d\\d");
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
