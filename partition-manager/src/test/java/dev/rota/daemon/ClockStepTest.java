package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.FaultObserver;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.RewritingDataSource;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests steps of the database's clock, like those of a host that was suspended. */
@RotaTest
@Tag("exhaustive")
class ClockStepTest {

  private static final Duration STEP = Duration.ofHours(2);
  private static final Duration LEASE = Duration.ofSeconds(2);

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;
  private RewritingDataSource source;

  @BeforeEach
  void open() throws Exception {
    fixture.execute("create table effect (task bigint, attempt int)");
    source = new RewritingDataSource(fixture.database().dataSource());
  }

  @Test
  void whatIsDueByTheNewTimeIsPromotedWithinHalfAMinute() throws Exception {
    NewTask later = NewTask.of("k", "{}").after(Duration.ofHours(1));
    acme.enqueueAll(Collections.nCopies(60, later));
    Faults calls = new Faults();
    RotationDaemon daemon = fixture.daemon(over(calls), settings -> settings);
    calls.awaitMore("next due", 1);
    source.stepClock(STEP);
    Await.until("all are promoted", Await.LONG, () -> daemon.statistics().promoted(), 60);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 60L);
  }

  @Test
  void aStepByMoreThanALeaseTakesNothingFromTheLiving() throws Exception {
    acme.enqueueAll(tasks("k", 30));
    CountDownLatch goOn = new CountDownLatch(1);
    Faults calls = new Faults();
    RotationDaemon daemon = fixture.daemon(over(calls), settings -> settings);
    Faults beats = new Faults();
    try (Worker worker =
            over(beats)
                .worker()
                .handle(
                    "k",
                    task -> {
                      fixture.execute(
                          "insert into effect values (" + task.id() + ", " + task.attempt() + ")");
                      goOn.await();
                    })
                .concurrency(30)
                .start();
        AutoCloseable unused = goOn::countDown) {
      Await.until("all run", () -> fixture.number("select count(*) from effect"), 30);
      source.stepClock(STEP);
      calls.awaitMore("find dead workers", 10);
      beats.awaitMore("heartbeat", 2);
      source.stepClock(STEP.negated());
      beats.awaitMore("heartbeat", 2);
      calls.awaitMore("find dead workers", 10);
      goOn.countDown();
      Await.until("all are done", () -> worker.statistics().done(), 30);
    }
    assertThat(fixture.texts("select count(*) || ' ' || max(attempt) from effect"))
        .containsExactly("30 1");
    assertThat(daemon.statistics().reaped()).isZero();
  }

  @Test
  void aStepBackKeepsNoDeadWorkerAlive() throws Exception {
    acme.enqueueAll(tasks("k", 3));
    Rota doomed = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
    Batch unused = doomed.tenants().get("acme").claim(3);
    fixture.execute(
        "update rota.worker set heartbeat_at = now() + interval '2 hours',"
            + " lease = interval '100 milliseconds'");
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("its tasks are back", () -> daemon.statistics().reaped(), 3);
  }

  private Rota over(Faults faults) {
    Rota.Builder builder =
        Rota.builder(source).lease(LEASE).doorbell(false).registryRefresh(Duration.ofMillis(100));
    return fixture.closeLater(RotaBuilder.build(builder, new FaultObserver(faults)));
  }
}
