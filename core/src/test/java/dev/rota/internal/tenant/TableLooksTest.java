package dev.rota.internal.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests producers of tenants of which the process knows nothing new, while looks get no answer. */
@Timeout(60)
@RotaTest
class TableLooksTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private RotaFixture fixture;
  private final Faults faults = new Faults();
  private ScriptedFault looks;
  private Rota rota;

  @BeforeEach
  void holdLooks() {
    rota = fixture.observed(faults, builder -> builder.poolSize(32));
    looks =
        faults
            .beforeAnyCall()
            .byThreads(thread -> thread.getName().startsWith("rota-tables"))
            .hold();
  }

  @Test
  void callersOfOneTenantShareALook() throws Exception {
    Tenant tenant = tenants(1).get(0);
    awaitStored(enqueueInBackground(IntStream.range(0, 20).mapToObj(i -> tenant).toList()));
    assertThat(looks.reached()).isOne();
  }

  @Test
  void fewThreadsLook() throws Exception {
    awaitStored(enqueueInBackground(tenants(20)));
    assertThat(looks.reached()).isBetween(1, 8);
  }

  @Test
  void noCallerWaitsWhileALookGetsNoAnswer() throws Exception {
    List<Tenant> tenants = tenants(6);
    List<CompletableFuture<Long>> stored = new ArrayList<>();
    for (Tenant tenant : tenants.subList(0, 5)) {
      stored.add(tenant.enqueueAsync(TASK));
    }
    assertThat(looks.reached()).isOne();
    awaitStored(stored);
    TenantRef last = ref(tenants.get(5));
    TablesOnDemand tables = DefaultRota.kernelOf(rota).tablesOnDemand();
    tables.anticipate(last);
    assertThat(last.isReady()).isFalse();
    looks.release();
    Await.until(
        "callers look again",
        () -> {
          tables.anticipate(last);
          return last.isReady();
        });
  }

  private static List<CompletableFuture<Long>> enqueueInBackground(List<Tenant> tenants) {
    return tenants.stream()
        .map(
            tenant ->
                CompletableFuture.supplyAsync(
                    () -> tenant.enqueueAsync(TASK).join(), work -> new Thread(work).start()))
        .toList();
  }

  private static void awaitStored(List<CompletableFuture<Long>> stored) throws Exception {
    for (CompletableFuture<Long> task : stored) {
      assertThat(task.get(30, TimeUnit.SECONDS)).isPositive();
    }
  }

  /** Registers tenants without tables, which were last read long ago. */
  private List<Tenant> tenants(int count) {
    List<Tenant> tenants =
        rota.tenants().registerAll(IntStream.range(0, count).mapToObj(i -> "tenant " + i).toList());
    tenants.forEach(this::makeStale);
    return tenants;
  }

  private void makeStale(Tenant tenant) {
    ref(tenant).readAt(System.nanoTime() - 2 * TenantRef.FRESH.toNanos());
  }

  private TenantRef ref(Tenant tenant) {
    return DefaultRota.kernelOf(rota).registry().get(tenant.number());
  }
}
