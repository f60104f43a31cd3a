package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.PlanTap.Plan;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.WorkerPool;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that a free member is found by its position, and never by reading or sorting all members.
 */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
@Tag("exhaustive")
class AssignmentPlanTest {

  private static final String ASSIGN = "delete from \"rota_1\".\"task_free_1\"";
  private static final int UNTIL_KEPT = 8;

  private final PlanTap tap = new PlanTap();
  @Given private RotaFixture fixture;

  private Rota tapped() {
    return fixture.closeLater(
        Rota.builder(tap.url(fixture.database()))
            .poolSize(2)
            .registryRefresh(Duration.ofMinutes(1))
            .lease(Duration.ofHours(1))
            .build());
  }

  @Test
  void aPlanMadeOverAnEmptyPoolHoldsForAFullOne() throws Exception {
    WorkerPool crawlers = tapped().tenants().register("acme").assignments().workers("crawlers");
    fixture.execute("vacuum analyze rota_1.task_free_1; ");
    for (long task = 0; task < UNTIL_KEPT; task++) {
      assertThat(crawlers.assign(task).made()).isEmpty();
    }
    crawlers.add(LongStream.range(0, 20_000).boxed().toList());
    assertPlan(crawlers, 1);

    fixture.execute("vacuum analyze rota_1.task_free_1");
    assertPlan(crawlers, 2);
  }

  /** Also when a plan was made over the empty table and serves several callers. */
  @Test
  void pairsAreFoundByTheirKeys() throws Exception {
    PairPool crews = tapped().tenants().register("acme").assignments().pairs("crews");
    fixture.execute("vacuum analyze rota_1.task_assignment_1");
    for (long task = 0; task < UNTIL_KEPT; task++) {
      assertThat(crews.release(crews.assign(task, task).made().orElseThrow())).isTrue();
    }
    fixture.execute(
        "insert into rota_1.task_assignment_1 (pool, worker, task, token, holder, assigned_at)"
            + " select 1, n, n, -n, 1, now() from generate_series(1000, 20000) n");
    assertPairPlans(crews);

    fixture.execute("vacuum analyze rota_1.task_assignment_1");
    assertPairPlans(crews);
  }

  private void assertPairPlans(PairPool crews) throws SQLException {
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

  private void assertPlan(WorkerPool crawlers, long task) throws SQLException {
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
