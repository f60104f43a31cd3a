package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.DeliveryMode;
import dev.rota.FaultObserver;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.crash.CrashTest;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import dev.rota.testing.TestDatabase;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a process which stops in the middle of a claim, as if frozen, keeps its gates only for
 * seconds.
 */
@CrashTest
class StoppedClaimTest {

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void theServerEndsAClaimThatDoesNotGoOn(int major) throws Exception {
    Faults faults = new Faults();
    // With the gate of its tenant.
    ScriptedFault claiming = faults.after("claim").times(1).hold();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (TestDatabase database = TestDatabase.onVersion(major);
        Rota rota = Rota.connect(database.jdbcUrl());
        Rota stopped =
            RotaBuilder.build(Rota.builder(database.jdbcUrl()), new FaultObserver(faults))) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      long id = acme.enqueue(NewTask.of("k", "{}"));
      Future<Batch> claim = thread.submit(() -> stopped.tenants().get("acme").claim(10));
      claiming.awaitReached();
      try (Batch nothing = acme.claim(10)) {
        assertThat(nothing.tasks()).as("tasks while the gate is kept").isEmpty();
      }
      Await.until("the task can be claimed", () -> claims(acme, id));
      claiming.release();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(claim::get)
          .withCauseInstanceOf(DatabaseException.class)
          .satisfies(e -> assertThat(((DatabaseException) e.getCause()).unavailable()).isTrue());
    } finally {
      claiming.release();
      thread.shutdownNow();
    }
  }

  /** After 35 seconds: a handler may run for 30, and is interrupted then. */
  @Test
  void theServerEndsATransactionWhoseHandlerDoesNotGoOn() throws Exception {
    Semaphore goOn = new Semaphore(0);
    CountDownLatch stopped = new CountDownLatch(1);
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      long id = acme.enqueue(NewTask.of("k", "{}"));
      try (Worker worker =
          rota.worker()
              .delivery(DeliveryMode.TRANSACTIONAL)
              .handleInTransaction(
                  "k",
                  (task, connection) -> {
                    stopped.countDown();
                    goOn.acquireUninterruptibly();
                  })
              .start()) {
        try {
          stopped.await();
          try (Batch nothing = acme.claim(10)) {
            assertThat(nothing.tasks()).as("tasks while the handler stands still").isEmpty();
          }
          Await.until("the task can be claimed", () -> claims(acme, id));
        } finally {
          goOn.release(2);
        }
        acme.enqueue(NewTask.of("k", "{}"));
        Await.until("the worker goes on", () -> worker.statistics().done(), 1);
      }
      assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 2L);
    }
  }

  private static boolean claims(Tenant tenant, long id) {
    try (Batch batch = tenant.claim(10)) {
      batch.forEach(task -> assertThat(task.id()).isEqualTo(id));
      return batch.settle().settled() == 1;
    }
  }
}
