package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.StatementObserver;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that finished tasks are settled when there is room again, and do not run a second time. */
class SettleWithoutRoomTest {

  private static final int REFUSALS = 3;

  @Test
  void aFullDiskLetsNothingRunTwice() throws Exception {
    FullDisk disk = new FullDisk();
    AtomicInteger runs = new AtomicInteger();
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      Rota rota = fixture.observed(disk, builder -> builder);
      try (Worker worker = rota.worker().handle("k", task -> runs.incrementAndGet()).start()) {
        acme.enqueue(NewTask.of("k", "{}"));
        RotaFixture.await("it is done", () -> worker.statistics().done() == 1);
      }
      assertThat(disk.refusals.get()).isNotPositive();
      assertThat(runs).hasValue(1);
      assertThat(acme.history().scanStates())
          .containsEntry(TaskState.DONE, 1L)
          .containsEntry(TaskState.RUNNING, 0L);
    }
  }

  private static final class FullDisk implements StatementObserver {
    private final AtomicInteger refusals = new AtomicInteger(REFUSALS);

    @Override
    public void before(String call) throws SQLException {
      if (call.equals("close batches") && refusals.getAndDecrement() > 0) {
        throw new SQLException("could not extend file, by order of a test", "53100");
      }
    }
  }
}
