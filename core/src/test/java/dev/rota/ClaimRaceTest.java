package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that consumers that claim from one tenant at the same time never share a task. */
@RotaTest
@Tag("exhaustive")
class ClaimRaceTest {

  private static final int TASKS = 30_000;
  private static final int CLAIMERS = 3;
  private static final int PRODUCED_TOGETHER = 100;

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void claimersOfOneTenantNeverShareATask() throws Exception {
    List<Rota> rotas = List.of(fixture.another(), fixture.another());
    Set<Long> produced = ConcurrentHashMap.newKeySet();
    Queue<Long> claimed = new ConcurrentLinkedQueue<>();
    List<Callable<Void>> jobs = new ArrayList<>();
    jobs.add(() -> produce(acme, produced));
    for (Rota rota : rotas) {
      Tenant tenant = rota.tenants().get("acme");
      jobs.addAll(Collections.nCopies(CLAIMERS, () -> claim(tenant, claimed)));
    }

    runTogether(jobs);

    assertThat(claimed).hasSize(TASKS);
    assertThat(Set.copyOf(claimed)).isEqualTo(Set.copyOf(produced));
    assertThat(fixture.number("select sum(tasks) from rota.task_batch where ended = 1"))
        .isEqualTo(TASKS);
    assertThat(
            fixture.number("select count(distinct id) from rota_1.task_hist_1_1 where attempt = 1"))
        .isEqualTo(TASKS);
  }

  private static Void produce(Tenant tenant, Set<Long> produced) {
    List<NewTask> tasks = Collections.nCopies(PRODUCED_TOGETHER, NewTask.of("k", "{}"));
    for (int i = 0; i < TASKS / PRODUCED_TOGETHER; i++) {
      produced.addAll(tenant.enqueueAll(tasks));
    }
    return null;
  }

  private static Void claim(Tenant tenant, Queue<Long> claimed) {
    while (claimed.size() < TASKS) {
      Batch batch = tenant.claim(ThreadLocalRandom.current().nextInt(1, 2_000));
      batch.tasks().forEach(task -> claimed.add(task.id()));
      batch.settle();
    }
    return null;
  }

  private static void runTogether(List<Callable<Void>> jobs) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(jobs.size());
    try {
      for (Future<Void> job : threads.invokeAll(jobs)) {
        job.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
