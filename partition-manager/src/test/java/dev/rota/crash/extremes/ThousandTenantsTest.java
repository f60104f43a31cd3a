package dev.rota.crash.extremes;

import static dev.rota.processes.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.internal.RotaFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a worker costs the server when it serves a thousand tenants. */
@CrashTest
class ThousandTenantsTest {

  private static final int TENANTS = 1_000;
  private static final int ROUNDS = 6;
  private static final int CONNECTIONS = 6;
  private static final long MOST_MEMORY = 32L << 20;
  private static final int MOST_LOCKS = 64;

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void memoryAndLocksStayBounded(int major) throws Exception {
    try (ControlledServer server = ControlledServer.start(major);
        LockCounter locks = new LockCounter(server);
        Rota rota =
            RotaFactory.build(Rota.builder(server.jdbcUrl()).poolSize(CONNECTIONS), locks)) {
      rota.migrate();
      List<Tenant> tenants = rota.tenants().registerAll(names());
      BackendMemory memory = new BackendMemory(server);
      long total = 0;
      long most = 0;
      try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
        for (int round = 0; round < ROUNDS; round++) {
          locks.setActive(round == ROUNDS - 1);
          for (Tenant tenant : tenants) {
            total += tenant.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}"))).size();
          }
          long expected = total;
          until("all are done", () -> worker.statistics().done() == expected);
        }
        Map<Integer, Long> contexts = memory.contexts();
        most = Collections.max(contexts.values());
        int largest = Collections.max(contexts.entrySet(), Map.Entry.comparingByValue()).getKey();
        long ofProcess = BackendMemory.privateBytes(largest);
        CrashRun.record(
            "thousand-tenants-" + major,
            Map.of(
                "tenants", TENANTS,
                "backends", contexts.size(),
                "mostBytesOfContexts", most,
                "privateBytesOfThatBackend", ofProcess,
                "mostLocksOfAClaim", locks.most()));
      }
      assertThat(locks.looks()).as("claims looked at").isGreaterThan(10);
      assertThat(locks.most()).as("locks of a claim").isPositive().isLessThan(MOST_LOCKS);
      assertThat(most).as("bytes of the largest backend").isLessThan(MOST_MEMORY);
    }
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < TENANTS; i++) {
      names.add("tenant " + i);
    }
    return names;
  }
}
