package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a worker counts errors that it has not settled yet as bytes that it holds. */
@RotaTest
@Tag("exhaustive")
class HeldErrorsTest {

  /** The least limit of bytes. All tasks fit into it, but not with their errors. */
  private static final int MOST_BYTES = 1 << 20;

  private static final int TASKS = 2_000;
  private static final String ERROR = "x".repeat(4_096);

  /** How many tasks have room with their errors, less one claim. */
  private static final int AT_LEAST = 100;

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aWorkerClaimsNoMoreWhileItHoldsManyErrors() throws Exception {
    acme.enqueueAll(Collections.nCopies(TASKS, NewTask.of("k", "{}")));
    ScriptedFault settle = faults.before("close batches").hold();
    AtomicInteger runs = new AtomicInteger();
    Worker.Builder builder =
        fixture
            .observed(faults)
            .worker()
            .heldBytes(MOST_BYTES)
            .batchSize(8)
            .pollInterval(Duration.ofMillis(10))
            .handle(
                "k",
                task -> {
                  runs.incrementAndGet();
                  throw new FatalTaskException(ERROR);
                });
    try (Worker worker = builder.start();
        AutoCloseable unused = settle::release) {
      Await.atLeast("errors take all room", runs::get, AT_LEAST);
      faults.awaitMore("discover", 5);
      int held = runs.get();
      faults.awaitMore("discover", 5);
      assertThat(runs).hasValueLessThan(TASKS).hasValue(held);
      settle.release();
      Await.until("all are settled", Await.LONG, () -> worker.statistics().dead(), TASKS);
    }
  }
}
