package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.PlanTap.Plan;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.enqueue.IntoLanes;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.Settler;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the other statements of the hot path keep their plans when the tables grow. */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
@Tag("exhaustive")
class SettlePlanTest {

  private static final String CLAIM = "delete from \"rota_1\".\"task_init_1_1\"";
  private static final int UNTIL_GENERIC = 12;

  @Given private RotaFixture fixture;

  @Test
  void statementsPlannedOverSmallTablesScanNoTableInSequence() throws Exception {
    fixture.rota().tenants().register("acme");
    PlanTap tap = new PlanTap();
    Rota rota = tapped(tap);
    for (int i = 0; i < UNTIL_GENERIC; i++) {
      useABatch(rota);
      useKinds(rota);
    }
    fill();
    tap.clear();
    useABatch(rota);
    // A batch would take from it.
    fillNextSlot();
    useKinds(rota);

    assertPlan(tap, "set state = u.state", 4, "Nested Loop", "Tid Scan on task_hist_1_1");
    assertPlan(tap, "insert into \"rota_1\".\"task_wait_1\"", 1, "Tid Scan on task_hist_1_1");
    assertPlan(tap, "with moved as", 1, "Tid Range Scan on task_hist_1_1");
    assertPlan(tap, "with due as", 1, "Index Scan using task_wait_1_run_at_idx");
    assertPlan(tap, "with due as", 1, "Tid Scan on task_wait_1");
    assertPlan(tap, "update \"rota\".\"task_batch_1\"", 5, "task_batch_1_pkey");
    assertPlan(tap, "order by id for update", 1, "task_batch_1_pkey");
    // The batch looks there as well if it has not for a second.
    int claims = tap.plansOf(CLAIM).size();
    assertThat(claims).isPositive();
    assertPlan(tap, CLAIM, claims, "Tid Range Scan on task_init_1_1", "Tid Scan on task_init_1_1");
  }

  /** Its pool's connections never change and nothing runs in the background. */
  private Rota tapped(PlanTap tap) {
    String url = tap.url(fixture.database(), "plan_cache_mode=force_generic_plan");
    return fixture.closeLater(
        Rota.builder(url)
            .poolSize(2)
            .registryRefresh(Duration.ofMinutes(1))
            .lease(Duration.ofHours(1))
            .build());
  }

  private static void useABatch(Rota rota) {
    Tenant acme = rota.tenants().get("acme");
    acme.enqueueAll(Collections.nCopies(4, NewTask.of("known", "{}")));
    Batch batch = acme.claim(4);
    batch.fail(batch.tasks().get(0), "again", Duration.ZERO);
    batch.dead(batch.tasks().get(1), "no more");
    batch.release(batch.tasks().get(2));
    assertThat(batch.settle().settled()).isEqualTo(4);
    acme.claim(1).close();
  }

  private static void useKinds(Rota rota) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    TenantRef tenant = kernel.registry().get(1);
    promote(kernel, tenant);
    ClaimedBatch kinds = claimOfKinds(kernel, tenant);
    Outcome done = Outcome.done(kinds.tasks().get(0));
    Settler settler = kernel.settler();
    Settlement interim = new Settlement(kinds, List.of(done), false);
    Settlement closing = new Settlement(kinds, List.of(), true);
    assertThat(settler.settle(List.of(interim)).owned()).hasSize(1);
    assertThat(settler.settle(List.of(closing)).owned()).hasSize(1);
  }

  private static ClaimedBatch claimOfKinds(Kernel kernel, TenantRef tenant) {
    // It looks for no unknown kinds: that would be done in the background.
    Claimer claimer =
        kernel.claimers().claimer(Set.of("known"), BatchEnd.OPEN, null, Long.MAX_VALUE);
    ClaimRequest request = new ClaimRequest(tenant, 100, 0b011, false);
    ClaimedBatch batch = claimer.claim(List.of(request)).get(0).batch();
    assertThat(batch.tasks()).hasSize(2);
    return batch;
  }

  private static void promote(Kernel kernel, TenantRef tenant) {
    int promoted =
        kernel
            .database()
            .transaction("promote", session -> session.run(IntoLanes.promotion(tenant, 100)));
    assertThat(promoted).isEqualTo(1);
  }

  private void fill() throws SQLException {
    fixture.execute(
        "insert into rota_1.task_hist_1_1 (id, batch_id, created_at, attempt, state, kind, payload)"
            + " select -n, 0, now(), 1, 1, 'k', '{}' from generate_series(1, 1000000) n");
    fixture.execute(
        "insert into rota_1.task_wait_1 (id, run_at, created_at, attempt, kind, payload)"
            + " select -n, now() + '1 day', now(), 1, 'k', '{}' from generate_series(1, 200000) n");
    fixture.execute(
        "insert into rota.task_batch_1 (id, closed_at, ended)"
            + " select -n, now(), 1 from generate_series(1, 200000) n");
  }

  private void fillNextSlot() throws SQLException {
    fixture.execute(
        "insert into rota_1.task_init_1_1 (id, created_at, attempt, kind, payload)"
            + " select -n, now(), 1, 'unknown', '{}' from generate_series(1, 200000) n");
  }

  private static void assertPlan(PlanTap tap, String statement, int runs, String... parts)
      throws SQLException {
    assertThat(tap.plansOf(statement)).as(statement).hasSize(runs);
    for (Plan plan : tap.plansOf(statement)) {
      assertThat(plan.isGenericOf(statement)).as(statement).isTrue();
      assertThat(plan.text()).as(statement).contains(parts).doesNotContain("Seq Scan");
    }
  }
}
