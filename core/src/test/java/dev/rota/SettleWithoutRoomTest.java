package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that finished tasks are settled when there is room again, and do not run a second time. */
@RotaTest
class SettleWithoutRoomTest {

  private static final int REFUSALS = 3;

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aFullDiskLetsNothingRunTwice() throws Exception {
    Faults faults = new Faults();
    ScriptedFault fullDisk = faults.before("close batches").times(REFUSALS).fail("53100");
    AtomicInteger runs = new AtomicInteger();
    Rota rota = fixture.observed(faults);
    try (Worker worker = rota.worker().handle("k", task -> runs.incrementAndGet()).start()) {
      acme.enqueue(NewTask.of("k", "{}"));
      Await.until("it is done", () -> worker.statistics().done(), 1);
    }
    assertThat(fullDisk.reached()).isEqualTo(REFUSALS);
    assertThat(runs).hasValue(1);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 1L)
        .containsEntry(TaskState.RUNNING, 0L);
  }
}
