package dev.rota;

import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that heartbeats go on while a statement about limits waits for a lock of another
 * transaction: the process would lose its lease. Locks of rows are the same on all versions.
 */
@RotaTest
class LimitLocksTest {

  /** More than there are background threads. */
  private static final List<String> KINDS = IntStream.range(0, 10).mapToObj(i -> "k" + i).toList();

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Rota process;

  @BeforeEach
  void open() {
    process = fixture.observed(faults, builder -> builder.lease(Duration.ofSeconds(3)));
  }

  private Worker start(TaskHandler handler) {
    Worker.Builder builder = process.worker();
    KINDS.forEach(kind -> builder.handle(kind, handler));
    return builder.start();
  }

  /**
   * Enqueues a task of each kind once the former one has come so far. The first two make a
   * statement wait for a lock.
   */
  private void enqueueOneByOne(Await.Count<RuntimeException> came) throws Exception {
    for (int i = 0; i < KINDS.size(); i++) {
      acme.enqueue(NewTask.of(KINDS.get(i), "{}"));
      Await.until("task " + i, came, i + 1);
      if (i == 1) {
        fixture.awaitBlocked(1);
      }
    }
    faults.awaitMore("heartbeat", 2);
  }

  @Test
  void aHoldThatWaitsForALockStopsNoHeartbeat() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    try (Connection session = fixture.begin();
        Worker worker =
            start(
                task -> {
                  refused.incrementAndGet();
                  throw RetryAfterException.forAll(Duration.ofHours(1));
                })) {
      failUntil(() -> refused.get() > 1);
      // As a transaction that has changed a rule.
      RotaFixture.execute(session, "update rota.rule_version set version = version + 1");
      enqueueOneByOne(refused::get);
      session.rollback();
      Await.until(
          "all are held",
          () -> fixture.number("select count(*) from rota.kind_pause"),
          KINDS.size());
    }
  }

  /** Lets the first hold end by a lock timeout after another one was ordered. It is tried again. */
  private void failUntil(Await.Condition<RuntimeException> ordered) {
    faults
        .before("hold kind")
        .run(
            () -> {
              Await.until("another hold", ordered);
              throw new SQLException("the lock timeout is over, by order of a test", "55P03");
            });
  }

  @Test
  @Tag("exhaustive")
  void aLeaseOfStartsThatWaitsForALockStopsNoHeartbeat() throws Exception {
    Limits rate = Limits.none().rate(100, Duration.ofSeconds(1));
    KINDS.forEach(kind -> process.controls().changeLimits(Scope.kind(kind), limits -> rate));
    try (Connection session = fixture.begin();
        Worker worker = start(task -> {})) {
      RotaFixture.execute(session, "lock table rota.bucket in access exclusive mode");
      enqueueOneByOne(() -> worker.statistics().claimed());
      session.rollback();
      Await.until("all ran", () -> worker.statistics().done(), KINDS.size());
    }
  }
}
