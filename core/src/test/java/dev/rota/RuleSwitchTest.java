package dev.rota;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.claim.TaskRules;
import dev.rota.limits.Breaker;
import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that a changed limit holds although a worker still asked by the former rules, while the
 * workers of its process switched to the new ones. What a process counts is in Java, and the same
 * on every server.
 */
@RotaTest
class RuleSwitchTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final Duration AN_HOUR = Duration.ofHours(1);

  private final AtomicInteger begun = new AtomicInteger();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Rota process;

  /** Stands for a worker that claims and begins tasks of a tenant by the rules before the last. */
  private static final class SlowFollower implements TaskRules.Listener {
    private final int tenant;
    private TaskRules former = TaskRules.NONE;

    SlowFollower(int tenant) {
      this.tenant = tenant;
    }

    @Override
    public void apply(TaskRules rules) {
      var unusedBound = former.bound(tenant, "mail");
      var unusedGuard = former.guard(tenant, "mail");
      former = rules;
    }
  }

  @BeforeEach
  void open() {
    process = fixture.another();
    DefaultRota.kernelOf(process).rules().listen(new SlowFollower(acme.number()));
  }

  private void change(Limits from, Limits to) {
    process.controls().changeLimits(Scope.kind("mail"), limits -> from);
    process.controls().changeLimits(Scope.kind("mail"), limits -> to);
  }

  private Worker start(TaskHandler handler) {
    return process.worker().concurrency(4).handle("mail", handler).start();
  }

  @Test
  void aRaisedCapHolds() throws Exception {
    change(Limits.none().concurrency(1), Limits.none().concurrency(3));
    CountDownLatch open = new CountDownLatch(1);
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    try (Worker worker =
            start(
                task -> {
                  begun.incrementAndGet();
                  open.await();
                });
        AutoCloseable opens = open::countDown) {
      Await.until("three run at a time", begun::get, 3);
    }
  }

  @Test
  void aRaisedRateHolds() {
    change(Limits.none().rate(1, AN_HOUR), Limits.none().rate(100, Duration.ofSeconds(1)));
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    try (Worker worker = start(task -> {})) {
      Await.until("all ran", () -> worker.statistics().done(), 10);
    }
  }

  @Test
  void aBreakerThatNeedsMoreAttemptsHolds() {
    Breaker early = Breaker.at(1).of(1).pauseFor(AN_HOUR);
    change(Limits.none().breaker(early), Limits.none().breaker(early.of(100)));
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    try (Worker worker =
        start(
            task -> {
              begun.incrementAndGet();
              throw new IllegalStateException("the service is down");
            })) {
      Await.atLeast("all are tried", begun::get, 10);
    }
  }
}
