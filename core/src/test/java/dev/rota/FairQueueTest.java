package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.testing.Await;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Tests how tenants share the handlers of one worker. */
@RotaTest
class FairQueueTest {

  private static final int HANDLERS = 8;
  private static final long TOO_LONG_TO_RUN_TOGETHER = TimeUnit.MICROSECONDS.toNanos(200);

  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final AtomicInteger blocked = new AtomicInteger();
  @Given private RotaFixture fixture;
  @Given private Tenant whale;
  @Given private Tenant small;

  @Test
  void longTasksOfOneTenantLeaveAHandlerToTheShortOnesOfAnother() throws Exception {
    try (Worker worker = worker().start();
        AutoCloseable release = mayEnd::countDown) {
      enqueue(small, "short", 1);
      Await.until("the first one has run", () -> worker.statistics().done(), 1);
      enqueue(whale, "long", 100);
      Await.until("long tasks run", () -> blocked.get() == HANDLERS - 1);
      enqueue(small, "short", 499);
      Await.until("short ones run", Await.LONG, () -> worker.statistics().done(), 500);
      assertThat(blocked).hasValue(HANDLERS - 1);
      mayEnd.countDown();
      Await.until("all done", Await.LONG, () -> worker.statistics().done(), 600);
    }
  }

  @Test
  void aTenantWithOneTaskIsServedBeforeABacklogThatWasClaimedEarlier() throws Exception {
    AtomicLong whales = new AtomicLong();
    AtomicLong at = new AtomicLong(-1);
    CountDownLatch claimed = new CountDownLatch(1);
    enqueue(whale, "turns", 1_000);
    Worker.Builder builder =
        fixture
            .rota()
            .worker()
            .concurrency(1)
            .handle(
                "turns",
                task -> {
                  if (task.tenant().equals("small")) {
                    at.set(whales.get());
                  } else if (whales.incrementAndGet() == 400) {
                    claimed.await();
                  } else {
                    LockSupport.parkNanos(TOO_LONG_TO_RUN_TOGETHER);
                  }
                });
    try (Worker worker = builder.start()) {
      Await.until("the whale runs", () -> whales.get(), 400);
      enqueue(small, "turns", 1);
      Await.until("it is claimed", () -> small.history().scanStates().get(TaskState.PENDING), 0);
      claimed.countDown();
      Await.until("all done", () -> worker.statistics().done(), 1_001);
    }
    assertThat(at.get()).isBetween(400L, 401L);
  }

  @Test
  void headroomLeavesAHandlerToLongTasks() {
    Worker.Builder builder = worker().headroom(HANDLERS);
    assertThatThrownBy(builder::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("headroom of 8")
        .hasMessageContaining("concurrency, 8");
    assertThatThrownBy(() -> worker().headroom(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  private Worker.Builder worker() {
    return fixture
        .rota()
        .worker()
        .concurrency(HANDLERS)
        .handle(
            "long",
            task -> {
              blocked.incrementAndGet();
              mayEnd.await();
            })
        .handle("short", task -> {});
  }

  private static void enqueue(Tenant tenant, String kind, int count) {
    tenant.enqueueAll(Collections.nCopies(count, NewTask.of(kind, "{}")));
  }
}
