package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.testing.Await;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a tenant of which no more is wanted does not delay the others. */
class UnwantedTenantsTest {

  private static final int SLOT_1 = 1 << 1;

  /** Tenants of the first of two slots. */
  private static final int UNWANTED = 2;

  private static final int OTHER = 4;

  private final TenantQueues queues =
      new TenantQueues(1, 1_000, 2, new Flows(8, 0, () -> 0), () -> 0);

  private final TenantQueue queue = queues.of(0);

  /** Ends once another tenant has its turn. */
  private final FutureTask<Boolean> rest =
      new FutureTask<>(
          () -> {
            queues.awaitOther(0, Long.MAX_VALUE);
            return true;
          });

  private final Thread thread = new Thread(rest, "rota-test-slot");

  @BeforeEach
  void findTheUnwantedOne() throws InterruptedException {
    queue.changed(UNWANTED, SLOT_1);
    assertThat(queues.await(0, 0)).containsExactly(0);
  }

  @Test
  void anotherTenantEndsTheRest() throws Exception {
    begin();
    queue.changed(OTHER, SLOT_1);
    assertThat(rest.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anotherTenantBeforeTheRestIsNotMissed() throws Exception {
    queue.changed(OTHER, SLOT_1);
    thread.start();
    assertThat(rest.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void moreTasksOfTheSameTenantDoNotEndIt() {
    begin();
    queue.changed(UNWANTED, SLOT_1);
    thread.interrupt();
    assertThatThrownBy(() -> rest.get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void theRestEndsByItself() throws InterruptedException {
    queues.awaitOther(0, 1);
  }

  private void begin() {
    thread.start();
    Await.until("it rests", () -> thread.getState() == Thread.State.TIMED_WAITING);
  }
}
