package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest.ClaimResult.RingState;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.worker.TenantQueue.Visit;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a worker remembers no tenants for ever. */
@RotaTest
class TenantDiscoveryTest {

  private final Flows flows = new Flows(8, 0, System::nanoTime);
  private final TenantQueues queues = new TenantQueues(1, 10, 1, flows, System::nanoTime);
  private final TenantQueue queue = queues.of(0);

  @Given private RotaFixture fixture;
  private List<Integer> tenants;
  private TenantDiscovery discovery;

  @BeforeEach
  void begin() {
    List<Tenant> registered = fixture.rota().tenants().registerAll(List.of("a", "b", "c", "d"));
    registered.forEach(tenant -> tenant.enqueueAll(List.of(NewTask.of("k", "{}"))));
    tenants = registered.stream().map(Tenant::number).toList();
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    WorkerConfig.Claiming claiming =
        new WorkerConfig.Claiming(
            10,
            1,
            Duration.ofMillis(10),
            Set.of(TaskRules.STANDARD_POOL),
            WorkerConfig.Claiming.ALL_WORKERS);
    RuleFollower rules =
        new RuleFollower(
            kernel.rules(),
            kernel.recentRules(),
            claiming,
            present -> queues.apply(present, List.of(Set.of())));
    discovery =
        new TenantDiscovery(
            kernel.database(), kernel.registry(), queues, rules, new TenantDiscovery.Pace(0, 0));
  }

  @AfterEach
  void end() {
    discovery.close();
  }

  @Test
  void tenantsWithoutTablesAreForgotten() throws Exception {
    Await.until("all are visited", () -> visitAll() == 4);
    tenants.forEach(flows::of);
    for (int tenant : tenants.subList(1, 4)) {
      fixture.execute(RotaFixture.parking(tenant));
    }
    Await.until("one is left", () -> visitAll() == 1);
    assertThat(flows.size()).isOne();
  }

  /** Looks once and visits the tenants that are due; returns how many the queue knows. */
  private int visitAll() {
    long unused = discovery.look();
    for (Visit visit : queue.take(0, 10, 1_000)) {
      queue.visited(visit, 0, RingState.EMPTY);
    }
    return queue.tenants().size();
  }
}
