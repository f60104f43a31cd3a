package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that tenants share a worker in proportion to their weights. */
@RotaTest
class WeightTest {

  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final long TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Map<String, AtomicInteger> ran = new ConcurrentHashMap<>();
  private final AtomicInteger all = new AtomicInteger();
  @Given private RotaFixture fixture;
  private Controls controls;

  @BeforeEach
  void open() {
    controls = fixture.rota().controls();
  }

  @Test
  void theLimitsOfATenantReplaceThoseOfItsPlan() {
    fixture.tenant("acme");
    assertThat(controls.changeLimits(Scope.plan("pro"), limits -> limits.weight(8)))
        .isEqualTo(Limits.none().weight(8));
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.weight(2.5));
    controls.pause(Scope.tenant("acme"), "both in one rule");
    assertThat(fixture.another().controls().rules())
        .extracting(Rule::scope, Rule::limits)
        .containsExactly(
            tuple(Scope.plan("pro"), Limits.none().weight(8)),
            tuple(Scope.tenant("acme"), Limits.none().weight(2.5)));
    controls.changeLimits(Scope.tenant("acme"), Limits::weightByDefault);
    assertThat(controls.rules().get(1).pause()).isPresent();
    controls.resume(Scope.tenant("acme"));
    controls.changeLimits(Scope.plan("pro"), limits -> Limits.none());
    assertThat(controls.rules()).isEmpty();
  }

  @Test
  void noChangeIsLost() throws Exception {
    fixture.tenant("acme");
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.weight(1));
    List<CompletableFuture<Void>> changes =
        IntStream.range(0, 8).mapToObj(i -> InBackground.run(this::addOne)).toList();
    for (CompletableFuture<Void> change : changes) {
      change.get(1, TimeUnit.MINUTES);
    }
    assertThat(controls.rules().get(0).limits().weight()).contains(9.0);
  }

  private void addOne() {
    controls.changeLimits(
        Scope.tenant("acme"), limits -> limits.weight(limits.weight().orElseThrow() + 1));
  }

  /** A worker without weights would end as many of the one as of the other. */
  @Test
  @Tag("exhaustive")
  void aWorkerFollowsTheWeightOfAPlan() throws Exception {
    Tenant pro = fixture.tenant("pro");
    Tenant free = fixture.tenant("free");
    controls.changePlan("pro", "pro");
    controls.changeLimits(Scope.plan("pro"), limits -> limits.weight(8));
    pro.enqueueAll(Collections.nCopies(1_000, TASK));
    free.enqueueAll(Collections.nCopies(1_000, TASK));
    try (Worker worker = fixture.another().worker().concurrency(1).handle("k", this::run).start()) {
      Await.atLeast("both are under way", Await.LONG, all::get, 200);
      int prosBefore = ran("pro");
      int freesBefore = ran("free");
      Await.atLeast("five hundred more", Await.LONG, all::get, 700);
      double ratio = (double) (ran("pro") - prosBefore) / (ran("free") - freesBefore);
      assertThat(ratio).isGreaterThan(1.5);
      Await.until("all done", Await.LONG, () -> worker.statistics().done(), 2_000);
    }
  }

  @Test
  @Tag("exhaustive")
  void handlersInTransactionsAreSharedByWeightAmongManyTenants() {
    List<Tenant> tenants =
        IntStream.rangeClosed(0, 10).mapToObj(i -> fixture.tenant("tenant " + i)).toList();
    controls.changeLimits(Scope.tenant("tenant 0"), limits -> limits.weight(10));
    tenants.forEach(tenant -> tenant.enqueueAll(Collections.nCopies(200, TASK)));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .concurrency(1)
            .batchSize(1)
            .handleInTransaction("k", (task, connection) -> run(task))
            .start()) {
      Await.atLeast("all are under way", Await.LONG, all::get, 40);
      int before = ran("tenant 0");
      Await.atLeast("two hundred more", Await.LONG, all::get, 240);
      // Half of the weight is its own.
      assertThat(ran("tenant 0") - before).isBetween(70, 130);
      assertThat(worker.statistics().failed()).isZero();
    }
  }

  private void run(Task task) {
    LockSupport.parkNanos(TASK_NANOS);
    ran.computeIfAbsent(task.tenant(), unused -> new AtomicInteger()).incrementAndGet();
    all.incrementAndGet();
  }

  private int ran(String tenant) {
    AtomicInteger count = ran.get(tenant);
    return count == null ? 0 : count.get();
  }
}
