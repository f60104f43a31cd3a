package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.FaultObserver;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measures the server's cost of a worker with a thousand tenants. */
@CrashTest
class ThousandTenantsTest {

  private static final int TENANTS = 1_000;
  private static final int MOST_ROUNDS = 30;
  private static final int CONNECTIONS = 6;
  private static final long MOST_MEMORY = 32L << 20;

  /** Four claims at once may take a quarter of the locks. */
  private static final int LOCKS_PART = 16;

  private long served;

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void memoryAndLocksStayBounded(int major) throws Exception {
    Faults faults = new Faults();
    try (ControlledServer server = ControlledServer.start(major);
        LockCounter locks = new LockCounter(server);
        Rota rota =
            RotaBuilder.build(
                Rota.builder(server.jdbcUrl()).poolSize(CONNECTIONS), new FaultObserver(faults))) {
      rota.admin().migrate();
      List<Tenant> tenants = rota.tenants().registerAll(names());
      BackendMemoryUse memory = new BackendMemoryUse(server);
      try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
        int rounds = serveWhileBackendsGrow(worker, tenants, memory);
        long most = most(memory.contexts());
        long mostOfAProcess = most(memory.privateBytes());
        locks.follow(faults);
        serve(worker, tenants);
        CrashRun.record(
            "thousand-tenants-" + major,
            Map.of(
                "tenants", TENANTS,
                "rounds", rounds,
                "mostBytesOfContexts", most,
                "mostPrivateBytes", mostOfAProcess,
                "mostLocksOfAClaim", locks.most()));
        assertThat(most).as("bytes of contexts").isLessThan(MOST_MEMORY);
        assertThat(mostOfAProcess).as("private bytes").isLessThan(MOST_MEMORY);
      }
      assertThat(locks.looks()).as("claims looked at").isGreaterThan(10);
      assertThat(locks.most())
          .as("locks of a claim")
          .isPositive()
          .isLessThan(locks.all() / LOCKS_PART);
    }
  }

  /** Until the largest has seen as good as all tenants; returns how many rounds that took. */
  private int serveWhileBackendsGrow(Worker worker, List<Tenant> tenants, BackendMemoryUse memory)
      throws Exception {
    long before = 0;
    for (int round = 1; round <= MOST_ROUNDS; round++) {
      serve(worker, tenants);
      long now = most(memory.contexts());
      if (now < before * 1.01) {
        return round;
      }
      before = now;
    }
    throw new AssertionError("backends grow still, to " + before + " bytes of contexts");
  }

  private void serve(Worker worker, List<Tenant> tenants) throws Exception {
    served +=
        tenants.parallelStream()
            .mapToInt(
                tenant -> tenant.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}"))).size())
            .sum();
    Await.until("all are done", () -> worker.statistics().done(), served);
  }

  private static long most(Map<Integer, Long> bytes) {
    return Collections.max(bytes.values());
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < TENANTS; i++) {
      names.add("tenant " + i);
    }
    return names;
  }
}
