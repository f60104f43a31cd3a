package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.spi.TaskObserver;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that finished tasks are settled when there is room again, and do not run a second time, and
 * that a transaction which takes too much room itself is made smaller.
 */
@RotaTest
class SettleWithoutRoomTest {

  private static final int REFUSALS = 3;

  /** Batches that take long, many more than one transaction settles together. */
  private static final int LONG_BATCHES = 150;

  private static final int MOST_TOGETHER = 60;
  private static final long INTERIM_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);
  private static final NewTask TASK = NewTask.of("k", "{}");

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aFullDiskLetsNothingRunTwice() throws Exception {
    ScriptedFault fullDisk = faults.before("close batches").times(REFUSALS).fail("53100");
    AtomicInteger runs = new AtomicInteger();
    Rota rota = fixture.observed(faults);
    try (Worker worker = rota.worker().handle("k", task -> runs.incrementAndGet()).start()) {
      acme.enqueue(TASK);
      Await.until("it is done", () -> worker.statistics().done(), 1);
    }
    assertThat(fullDisk.reached()).isEqualTo(REFUSALS);
    assertThat(runs).hasValue(1);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 1L)
        .containsEntry(TaskState.RUNNING, 0L);
  }

  /** The end of each task is written into a table of its tenant, whose lock needs room. */
  @Test
  void aGroupForWhoseLocksThereIsNoRoomIsSplit() throws Exception {
    List<Tenant> others =
        List.of(fixture.tenant("b"), fixture.tenant("c"), fixture.tenant("d"), fixture.tenant("e"));
    ScriptedFault settle = faults.before("close batches").hold();
    AtomicInteger refusals = refuseSeveralTenants();
    AtomicInteger runs = new AtomicInteger();
    TaskHandler handler =
        task -> {
          runs.incrementAndGet();
          throw new FatalTaskException("it never works");
        };
    try (Worker worker = fixture.observed(faults).worker().handle("k", handler).start()) {
      acme.enqueue(TASK);
      settle.awaitReached();
      others.forEach(tenant -> tenant.enqueue(TASK));
      Await.until("all have run", runs::get, others.size() + 1);
      settle.release();
      Await.until("all are settled", () -> worker.statistics().dead(), others.size() + 1);
    }
    assertThat(refusals.get()).isPositive();
    assertThat(runs).hasValue(others.size() + 1);
  }

  /** Lets the server be out of shared memory for a transaction that marks tasks of two tenants. */
  private AtomicInteger refuseSeveralTenants() {
    AtomicInteger tenants = new AtomicInteger();
    AtomicInteger refusals = new AtomicInteger();
    faults.before("close batches").tell(call -> tenants.set(0));
    faults
        .before("mark")
        .tell(
            call -> {
              if (tenants.incrementAndGet() > 1) {
                refusals.incrementAndGet();
                throw new SQLException("out of shared memory", "53200");
              }
            });
    return refusals;
  }

  @Test
  @Tag("exhaustive")
  void aTransactionTakesOutcomesOfFewBatchesThatTakeLong() throws Exception {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < LONG_BATCHES; i++) {
      tasks.add(NewTask.of("long", "{}"));
      tasks.add(NewTask.of("short", "{}"));
    }
    acme.enqueueAll(tasks);
    Together together = new Together();
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger shortRuns = new AtomicInteger();
    AtomicLong lastRun = new AtomicLong();
    ScriptedFault interim = faults.before("fence batches").hold();
    Worker.Builder builder =
        fixture
            .observed(faults, b -> b.observer(together))
            .worker()
            .concurrency(LONG_BATCHES + 10)
            .batchSize(2)
            .handle("long", task -> goOn.await())
            .handle(
                "short",
                task -> {
                  lastRun.set(System.nanoTime());
                  shortRuns.incrementAndGet();
                });
    try (Worker worker = builder.start();
        AutoCloseable unused = goOn::countDown) {
      Await.until("each batch has an outcome", shortRuns::get, LONG_BATCHES);
      interim.awaitReached();
      Await.until("all of them are due", () -> System.nanoTime() - lastRun.get() > INTERIM_NANOS);
      interim.release();
      Await.until(
          "all these outcomes are settled",
          () -> acme.history().scanStates().get(TaskState.DONE),
          LONG_BATCHES);
      assertThat(together.most).hasValueLessThanOrEqualTo(MOST_TOGETHER);
      goOn.countDown();
      Await.until("all are done", () -> worker.statistics().done(), 2 * LONG_BATCHES);
    }
  }

  /** The largest number of batches in one transaction. */
  private static final class Together implements TaskObserver {
    private final AtomicInteger most = new AtomicInteger();

    @Override
    public void settled(Settled settled) {
      most.accumulateAndGet(settled.batches(), Math::max);
    }
  }
}
