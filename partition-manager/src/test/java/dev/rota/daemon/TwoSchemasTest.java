package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.DeliveryMode;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests two schemas of Rota in one database, whose tenants have the same numbers. */
@RotaTest
@Tag("exhaustive")
class TwoSchemasTest {

  @Given private DaemonFixture fixture;
  private Rota first;
  private Rota second;

  @BeforeEach
  void open() {
    first = fixture.rota();
    second = inSecond();
    second.admin().migrate();
    first.tenants().register("acme");
    second.tenants().register("acme");
  }

  private Rota inSecond() {
    return fixture.another(builder -> builder.schema("jobs"));
  }

  @Test
  void eachHasALeaderThatRotatesPromotesAndReaps() throws Exception {
    RotationDaemon one = fixture.daemon(fixture.another(), settings -> settings);
    Await.until("the first schema has a leader", one::isLeading);
    RotationDaemon other = fixture.daemon(inSecond(), settings -> settings);
    Await.until("the second schema has a leader", other::isLeading);
    assertThat(one.isLeading()).isTrue();

    isServed(first, one, "rota");
    isServed(second, other, "jobs");
  }

  private void isServed(Rota rota, RotationDaemon daemon, String schema) throws Exception {
    Tenant acme = rota.tenants().get("acme");
    acme.enqueue(NewTask.of("late", "{}").after(Duration.ofMillis(50)));
    Await.until("a task is promoted in " + schema, () -> daemon.statistics().promoted(), 1);
    Batch orphans = acme.claim(1);
    assertThat(orphans.tasks()).hasSize(1);
    fixture.execute(
        "delete from %1$s.worker where id = (select worker from %1$s.task_batch where id = %2$d)"
            .formatted(schema, orphans.id()));
    Await.until("a task returns in " + schema, () -> daemon.statistics().reaped(), 1);
    Await.until("a ring is switched in " + schema, () -> daemon.statistics().rotations() > 0);
  }

  @Test
  void aClaimInOneDoesNotCloseTheGateOfTheOther() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    first.tenants().get("acme").enqueueAll(tasks("k", 1));
    Tenant acme = second.tenants().get("acme");
    acme.enqueueAll(tasks("k", 3));
    try (Worker worker =
        first
            .worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(
                "k",
                (task, connection) -> {
                  running.countDown();
                  done.await();
                })
            .start()) {
      assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
      try (Batch batch = acme.claim(3)) {
        assertThat(batch.tasks()).hasSize(3);
        assertThat(batch.settle().settled()).isEqualTo(3);
      }
      done.countDown();
    }
  }

  @Test
  void workersOfBothRunTheirOwnTasksBesideBothDaemons() throws Exception {
    fixture.daemon(fixture.another(), settings -> settings);
    fixture.daemon(inSecond(), settings -> settings);
    Set<String> ran = ConcurrentHashMap.newKeySet();
    try (Worker one = worker(first, "rota", ran);
        Worker other = worker(second, "jobs", ran)) {
      for (int i = 0; i < 100; i++) {
        first.tenants().get("acme").enqueue(NewTask.of("k", "rota " + i));
        second.tenants().get("acme").enqueue(NewTask.of("k", "jobs " + i));
      }
      Await.until("all have run", () -> ran.size(), 200);
    }
    assertThat(ran).allMatch(run -> run.matches("rota: rota \\d+|jobs: jobs \\d+"));
  }

  private static Worker worker(Rota rota, String schema, Set<String> ran) {
    return rota.worker().handle("k", task -> ran.add(schema + ": " + task.payload())).start();
  }
}
