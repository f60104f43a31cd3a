package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.limits.Controls;
import dev.rota.limits.Rule;
import dev.rota.limits.Rule.Pause.Origin;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a handler holds its whole kind, and that no attempt is lost by it. */
@RotaTest
@PostgresVersions({15, 18})
class HoldTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final NewTask INDEX = NewTask.of("index", "{}");
  private static final Duration AN_HOUR = Duration.ofHours(1);

  private final AtomicReference<@Nullable RetryAfterException> answer = new AtomicReference<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final Queue<String> ran = new ConcurrentLinkedQueue<>();
  private final Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void getControls() {
    controls = fixture.rota().controls();
  }

  private void run(Task task) {
    attempts.add(task.attempt());
    RetryAfterException refusal = task.kind().equals("mail") ? answer.get() : null;
    if (refusal != null) {
      refused.incrementAndGet();
      throw refusal;
    }
    ran.add(task.tenant() + " " + task.kind());
  }

  private Worker start(Rota rota) {
    return rota.worker()
        .concurrency(4)
        .handle("mail", this::run)
        .handle("index", this::run)
        .start();
  }

  /** Waits until all processes hold a scope. */
  private Rule.Pause awaitHold(Scope scope) {
    Await.until("held", () -> !controls.rules().isEmpty());
    assertThat(controls.awaitQuiet(scope, Await.USUAL)).isTrue();
    Rule rule = controls.rules().get(0);
    assertThat(controls.rules()).hasSize(1);
    assertThat(rule.scope()).isEqualTo(scope);
    Rule.Pause pause = rule.pause().orElseThrow();
    assertThat(pause.origin()).isEqualTo(Origin.HANDLER);
    return pause;
  }

  @Test
  @Tag("exhaustive")
  void noTaskOfTheKindBeginsInAnyProcessUntilTheHoldEnds() throws Exception {
    Faults faults = new Faults();
    answer.set(RetryAfterException.forAll(AN_HOUR));
    try (Worker first = start(fixture.another());
        Worker second = start(fixture.observed(faults))) {
      acme.enqueueAll(Collections.nCopies(100, MAIL));
      Rule.Pause pause = awaitHold(Scope.kind("mail"));
      assertThat(pause.reason()).matches("asked by task \\d+ \\(mail, attempt 1\\) of .*acme.*");
      assertThat(Duration.between(pause.since(), pause.until().orElseThrow()))
          .isBetween(AN_HOUR.minusSeconds(5), AN_HOUR.plusSeconds(5));
      faults.awaitMore("discover", 3);
      int begun = refused.get();
      other.enqueueAll(List.of(MAIL, INDEX));
      Await.until("other kinds run", () -> ran.contains("other index"));
      faults.awaitMore("discover", 3);
      assertThat(refused).hasValue(begun);
      assertThat(fixture.number("select count(*) from rota_1.task_init_1 where attempt = 0"))
          .isEqualTo(100);
      answer.set(null);
      assertThat(controls.reopen(Scope.kind("mail"))).isTrue();
      Await.until("all", () -> first.statistics().done() + second.statistics().done(), 102);
      assertThat(first.statistics().failed() + second.statistics().failed()).isZero();
    }
    assertThat(attempts).as("none was lost").containsOnly(1);
    assertThat(controls.reopen(Scope.kind("mail"))).as("once").isFalse();
  }

  @Test
  void aHoldOfATenantLetsOthersGoOn() {
    answer.set(RetryAfterException.forTenant(AN_HOUR));
    try (Worker worker = start(fixture.another())) {
      acme.enqueueAll(List.of(MAIL, MAIL));
      awaitHold(Scope.tenant("acme").ofKind("mail"));
      answer.set(null);
      other.enqueue(MAIL);
      acme.enqueue(INDEX);
      Await.until("others", () -> worker.statistics().done(), 2);
      assertThat(ran).containsExactlyInAnyOrder("other mail", "acme index");
      assertThat(controls.reopen(Scope.tenant("acme").ofKind("mail"))).isTrue();
      Await.until("all", () -> worker.statistics().done(), 4);
    }
  }

  @Test
  void aHoldEndsByItselfAndTheLastEndCounts() throws Exception {
    Duration length = Duration.ofMillis(1_200);
    CountDownLatch both = new CountDownLatch(2);
    Queue<Long> times = new ConcurrentLinkedQueue<>();
    acme.enqueueAll(List.of(MAIL, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .handle(
                "mail",
                task -> {
                  times.add(System.nanoTime());
                  if (both.getCount() > 0) {
                    both.countDown();
                    both.await();
                    throw RetryAfterException.forAll(
                        times.size() == 2 && task.id() % 2 == 0 ? length : Duration.ofMillis(10));
                  }
                })
            .start()) {
      Await.until("both run again", () -> worker.statistics().done(), 2);
    }
    assertThat(controls.rules()).isEmpty();
    List<Long> all = List.copyOf(times);
    assertThat(all).hasSize(4);
    assertThat(Duration.ofNanos(all.get(2) - all.get(1))).isGreaterThanOrEqualTo(length);
  }

  @Test
  void thePauseOfAnOperatorAndAHoldLeaveEachOtherAlone() {
    answer.set(RetryAfterException.forAll(AN_HOUR));
    try (Worker worker = start(fixture.another())) {
      acme.enqueue(MAIL);
      awaitHold(Scope.kind("mail"));
      answer.set(null);
      controls.pause(Scope.kind("mail"), "ticket 4711");
      assertThat(controls.rules())
          .extracting(rule -> rule.pause().orElseThrow().origin())
          .containsExactlyInAnyOrder(Origin.OPERATOR, Origin.HANDLER);
      controls.changeLimits(Scope.kind("mail"), limits -> limits.concurrency(3));
      assertThat(controls.resume(Scope.kind("mail"))).isTrue();
      assertThat(controls.resume(Scope.kind("mail"))).as("the hold is not its").isFalse();
      assertThat(controls.rules()).hasSize(2);
      controls.pause(Scope.kind("mail"), "ticket 4712");
      assertThat(controls.reopen(Scope.kind("mail"))).isTrue();
      assertThat(controls.rules())
          .extracting(rule -> rule.pause().orElseThrow().reason())
          .containsExactly("ticket 4712");
      assertThat(worker.statistics().done()).isZero();
      controls.resume(Scope.kind("mail"));
      Await.until("it runs", () -> worker.statistics().done(), 1);
    }
  }

  @Test
  void aTaskOfABatchHandlerHoldsItsKind() {
    RetryAfterException hold = RetryAfterException.forAll(AN_HOUR);
    AtomicInteger calls = new AtomicInteger();
    acme.enqueueAll(Collections.nCopies(5, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .handleBatch(
                "mail",
                tasks -> {
                  if (calls.incrementAndGet() == 1) {
                    throw new PartialFailureException(Map.of(tasks.get(0).id(), hold));
                  }
                })
            .start()) {
      Await.until("the others are done", () -> worker.statistics().done(), 4);
      awaitHold(Scope.kind("mail"));
      controls.reopen(Scope.kind("mail"));
      Await.until("all", () -> worker.statistics().done(), 5);
      assertThat(worker.statistics().failed()).isZero();
    }
  }

  @Test
  void aHandlerInATransactionHoldsItsKind() throws Exception {
    fixture.execute("create table effect (id bigint)");
    answer.set(RetryAfterException.forAll(AN_HOUR));
    acme.enqueueAll(List.of(MAIL, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(
                "mail",
                (task, connection) -> {
                  RotaFixture.execute(connection, "insert into effect values (" + task.id() + ")");
                  run(task);
                })
            .start()) {
      awaitHold(Scope.kind("mail"));
      assertThat(fixture.number("select count(*) from effect")).isZero();
      answer.set(null);
      controls.reopen(Scope.kind("mail"));
      Await.until("both", () -> worker.statistics().done(), 2);
    }
    assertThat(attempts).containsOnly(1);
    assertThat(fixture.number("select count(*) from effect")).isEqualTo(2);
  }

  @Test
  void aHoldThatCannotBeWrittenIsInForceHereAndIsTriedAgain() {
    Faults faults = new Faults();
    faults.before("hold kind").times(3).fail();
    answer.set(RetryAfterException.forAll(AN_HOUR));
    try (Worker worker = start(fixture.observed(faults))) {
      acme.enqueue(MAIL);
      awaitHold(Scope.kind("mail"));
      assertThat(refused).as("not tried again while it was not written").hasValue(1);
      answer.set(null);
      assertThat(controls.reopen(Scope.kind("mail"))).isTrue();
      Await.until("it runs", () -> worker.statistics().done(), 1);
    }
    faults.close();
  }

  @Test
  @Tag("exhaustive")
  void aHoldOfAnErasedTenantWritesNothing() throws Exception {
    answer.set(RetryAfterException.forTenant(AN_HOUR));
    try (Worker worker = start(fixture.another())) {
      acme.enqueue(MAIL);
      awaitHold(Scope.tenant("acme").ofKind("mail"));
      fixture.execute("delete from rota.tenant where name = 'acme'");
      assertThat(controls.rules()).isEmpty();
      assertThat(worker.statistics().failed()).isZero();
    }
  }

  @Test
  void badInputIsRefused() {
    for (Duration length :
        List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(7).plusNanos(1))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RetryAfterException.forAll(length))
          .withMessageContaining("it must be 1 ms to 7 days");
      assertThatIllegalArgumentException().isThrownBy(() -> RetryAfterException.forTenant(length));
    }
    for (Scope scope :
        List.of(Scope.everything(), Scope.tenant("acme"), Scope.plan("default").ofKind("mail"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> controls.reopen(scope))
          .withMessageContaining("give kind:K or tenant:T/kind:K");
    }
  }
}
