package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.StatementObserver;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a worker rests no longer than its limits after a poll that a stall made slow. The
 * limits are in Java and the same on every server; {@link LaneMakingTest} shows on the oldest and
 * the newest that lanes are found.
 */
class StalledLookTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  private RotaFixture fixture;
  private Tenant acme;

  @BeforeEach
  void open() {
    fixture = RotaFixture.open();
    acme = fixture.rota().tenants().register("acme");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void afterAStallTasksAndLanesAreFoundSoon() throws Exception {
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    StalledOnce stalled = new StalledOnce();
    Rota consumer = fixture.observed(stalled, builder -> builder.doorbell(false));
    try (Worker worker = consumer.worker().handle("mail", task -> ran.add(task.id())).start()) {
      RotaFixture.await("looking stalled", () -> stalled.calls.isEmpty());
      List<Long> ids = acme.enqueueAll(List.of(MAIL, MAIL.priority(4)));
      RotaFixture.await("all ran", () -> ran.containsAll(ids));
      assertThat(worker.statistics().failed()).isZero();
    }
  }

  /** Each of two calls takes two seconds, the first time. */
  private static final class StalledOnce implements StatementObserver {
    private final Set<String> calls = ConcurrentHashMap.newKeySet();

    StalledOnce() {
      calls.addAll(Set.of("look up tables", "discover"));
    }

    @Override
    public void after(String call) {
      if (calls.contains(call)) {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
        calls.remove(call);
      }
    }
  }
}
