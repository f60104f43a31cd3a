package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that slots of caps go to the processes that have a use for them. */
@RotaTest
@Tag("exhaustive")
class SlotSharingTest {

  private static final int TENANTS = 8;
  private static final int FEW = 2;
  private static final long TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Map<String, Boolean> running = new ConcurrentHashMap<>();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();
  @Given private RotaFixture fixture;

  @BeforeEach
  void enqueue() {
    Scope each = Scope.plan("default").ofKind("mail");
    fixture.rota().controls().changeLimits(each, limits -> limits.concurrency(1));
    for (int i = 0; i < TENANTS; i++) {
      fixture
          .tenant("tenant" + i)
          .enqueueAll(Collections.nCopies(10_000, NewTask.of("mail", "{}")));
    }
  }

  /** The process that comes first takes all slots, and its handlers use a part of them. */
  @Test
  void aBusyProcessGivesSlotsToOneWithIdleHandlers() {
    try (Worker busy = start(FEW)) {
      Await.atLeast("it has run tasks", () -> busy.statistics().done(), 200);
      try (Worker idle = start(TENANTS)) {
        Await.until("a task of each tenant runs at a time", () -> most.get() == TENANTS);
        Await.atLeast("the other takes part", () -> idle.statistics().done(), 1);
      }
    }
  }

  /** The tenant would wait for ever. */
  @Test
  void aBusyProcessTakesAFirstSlotThatNoOtherTakes() {
    try (Worker busy = start(FEW)) {
      Await.atLeast("it has run tasks", () -> busy.statistics().done(), 200);
      fixture.tenant("late").enqueueAll(Collections.nCopies(10, NewTask.of("mail", "{}")));
      Await.until("they run", () -> late.get(), 10);
    }
  }

  /** It does not hold one, so that it cannot know whether the tenants of its pool have tasks. */
  @Test
  void aProcessOfAnotherPoolGetsATurnAtTheCapOfAKind() {
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.kind("index"), limits -> limits.concurrency(TENANTS));
    Tenant here = fixture.tenant("here");
    Tenant there = fixture.tenant("there");
    fixture.rota().controls().changeLimits(Scope.tenant("there"), limits -> limits.pool("there"));
    here.enqueueAll(Collections.nCopies(100_000, NewTask.of("index", "{}")));
    try (Worker first = indexing("default")) {
      Await.atLeast("it has all slots", () -> first.statistics().done(), 200);
      there.enqueueAll(Collections.nCopies(20, NewTask.of("index", "{}")));
      try (Worker second = indexing("there")) {
        Await.until("it has had some", () -> second.statistics().done(), 20);
      }
      assertThat(first.statistics().claimed()).as("it did not run out").isLessThan(100_000);
    }
  }

  private Worker indexing(String pool) {
    return fixture
        .another()
        .worker()
        .pools(pool)
        .concurrency(2 * TENANTS)
        .handle("index", task -> LockSupport.parkNanos(TASK_NANOS))
        .start();
  }

  private Worker start(int handlers) {
    return fixture.another().worker().concurrency(handlers).handle("mail", this::run).start();
  }

  private void run(Task task) {
    running.put(task.tenant(), true);
    most.accumulateAndGet(running.size(), Math::max);
    LockSupport.parkNanos(TASK_NANOS);
    running.remove(task.tenant());
    if (task.tenant().equals("late")) {
      late.incrementAndGet();
    }
  }
}
