package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Collections;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the first visits of a worker. */
@RotaTest
class WorkerStartTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private RotaFixture fixture;
  private Rota rota;

  @BeforeEach
  void open() {
    // Nothing but the look at the start may find the tasks. Locks are waited for as usual.
    rota =
        fixture.closeLater(
            Rota.builder(fixture.database().jdbcUrl()).poolSize(4).doorbell(false).build());
  }

  @Test
  void tasksThatNoCounterShowsAreFound() throws Exception {
    Tenant acme = rota.tenants().register("acme");
    acme.enqueueAll(Collections.nCopies(5, TASK));
    Await.until(
        "the counters start anew",
        () -> {
          fixture.execute("select pg_stat_reset()");
          return fixture.number(
                  "select pg_stat_get_tuples_inserted('rota_1.task_init_1_0'::regclass)")
              == 0;
        });
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      Await.until("all ran", () -> worker.statistics().done(), 5);
    }
  }

  @Test
  void aTableThatIsLockedKeepsNobodyElseWaiting() throws Exception {
    Tenant locked = rota.tenants().register("locked");
    Tenant free = rota.tenants().register("free");
    locked.enqueue(TASK);
    free.enqueue(TASK);
    try (Connection stranger = fixture.database().connect()) {
      stranger.setAutoCommit(false);
      try (Statement statement = stranger.createStatement()) {
        statement.execute("lock table rota_1.task_init_1_0 in access exclusive mode");
      }
      try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
        Await.until("the free one ran", () -> worker.statistics().done(), 1);
        assertThat(free.history().scanStates()).containsEntry(TaskState.DONE, 1L);
        stranger.rollback();
        Await.until("both ran", () -> worker.statistics().done(), 2);
      }
    }
  }
}
