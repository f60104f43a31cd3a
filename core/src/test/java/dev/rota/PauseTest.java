package dev.rota;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.claim.TaskRules;
import dev.rota.limits.Controls;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that no task of a paused scope begins, and that nothing of it is lost. */
@RotaTest
@PostgresVersions({15, 18})
class PauseTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final NewTask INDEX = NewTask.of("index", "{}");
  private static final Duration AN_HOUR = Duration.ofHours(1);

  private final Queue<String> ran = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void open() {
    controls = fixture.rota().controls();
  }

  @Test
  void aPausedTenantRunsNothingUntilItIsResumed() {
    controls.pause(Scope.tenant("acme"), "ticket 4711");
    try (Worker worker = start(fixture.another())) {
      acme.enqueue(MAIL);
      runOne(worker, other, MAIL, 1);
      assertThat(ran).containsExactly("other mail 1");
      assertThat(controls.resume(Scope.tenant("acme"))).isTrue();
      Await.until("it runs again", () -> worker.statistics().done(), 2);
    }
    assertThat(ran).containsExactly("other mail 1", "acme mail 1");
    assertThat(controls.resume(Scope.tenant("acme"))).as("once").isFalse();
  }

  @Test
  void everyScopePausesWhatItNames() {
    acme.addLane(5);
    controls.changePlan("acme", "free");
    NewTask urgent = MAIL.priority(5);
    List<Scope> ofMail =
        List.of(
            Scope.kind("mail"),
            Scope.plan("free").ofKind("mail"),
            Scope.tenant("acme").ofKind("mail"));
    Rota workers = fixture.another();
    try (Worker worker = start(workers)) {
      int done = 0;
      for (Scope scope : ofMail) {
        pauseAt(workers, scope);
        done = pausesOnly(worker, scope, MAIL, INDEX, done);
      }
      pauseAt(workers, Scope.tenant("acme").ofPriority(5));
      done = pausesOnly(worker, Scope.tenant("acme").ofPriority(5), urgent, MAIL, done);
      for (Scope scope : List.of(Scope.plan("free"), Scope.tenant("acme"))) {
        pauseAt(workers, scope);
        acme.enqueue(MAIL);
        runOne(worker, other, MAIL, ++done);
        assertThat(ran).last().isEqualTo("other mail 1");
        controls.resume(scope);
        int all = ++done;
        Await.until("resumed " + scope, () -> worker.statistics().done(), all);
      }
    }
  }

  /** Pauses a scope of acme, and waits until the process of its workers knows. */
  private void pauseAt(Rota workers, Scope scope) {
    controls.pause(scope, "a part");
    TaskRules.Source rules = DefaultRota.kernelOf(workers).rules();
    Await.until(
        "paused " + scope,
        () -> !requireNonNull(rules.present().get()).pauses(acme.number()).isNone());
  }

  /** While the scope is paused the first task waits and the second one runs. */
  private int pausesOnly(Worker worker, Scope scope, NewTask paused, NewTask free, int done) {
    acme.enqueue(paused);
    runOne(worker, acme, free, done + 1);
    assertThat(ran).last().asString().startsWith("acme " + free.kind());
    controls.resume(scope);
    Await.until("resumed " + scope, () -> worker.statistics().done(), done + 2);
    return done + 2;
  }

  @Test
  void everythingIsPaused() {
    controls.pause(Scope.everything(), "maintenance");
    try (Worker worker = start(fixture.another())) {
      acme.enqueue(MAIL);
      other.enqueue(MAIL);
      assertThat(acme.claim(10).tasks()).isEmpty();
      assertThat(worker.statistics().claimed()).isZero();
      controls.resume(Scope.everything());
      Await.until("both run", () -> worker.statistics().done(), 2);
    }
  }

  @Test
  @Tag("exhaustive")
  void claimedTasksGoBackWithoutAnAttempt() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    acme.enqueueAll(Collections.nCopies(200, MAIL));
    AtomicInteger attempts = new AtomicInteger();
    try (Worker worker =
        fixture
            .another()
            .worker()
            .concurrency(2)
            .headroom(0)
            .handle(
                "mail",
                task -> {
                  attempts.accumulateAndGet(task.attempt(), Math::max);
                  ran.add("begun");
                  end.await();
                })
            .start()) {
      Await.atLeast("handlers run", ran::size, 1);
      controls.pause(Scope.tenant("acme"), "wait");
      Await.until(
          "the others are pending again",
          () ->
              fixture.number("select count(*) from rota_1.task_init_1 where attempt = 0")
                  == 200 - ran.size());
      assertThat(controls.awaitQuiet(Scope.tenant("acme"), Duration.ofMillis(1))).isFalse();
      int begun = ran.size();
      end.countDown();
      assertThat(controls.awaitQuiet(Scope.tenant("acme"), Await.LONG)).isTrue();
      assertThat(ran).hasSize(begun);
      controls.resume(Scope.tenant("acme"));
      Await.until("all done", () -> worker.statistics().done(), 200);
    }
    assertThat(attempts).hasValue(1);
  }

  @Test
  void aClaimByHandGetsNothingOfAPausedScope() {
    acme.addLane(5);
    acme.enqueueAll(List.of(MAIL, INDEX, MAIL.priority(5)));
    controls.pause(Scope.tenant("acme").ofPriority(5), "");
    controls.pause(Scope.kind("index"), "");
    assertThat(acme.claim(10).tasks()).extracting(Task::kind).containsExactly("mail");
    controls.resume(Scope.kind("index"));
    assertThat(acme.claim(10).tasks()).extracting(Task::kind).containsExactly("index");
    controls.pause(Scope.tenant("acme"), "");
    controls.resume(Scope.tenant("acme").ofPriority(5));
    assertThat(acme.claim(10).tasks()).isEmpty();
    controls.resume(Scope.tenant("acme"));
    assertThat(acme.claim(10).tasks()).extracting(Task::priority).containsExactly(5);
  }

  @Test
  void aProcessThatStartsReadsTheRulesBeforeItsFirstClaim() {
    acme.enqueue(MAIL);
    controls.pause(Scope.tenant("acme"), "");
    assertThat(fixture.another().tenants().get("acme").claim(10).tasks()).isEmpty();
  }

  @Test
  void handlersInTransactionsStopBetweenTasks() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(
                "mail",
                (task, connection) -> {
                  ran.add("begun");
                  begun.countDown();
                  end.await();
                })
            .start()) {
      begun.await();
      Rota process = fixture.another();
      process.controls().pause(Scope.tenant("acme"), "");
      assertThat(process.controls().awaitQuiet(Scope.tenant("acme"), Duration.ofMillis(500)))
          .as("the first one runs")
          .isFalse();
      end.countDown();
      assertThat(controls.awaitQuiet(Scope.tenant("acme"), Await.LONG)).isTrue();
      assertThat(ran).hasSize(1);
      controls.resume(Scope.tenant("acme"));
      Await.until("all done", () -> worker.statistics().done(), 10);
    }
  }

  @Test
  void workersThatFireAndForgetRunWhatTheyClaimedAndClaimNoMore() throws SQLException {
    CountDownLatch end = new CountDownLatch(1);
    acme.enqueueAll(Collections.nCopies(200, MAIL));
    ExecutorService oneThread = Executors.newSingleThreadExecutor();
    Rota workers = fixture.another();
    try (Worker worker =
        workers
            .worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .concurrency(8)
            .headroom(0)
            .executor(oneThread)
            .handle(
                "mail",
                task -> {
                  ran.add(task.tenant());
                  end.await();
                })
            .start()) {
      Await.until("one runs", ran::size, 1);
      Await.atLeast("several are claimed", () -> worker.statistics().claimed(), 5);
      pauseAt(workers, Scope.tenant("acme"));
      acme.enqueue(MAIL);
      end.countDown();
      other.enqueue(MAIL);
      Await.until("another tenant's task runs", () -> ran.contains("other"));
      Await.until(
          "nothing claimed is dropped",
          () -> worker.statistics().done() == worker.statistics().claimed());
      assertThat(fixture.number("select count(*) from rota_1.task_init_1"))
          .as("no more is claimed")
          .isEqualTo(202 - ran.size());
      controls.resume(Scope.tenant("acme"));
      Await.until("all done", () -> worker.statistics().done(), 202);
    } finally {
      oneThread.shutdown();
    }
  }

  @Test
  void aPauseEndsByItself() {
    AtomicLong clock = new AtomicLong();
    Duration length = Duration.ofHours(1);
    controls.pause(Scope.tenant("acme"), "429", length);
    try (Worker worker =
        start(fixture.another(builder -> RotaBuilder.nanoTime(builder, clock::get)))) {
      acme.enqueue(MAIL);
      runOne(worker, other, MAIL, 1);
      clock.addAndGet(length.toNanos());
      Await.until("the pause is over", () -> worker.statistics().done(), 2);
    }
  }

  @Test
  void aPauseThatHasEndedIsGone() {
    controls.pause(Scope.tenant("acme"), "429", Duration.ofMillis(1));
    Await.until("no rule is left", () -> controls.rules().isEmpty());
    assertThat(controls.resume(Scope.tenant("acme"))).isFalse();
    acme.enqueue(INDEX);
    assertThat(acme.claim(1).tasks()).hasSize(1);
  }

  @Test
  @Tag("exhaustive")
  void aProcessThatHearsNoNotificationFollowsWithItsLooks() {
    Rota deaf = fixture.another(builder -> builder.doorbell(false));
    try (Worker worker = start(deaf)) {
      runOne(worker, acme, MAIL, 1);
      controls.pause(Scope.tenant("acme"), "");
      assertThat(controls.awaitQuiet(Scope.tenant("acme"), Await.LONG)).isTrue();
      acme.enqueue(MAIL);
      runOne(worker, other, MAIL, 2);
      assertThat(ran).last().isEqualTo("other mail 1");
      controls.resume(Scope.tenant("acme"));
      Await.until("it runs again", () -> worker.statistics().done(), 3);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void aProcessThatLooksSeldomAsksBeforeItClaims(DeliveryMode mode) {
    Rota process = fixture.another(builder -> builder.doorbell(false));
    Duration seldom = Duration.ofMinutes(5);
    Worker.Builder settings = process.worker().delivery(mode).pollInterval(seldom);
    Worker.Builder handling =
        mode == DeliveryMode.TRANSACTIONAL
            ? settings.handleInTransaction("mail", (task, connection) -> record(task))
            : settings.handle("mail", this::record);
    try (Worker worker = handling.start()) {
      runOne(worker, process.tenants().get("acme"), MAIL, 1);
      controls.pause(Scope.tenant("acme"), "");
      assertThat(controls.awaitQuiet(Scope.tenant("acme"), Await.LONG)).isTrue();
      process.tenants().get("acme").enqueue(MAIL);
      runOne(worker, process.tenants().get("other"), MAIL, 2);
      assertThat(ran).containsExactly("acme mail 1", "other mail 1");
    }
  }

  @Test
  @Tag("exhaustive")
  void aLaneOfAnotherProcessIsNotQuietWhileItsTasksRun() {
    Rota waiting = fixture.another(builder -> builder.registryRefresh(Duration.ofMinutes(1)));
    Tenant unused = waiting.tenants().get("acme");
    acme.addLane(5);
    acme.enqueue(MAIL.priority(5));
    Scope urgent = Scope.tenant("acme").ofPriority(5);
    try (Batch batch = acme.claim(1)) {
      waiting.controls().pause(urgent, "");
      assertThat(waiting.controls().awaitQuiet(urgent, Duration.ofMillis(1_500))).isFalse();
      batch.settle();
    }
    assertThat(waiting.controls().awaitQuiet(urgent, Await.LONG)).isTrue();
  }

  @Test
  void rulesThatSqlWritesHoldToo() throws SQLException {
    fixture.execute(
        "insert into rota.rule (tenant, paused_at, paused_until, paused_reason)"
            + " values (1, now(), 'infinity', 'by hand')");
    assertThat(controls.rules())
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.scope()).isEqualTo(Scope.tenant("acme"));
              assertThat(rule.pause().orElseThrow().reason()).isEqualTo("by hand");
              assertThat(rule.pause().orElseThrow().until()).isEmpty();
            });
    try (Worker worker = start(fixture.another())) {
      acme.enqueue(MAIL);
      runOne(worker, other, MAIL, 1);
      fixture.execute("delete from rota.rule");
      Await.until("it runs again", () -> worker.statistics().done(), 2);
    }
  }

  @Test
  void anotherPauseReplacesTheFirst() {
    controls.pause(Scope.kind("mail"), "first", AN_HOUR);
    controls.pause(Scope.kind("mail"), "x".repeat(5_000));
    Rule.Pause pause = controls.rules().get(0).pause().orElseThrow();
    assertThat(pause.reason()).hasSize(1_000);
    assertThat(pause.until()).isEmpty();
    controls.pause(Scope.kind("mail"), "third", AN_HOUR);
    pause = controls.rules().get(0).pause().orElseThrow();
    assertThat(Duration.between(pause.since(), pause.until().orElseThrow())).isEqualTo(AN_HOUR);
    assertThat(controls.rules()).hasSize(1);
  }

  @Test
  void aTenantThatIsErasedTakesItsRulesAlong() throws SQLException {
    controls.pause(Scope.tenant("other"), "");
    controls.changeLimits(Scope.tenant("other"), limits -> limits.weight(2));
    long version = fixture.number("select version from rota.rule_version");
    fixture.execute("delete from rota.tenant where name = 'other'");
    assertThat(controls.rules()).isEmpty();
    assertThat(fixture.number("select version from rota.rule_version")).isGreaterThan(version);
  }

  @Test
  void aParkedTenantCanBePaused() {
    Tenant parked = fixture.rota().tenants().register("parked");
    controls.pause(Scope.tenant("parked"), "");
    try (Worker worker = start(fixture.another())) {
      parked.enqueue(MAIL);
      runOne(worker, other, MAIL, 1);
      assertThat(ran).containsExactly("other mail 1");
      controls.resume(Scope.tenant("parked"));
      Await.until("it runs", () -> worker.statistics().done(), 2);
    }
  }

  @Test
  void aPauseThatDoesNotCommitHoldsNowhere() throws SQLException {
    Faults faults = new Faults();
    faults.after("pause scope").fail();
    Rota broken = fixture.observed(faults);
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> broken.controls().pause(Scope.tenant("acme"), ""))
        .withMessageContaining("pause tenant:acme");
    assertThat(controls.rules()).isEmpty();
    assertThat(fixture.number("select version from rota.rule_version")).isZero();
  }

  @Test
  void aPauseIsDurableWhereItsOwnProcessCannotReadItBack() {
    Faults faults = new Faults();
    faults.before("read rule version").fail();
    Rota broken = fixture.observed(faults);
    broken.controls().pause(Scope.tenant("acme"), "");
    assertThat(controls.rules()).hasSize(1);
  }

  @Test
  void aWorkerThatCannotReadTheRulesKeepsThoseThatItKnows() {
    Faults faults = new Faults();
    Rota process = fixture.observed(faults);
    controls.pause(Scope.tenant("acme"), "");
    try (Worker worker = start(process)) {
      acme.enqueue(MAIL);
      runOne(worker, other, MAIL, 1);
      faults.before("read rules").fail();
      controls.resume(Scope.tenant("acme"));
      Await.until("the next look reads them", () -> worker.statistics().done(), 2);
    }
  }

  @Test
  void aWorkerThatHasReadNoRulesRunsNothing() {
    Faults faults = new Faults();
    faults.before("read rules").times(3).fail();
    Rota process = fixture.observed(faults);
    controls.pause(Scope.tenant("acme"), "");
    acme.enqueue(MAIL);
    other.enqueue(MAIL);
    try (Worker worker = start(process)) {
      Await.until("the rules are read", () -> worker.statistics().done(), 1);
      assertThat(ran).containsExactly("other mail 1");
    }
  }

  @Test
  void unknownTenantsAndLengthsAreRefused() {
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> controls.pause(Scope.tenant("nobody"), ""))
        .withMessageContaining("no tenant is named 'nobody'");
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> controls.changePlan("nobody", "pro"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> controls.pause(Scope.everything(), "", Duration.ZERO))
        .withMessageContaining("pause is PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> controls.changeLimits(Scope.kind("mail"), limits -> limits.weight(2)))
        .withMessage(
            "scope kind:mail takes no weight, tier or quota; give it to plan:P or tenant:T");
  }

  @Test
  void plansAreKeptWithTheTenant() {
    assertThat(controls.planOf("acme")).isEqualTo("default");
    controls.changePlan("acme", "pro");
    assertThat(fixture.another().controls().planOf("acme")).isEqualTo("pro");
    fixture.rota().tenants().rename("acme", "acme2");
    assertThat(controls.planOf("acme2")).isEqualTo("pro");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> controls.changePlan("acme2", "a b"))
        .withMessageContaining("plan is 'a b'");
  }

  private Worker start(Rota rota) {
    return start(rota, builder -> builder);
  }

  private Worker start(Rota rota, UnaryOperator<Worker.Builder> settings) {
    return settings
        .apply(rota.worker())
        .handle("mail", this::record)
        .handle("index", this::record)
        .start();
  }

  private void record(Task task) {
    ran.add(task.tenant() + " " + task.kind() + " " + task.attempt());
  }

  /** Runs one task of a tenant that is not paused; those enqueued before it had their chance. */
  private static void runOne(Worker worker, Tenant tenant, NewTask task, int done) {
    tenant.enqueue(task);
    Await.until("task " + done, () -> worker.statistics().done(), done);
  }
}
