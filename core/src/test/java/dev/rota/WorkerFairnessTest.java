package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests how a worker finds tenants with work, and divides itself between them. */
@RotaTest
class WorkerFairnessTest {

  private static final int BACKLOG = 50_000;

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;

  @Test
  void aBacklogOfOneTenantDoesNotHoldUpTheTaskOfAnother() throws Exception {
    Tenant greedy = fixture.rota().tenants().register("greedy");
    Tenant modest = fixture.rota().tenants().register("modest");
    enqueue(greedy, BACKLOG);
    AtomicLong done = new AtomicLong();
    AtomicLong doneBefore = new AtomicLong(-1);
    CountDownLatch both = new CountDownLatch(1);
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .handle(
                "k",
                task -> {
                  long number = done.incrementAndGet();
                  if (task.tenant().equals("modest")) {
                    doneBefore.set(number);
                  } else if (number >= 1_000) {
                    both.await();
                  }
                })
            .start()) {
      Await.atLeast("the backlog is being worked off", Await.LONG, () -> done.get(), 1_000);
      long then = done.get();
      enqueue(modest, 1);
      both.countDown();
      Await.until("all done", Await.LONG, () -> worker.statistics().done(), BACKLOG + 1);
      assertThat(doneBefore.get() - then).isLessThan(BACKLOG / 2);
    }
  }

  @Test
  void aTaskThatBlocksHoldsUpNoneOfThoseTakenWithIt() throws Exception {
    Tenant acme = fixture.rota().tenants().register("acme");
    enqueue(acme, 1_000);
    CountDownLatch others = new CountDownLatch(999);
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .concurrency(2)
            .handle(
                "k",
                task -> {
                  if (task.payload().equals("waits")) {
                    others.await();
                  } else if (task.payload().equals("awaited")) {
                    others.countDown();
                  }
                })
            .start()) {
      Await.until("the worker knows that they are cheap", () -> worker.statistics().done(), 1_000);
      List<NewTask> tasks =
          IntStream.range(0, 1_000)
              .mapToObj(i -> NewTask.of("k", i == 500 ? "waits" : "awaited"))
              .toList();
      acme.enqueueAll(tasks);
      Await.until("all done", () -> worker.statistics().done(), 2_000);
    }
  }

  @Test
  void whatAPromptVisitTookIsNotLookedForAgain() throws Exception {
    Rota rota = fixture.observed(faults);
    Tenant acme = rota.tenants().register("acme");
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      for (int i = 1; i <= 100; i++) {
        int sofar = i;
        enqueue(acme, 1);
        Await.until("task " + i, () -> worker.statistics().done(), sofar);
      }
      // That their counters were seen too is known when the look after the next task has ended.
      long looks = faults.count("discover");
      Await.until("looks", () -> faults.count("discover") > looks + 2);
      assertThat(faults.count("claim")).isLessThan(150);
    }
  }

  @Test
  void tasksFoundByTheirCountersAloneAreSeenAfterPromptVisits() throws Exception {
    Tenant acme = fixture.rota().tenants().register("acme");
    try (Worker worker = fixture.rota().worker().handle("k", task -> {}).start()) {
      for (int i = 1; i <= 20; i++) {
        int sofar = 2 * i;
        enqueue(acme, 1);
        fixture.texts("select rota.enqueue('acme', 'k', '{}')");
        Await.until("round " + i, () -> worker.statistics().done(), sofar);
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void tenantsWithFewTasksShareTransactions() throws Exception {
    Rota rota = fixture.observed(faults);
    List<String> names = IntStream.range(0, 60).mapToObj(i -> "tenant " + i).toList();
    List<Tenant> tenants = rota.tenants().registerAll(names);
    tenants.forEach(tenant -> enqueue(tenant, 5));
    try (Worker worker = rota.worker().concurrency(500).handle("k", task -> {}).start()) {
      Await.until("all done", () -> worker.statistics().done(), 300);
    }
    assertThat(faults.count("open batches")).isLessThan(30);
    assertThat(fixture.number("select count(*) from rota.task_batch")).isGreaterThanOrEqualTo(60);
  }

  @Test
  void aWorkerHearsTheDoorbellOfAnotherProcess() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    Tenant acme = fixture.another().tenants().register("acme");
    ScriptedFault looked = faults.after("discover").watch();
    ScriptedFault listening = faults.after("listen").watch();
    ScriptedFault later = faults.before("discover").from(2).hold().optional();
    Rota rota = fixture.observed(faults);
    try (Worker worker =
        rota.worker()
            .pollInterval(Duration.ofMinutes(10))
            .handle("k", task -> ran.countDown())
            .start()) {
      listening.awaitReached();
      looked.awaitReached();
      acme.enqueue(NewTask.of("k", "{}"));
      assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
      later.release();
    }
  }

  @Test
  @Tag("exhaustive")
  void aWorkerWithoutADoorbellFindsWorkByTheCounters() throws Exception {
    Rota rota = fixture.observed(faults, builder -> builder.doorbell(false));
    Tenant acme = fixture.another(b -> b.doorbell(false)).tenants().register("acme");
    List<Long> delays = new ArrayList<>();
    AtomicLong ranAt = new AtomicLong();
    try (Worker worker = rota.worker().handle("k", t -> ranAt.set(System.nanoTime())).start()) {
      for (int i = 1; i <= 20; i++) {
        long number = i;
        long start = System.nanoTime();
        acme.enqueue(NewTask.of("k", "{}"));
        Await.until("done", () -> worker.statistics().done(), number);
        delays.add(Duration.ofNanos(ranAt.get() - start).toMillis());
      }
    }
    assertThat(faults.count("listen")).isZero();
    Collections.sort(delays);
    assertThat(delays.get(10)).as("median of %s ms", delays).isLessThan(1_000);
  }

  @Test
  void aTaskThatSqlEnqueuedIsFoundToo() throws Exception {
    fixture.rota().tenants().register("acme");
    try (Worker worker = fixture.rota().worker().handle("k", task -> {}).start()) {
      fixture.execute("select rota.enqueue('acme', 'k', '{}')");
      Await.until("done", () -> worker.statistics().done(), 1);
    }
  }

  private static void enqueue(Tenant tenant, int count) {
    tenant.enqueueAll(Collections.nCopies(count, NewTask.of("k", "{}")));
  }
}
