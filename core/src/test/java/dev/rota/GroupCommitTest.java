package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that single enqueues of many threads and tenants share transactions. */
@Timeout(60)
@RotaTest
class GroupCommitTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private static RotaFixture fixture;

  @Test
  @Tag("exhaustive")
  void thirtyTwoThreadsShareTransactions() throws Exception {
    int threads = 32;
    int each = 200;
    Faults faults = new Faults();
    ScriptedFault commits = faults.before("commit").inTransactionOf("enqueue").watch();
    List<Tenant> tenants =
        fixture
            .observed(faults)
            .tenants()
            .registerAll(IntStream.range(0, 40).mapToObj(i -> "shared " + i).toList());
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    List<Long> ids = new ArrayList<>();
    try {
      List<Callable<List<Long>>> producers = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int first = thread;
        producers.add(
            () ->
                IntStream.range(0, each)
                    .mapToObj(i -> tenants.get((first + i) % tenants.size()).enqueue(TASK))
                    .toList());
      }
      for (Future<List<Long>> producer : executor.invokeAll(producers)) {
        ids.addAll(producer.get());
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(ids).hasSize(threads * each).doesNotHaveDuplicates();
    List<Long> stored = new ArrayList<>();
    for (Tenant tenant : tenants) {
      stored.addAll(claimAll(tenant));
    }
    assertThat(stored).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(commits.reached()).isPositive().isLessThan(threads * each / 2);
  }

  @Test
  void asynchronousTasksShareEvenFewer() {
    Faults faults = new Faults();
    ScriptedFault commits = faults.before("commit").inTransactionOf("enqueue").watch();
    Tenant tenant = fixture.observed(faults).tenants().register("async");
    List<CompletableFuture<Long>> futures =
        IntStream.range(0, 5_000).mapToObj(i -> tenant.enqueueAsync(TASK)).toList();
    List<Long> ids = futures.stream().map(CompletableFuture::join).toList();
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(claimAll(tenant)).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(commits.reached()).isLessThan(1_000);
  }

  @Test
  void aFutureCompletesOnlyAfterItsCommit() throws Exception {
    Faults faults = new Faults();
    ScriptedFault commit = faults.before("commit").inTransactionOf("enqueue").hold();
    Tenant tenant = fixture.observed(faults).tenants().register("after commit");
    CompletableFuture<Boolean> visible;
    try (Connection other = fixture.database().connect()) {
      String count = "select count(*) from rota_%1$d.task_init_%1$d".formatted(tenant.number());
      visible =
          tenant
              .enqueueAsync(TASK)
              .thenApply(
                  id -> {
                    try {
                      return RotaFixture.texts(other, count).equals(List.of("1"));
                    } catch (java.sql.SQLException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      commit.awaitReached();
      assertThat(visible).isNotDone();
      commit.release();
      assertThat(visible.get(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void whatTheCallerDoesOnCompletionDoesNotHoldUpOthers() throws Exception {
    Semaphore mayBeStored = new Semaphore(0);
    Faults faults = new Faults();
    faults.before("enqueue").always().run(mayBeStored::acquireUninterruptibly);
    Tenant tenant = fixture.observed(faults).tenants().register("slow callback");
    CountDownLatch free = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    List<CompletableFuture<Void>> slow = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      slow.add(
          tenant
              .enqueueAsync(TASK)
              .thenAccept(
                  id -> {
                    begun.countDown();
                    joinUninterruptibly(free);
                  }));
      // A callback that comes after the end runs on the thread that brings it.
      mayBeStored.release();
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    }
    mayBeStored.release(10);
    for (int i = 0; i < 10; i++) {
      assertThat(tenant.enqueue(TASK)).isPositive();
    }
    assertThat(slow).noneMatch(CompletableFuture::isDone);
    free.countDown();
    for (CompletableFuture<Void> callback : slow) {
      callback.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void aStageMayWaitForAnotherFutureOfItsCommit() throws Exception {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    Tenant tenant = RotaFixture.tenant(rota, "waiting stage");
    ScriptedFault writers = faults.before("enqueue").hold();
    List<CompletableFuture<Long>> before = new ArrayList<>();
    for (int writer = 1; writer <= 2; writer++) {
      before.add(tenant.enqueueAsync(TASK));
      writers.awaitReached(writer);
    }
    CompletableFuture<Long> first = tenant.enqueueAsync(TASK);
    CompletableFuture<Long> second = tenant.enqueueAsync(TASK);
    CompletableFuture<Long> third = tenant.enqueueAsync(TASK);
    CompletableFuture<Long> both = first.thenApply(id -> id + second.join());
    CompletableFuture<Long> all = second.thenApply(id -> id + third.join());
    writers.release();
    assertThat(third.get(30, TimeUnit.SECONDS)).isPositive();
    assertThat(both.get(30, TimeUnit.SECONDS)).isEqualTo(first.join() + second.join());
    assertThat(all.get(30, TimeUnit.SECONDS)).isEqualTo(second.join() + third.join());
    assertThat(before).allMatch(future -> future.join() > 0);
  }

  @Test
  void whenMemoryIsFullAProducerWaits() throws Exception {
    Faults faults = new Faults();
    ScriptedFault store = faults.before("enqueue").hold();
    Rota rota = fixture.observed(faults, builder -> builder.asyncMemory(1 << 20));
    Tenant tenant = rota.tenants().register("full");
    NewTask large = NewTask.of("k", "x".repeat(65_536));
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      futures.add(tenant.enqueueAsync(large));
    }
    CompletableFuture<Thread> eighth = new CompletableFuture<>();
    CountDownLatch accepted = new CountDownLatch(1);
    Thread producer =
        new Thread(
            () -> {
              eighth.complete(Thread.currentThread());
              futures.add(tenant.enqueueAsync(large));
              accepted.countDown();
            });
    producer.start();
    Await.until("the producer waits", () -> eighth.join().getState() == Thread.State.WAITING);
    assertThat(accepted.getCount()).isOne();
    assertThat(futures).hasSize(7).noneMatch(CompletableFuture::isDone);

    store.awaitReached();
    store.release();
    assertThat(accepted.await(30, TimeUnit.SECONDS)).isTrue();
    for (CompletableFuture<Long> future : futures) {
      assertThat(future.get(30, TimeUnit.SECONDS)).isPositive();
    }
    assertThat(claimAll(tenant)).hasSize(8);
  }

  private static List<Long> claimAll(Tenant tenant) {
    try (Batch batch = tenant.claim(10_000)) {
      batch.settle();
      return batch.tasks().stream().map(Task::id).toList();
    }
  }

  private static void joinUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
