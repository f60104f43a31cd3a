package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that a worker rests no longer than its limits after a poll that a stall made slow. The
 * limits are in Java and the same on every server; {@link LaneMakingTest} shows on the oldest and
 * the newest that lanes are found.
 */
@RotaTest
@Tag("exhaustive")
class StalledLookTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void afterAStallTasksAndLanesAreFoundSoon() throws Exception {
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    CountDownLatch stalled = new CountDownLatch(2);
    Faults faults = new Faults();
    faults.after("look up tables").run(() -> stall(stalled));
    faults.after("discover").run(() -> stall(stalled));
    Rota consumer = fixture.observed(faults, builder -> builder.doorbell(false));
    try (Worker worker = consumer.worker().handle("mail", task -> ran.add(task.id())).start()) {
      assertThat(stalled.await(30, TimeUnit.SECONDS)).isTrue();
      List<Long> ids = acme.enqueueAll(List.of(MAIL, MAIL.priority(4)));
      Await.until("all ran", () -> ran.containsAll(ids));
      assertThat(worker.statistics().failed()).isZero();
    }
  }

  /** A call takes two seconds. */
  private static void stall(CountDownLatch stalled) {
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
    stalled.countDown();
  }
}
