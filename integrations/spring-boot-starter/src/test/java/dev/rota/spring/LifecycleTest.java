package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests when worker and daemon start and stop, and that a stop is graceful. */
class LifecycleTest {

  private final TestDatabase database = Contexts.migrated();

  /** A handler that runs until it is told to end. */
  static class Slow {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile boolean interrupted;

    @RotaHandler("slow")
    void run() throws InterruptedException {
      begun.countDown();
      try {
        end.await();
      } catch (InterruptedException e) {
        interrupted = true;
        throw e;
      }
    }
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theWorkerStartsLastAndStopsFirst() {
    Contexts.over(database)
        .withBean(Slow.class)
        .run(
            context -> {
              int worker = context.getBean(WorkerLifecycle.class).getPhase();
              int daemon = context.getBean(DaemonLifecycle.class).getPhase();
              assertThat(worker).isGreaterThan(daemon);
              assertThat(daemon)
                  .isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE)
                  .isGreaterThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
            });
  }

  @Test
  void aStopWaitsForRunningHandlers() {
    Contexts.over(database)
        .withBean(Slow.class)
        .run(
            context -> {
              Slow slow = context.getBean(Slow.class);
              enqueue(context);
              assertThat(slow.begun.await(60, TimeUnit.SECONDS)).isTrue();
              Thread closing = new Thread(context::close, "closing");
              closing.start();
              WorkerLifecycle worker = context.getBean(WorkerLifecycle.class);
              Await.until("the stop waits", () -> closing.getState() == Thread.State.TIMED_WAITING);
              assertThat(worker.isRunning()).isTrue();
              slow.end.countDown();
              closing.join(60_000);
              assertThat(closing.isAlive()).isFalse();
              assertThat(slow.interrupted).isFalse();
            });
    assertThat(states()).containsEntry(TaskState.DONE, 1L);
  }

  @Test
  void aHandlerThatTakesTooLongIsInterruptedAndItsTaskStays() {
    Contexts.over(database)
        .withBean(Slow.class)
        .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms")
        .run(
            context -> {
              Slow slow = context.getBean(Slow.class);
              enqueue(context);
              assertThat(slow.begun.await(60, TimeUnit.SECONDS)).isTrue();
              context.close();
              assertThat(slow.interrupted).isTrue();
            });
    assertThat(states()).containsEntry(TaskState.WAITING, 1L).containsEntry(TaskState.RUNNING, 0L);
  }

  @Test
  void aStoppedContextStartsAgain() {
    Contexts.over(database)
        .withBean(Slow.class)
        .run(
            context -> {
              ConfigurableApplicationContext again = context.getSourceApplicationContext();
              again.stop();
              assertThat(context.getBean(WorkerLifecycle.class).isRunning()).isFalse();
              assertThat(context.getBean(DaemonLifecycle.class).isRunning()).isFalse();
              again.start();
              Slow slow = context.getBean(Slow.class);
              slow.end.countDown();
              enqueue(context);
              assertThat(slow.begun.await(60, TimeUnit.SECONDS)).isTrue();
            });
  }

  private static void enqueue(ConfigurableApplicationContext context) {
    context.getBean(Rota.class).tenants().get("acme").enqueue(NewTask.of("slow", ""));
  }

  private Map<TaskState, Long> states() {
    try (Rota rota = Rota.connect(database.jdbcUrl())) {
      Tenant acme = rota.tenants().get("acme");
      return acme.history().scanStates();
    }
  }
}
