package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
@Tag("exhaustive")
class DaemonUnderLoadTest {

  private static final int ROTATIONS = 30;

  private final Set<Long> enqueued = new HashSet<>();
  private final Map<Long, Integer> runs = new ConcurrentHashMap<>();

  @Given private DaemonFixture fixture;

  @Test
  void everyTaskIsSettledOnceWhileRingsAndSegmentsTurn() throws Exception {
    List<Tenant> tenants = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      tenants.add(fixture.rota().tenants().register("tenant " + i));
    }
    RotationDaemon daemon =
        fixture.daemon(settings -> settings.segmentBytes(0).keepLedger(Duration.ofSeconds(2)));
    Worker worker =
        fixture.closeLater(
            fixture
                .another()
                .worker()
                .handle("k", task -> runs.merge(task.id(), 1, Integer::sum))
                .concurrency(8)
                .batchSize(50)
                .start());
    while (!hasTurnedEnough(daemon.statistics())) {
      tenants.forEach(tenant -> enqueued.addAll(tenant.enqueueAll(tasks("k", 40))));
      Await.atLeast("they have run", () -> runs.size(), enqueued.size());
    }
    Await.until(
        "all are settled",
        () -> tenants.stream().allMatch(t -> t.history().scanStates().get(TaskState.RUNNING) == 0));
    worker.close();
    assertThat(runs.keySet()).isEqualTo(enqueued);
    assertThat(runs.values()).containsOnly(1);
    for (Tenant tenant : tenants) {
      assertThat(tenant.history().scanStates().get(TaskState.DONE)).isEqualTo(enqueued.size() / 5);
    }
  }

  private static boolean hasTurnedEnough(DaemonStatistics done) {
    return done.rotations() >= ROTATIONS
        && done.segments().opened() > 5
        && done.segments().ledgerDropped() > 0;
  }
}
