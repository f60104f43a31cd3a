package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch.SettleResult;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the way of a task from enqueue to history, by the low-level API and by a worker. */
@RotaTest
class LifecycleTest {

  @Given private Rota rota;
  @Given private Tenant acme;

  @Test
  void claimedAndSettledByHand() {
    long id = acme.enqueue(NewTask.of("email.send", "{\"to\":\"a\"}"));

    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 1L);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(id);
      assertThat(batch.tasks().get(0).attempt()).isEqualTo(1);
      assertThat(acme.history().scanStates())
          .containsEntry(TaskState.RUNNING, 1L)
          .containsEntry(TaskState.PENDING, 0L);
      assertThat(batch.settle()).isEqualTo(new SettleResult(1, 0));
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 1L)
        .containsEntry(TaskState.RUNNING, 0L);
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::state)
        .containsExactly(TaskState.DONE);
  }

  @Test
  void workedOffByAWorker() throws InterruptedException {
    int count = 5_000;
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    CountDownLatch all = new CountDownLatch(count);
    try (Worker worker =
        rota.worker()
            .handle(
                "count",
                task -> {
                  assertThat(ran.add(task.id())).isTrue();
                  all.countDown();
                })
            .start()) {
      List<Long> ids =
          acme.enqueueAll(
              IntStream.range(0, count).mapToObj(i -> NewTask.of("count", "{}")).toList());
      assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(ran).containsExactlyInAnyOrderElementsOf(ids);
      worker.close();
      assertThat(worker.statistics()).isEqualTo(new WorkerStatistics(count, count, 0, 0, 0));
    }
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, (long) count);
  }
}
