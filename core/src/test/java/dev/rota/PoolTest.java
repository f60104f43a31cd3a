package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.rota.admin.Finding;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that workers run the tasks of tenants in their pools, and of no others. */
@RotaTest
@PostgresVersions({15, 18})
class PoolTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final NewTask INDEX = NewTask.of("index", "{}");
  private static final Scope ACME = Scope.tenant("acme");

  private final Map<String, Queue<String>> ran = new ConcurrentHashMap<>();
  private final AtomicInteger attempts = new AtomicInteger();
  private final List<Rota> processes = new ArrayList<>();
  private final CountDownLatch open = new CountDownLatch(1);
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void getControls() {
    controls = fixture.rota().controls();
  }

  @Test
  void eachWorkerRunsTheTasksOfItsPools() {
    pool(ACME, "eu");
    acme.enqueueAll(Collections.nCopies(50, MAIL));
    other.enqueueAll(Collections.nCopies(50, MAIL));
    try (Worker eu = start("eu", worker -> worker.pools("eu"));
        Worker usual = start("usual", worker -> worker)) {
      Await.until("one pool", () -> eu.statistics().done(), 50);
      Await.until("the other", () -> usual.statistics().done(), 50);
    }
    assertThat(ran("eu")).containsOnly("acme");
    assertThat(ran("usual")).containsOnly("other");
  }

  @Test
  void aWorkerMayServeSeveralPoolsAndTheDefaultOne() {
    pool(ACME, "eu");
    try (Worker both = start("both", worker -> worker.pools("default", "us", "eu"))) {
      acme.enqueue(MAIL);
      other.enqueue(MAIL);
      Await.until("both run", () -> both.statistics().done(), 2);
    }
  }

  @Test
  void aWorkerOfAPoolRunsNothingWithoutRules() throws SQLException {
    acme.enqueue(MAIL);
    try (Worker eu = start("eu", worker -> worker.pools("eu"));
        Worker usual = start("usual", worker -> worker)) {
      Await.until("the default pool runs it", () -> usual.statistics().done(), 1);
      pool(ACME, "eu");
      awaitKnown();
      acme.enqueue(MAIL);
      Await.until("the first rule moves it", () -> eu.statistics().done(), 1);
      controls.changeLimits(ACME, Limits::poolByDefault);
      awaitKnown();
      acme.enqueue(MAIL);
      Await.until("the end of the last rule, too", () -> usual.statistics().done(), 2);
    }
    assertThat(controls.rules()).isEmpty();
  }

  @Test
  void aTenantsOwnPoolReplacesThatOfItsPlan() throws SQLException {
    pool(Scope.plan("pro"), "eu");
    controls.changePlan("acme", "pro");
    controls.changePlan("other", "pro");
    pool(Scope.tenant("other"), "default");
    assertThat(fixture.another().controls().rules())
        .extracting(Rule::scope, Rule::limits)
        .containsExactly(
            tuple(Scope.plan("pro"), Limits.none().pool("eu")),
            tuple(Scope.tenant("other"), Limits.none().pool("default")));
    try (Worker eu = start("eu", worker -> worker.pools("eu"));
        Worker usual = start("usual", worker -> worker)) {
      acme.enqueue(MAIL);
      other.enqueue(MAIL);
      Await.until("its plan's", () -> eu.statistics().done(), 1);
      Await.until("its own", () -> usual.statistics().done(), 1);
      controls.changePlan("acme", "free");
      awaitKnown();
      acme.enqueue(MAIL);
      Await.until("that of its new plan", () -> usual.statistics().done(), 2);
    }
    assertThat(ran("eu")).containsExactly("acme");
  }

  /** Tasks of several tenants and kinds wait at the old workers when the pool changes. */
  @Test
  @Tag("exhaustive")
  void aChangeMovesWhatDidNotBegin() {
    acme.enqueueAll(Collections.nCopies(500, MAIL));
    acme.enqueueAll(Collections.nCopies(500, INDEX));
    try (Worker eu = start("eu", worker -> worker.pools("eu").concurrency("index", 2));
        Worker first = start("held", worker -> worker.concurrency(2).headroom(0));
        Worker second = start("held", worker -> worker.concurrency("index", 1))) {
      Await.atLeast("old workers run some", () -> ran("held").size(), 3);
      pool(ACME, "eu");
      Await.until(
          "all that did not begin runs at the new one",
          () -> eu.statistics().done() + ran("held").size() == 1_000);
      long begun = ran("held").size();
      assertThat(begun).isLessThan(10);
      open.countDown();
      Await.until("those end", () -> first.statistics().done() + second.statistics().done(), begun);
      acme.enqueueAll(Collections.nCopies(100, MAIL));
      Await.until("and later ones", () -> eu.statistics().done(), 1_100 - begun);
    }
    assertThat(attempts).as("none that went back counts").hasValue(1);
  }

  @Test
  void poolsHoldBesidePausesAndCaps() {
    pool(ACME, "eu");
    controls.pause(Scope.kind("index"), "down");
    controls.changeLimits(ACME, limits -> limits.concurrency(1));
    acme.enqueueAll(List.of(INDEX, MAIL, MAIL));
    try (Worker eu = start("eu", worker -> worker.pools("eu").concurrency("index", 1))) {
      Await.until("what is not paused", () -> eu.statistics().done(), 2);
      assertThat(ran("eu")).hasSize(2);
      pool(ACME, "us");
      controls.resume(Scope.kind("index"));
      try (Worker us = start("us", worker -> worker.pools("us"))) {
        Await.until("what was paused", () -> us.statistics().done(), 1);
      }
      assertThat(eu.statistics().done()).isEqualTo(2);
    }
  }

  @Test
  @Tag("exhaustive")
  void transactionalWorkersFollow() throws Exception {
    acme.enqueueAll(Collections.nCopies(20, MAIL));
    TransactionalHandler held =
        (task, connection) -> {
          ran("old").add(task.tenant());
          open.await();
        };
    try (Worker old = transactional(held, worker -> worker);
        Worker eu = transactional((task, connection) -> {}, worker -> worker.pools("eu"))) {
      Await.until("one runs", () -> ran("old").size(), 1);
      pool(ACME, "eu");
      awaitKnown();
      open.countDown();
      Await.until("the others move", () -> eu.statistics().done() + ran("old").size() == 20);
      assertThat(ran("old").size()).isLessThan(20);
      other.enqueue(MAIL);
      Await.until("it serves others", () -> ran("old").contains("other"));
      assertThat(old.statistics().done()).isLessThan(20);
    }
  }

  private Worker transactional(
      TransactionalHandler handler, UnaryOperator<Worker.Builder> settings) {
    Rota process = fixture.another();
    processes.add(process);
    return settings
        .apply(process.worker())
        .delivery(DeliveryMode.TRANSACTIONAL)
        .concurrency(1)
        .handleInTransaction("mail", handler)
        .start();
  }

  @Test
  void workersThatFireAndForgetRunWhatTheyClaimedAndClaimNoMore() {
    acme.enqueueAll(Collections.nCopies(1_000, MAIL));
    ExecutorService oneThread = Executors.newSingleThreadExecutor();
    try (Worker old =
            start(
                "held",
                worker ->
                    worker
                        .delivery(DeliveryMode.FIRE_AND_FORGET)
                        .concurrency(8)
                        .headroom(0)
                        .executor(oneThread));
        Worker eu =
            start("eu", worker -> worker.delivery(DeliveryMode.FIRE_AND_FORGET).pools("eu"))) {
      Await.atLeast("several are claimed", () -> old.statistics().claimed(), 5);
      pool(ACME, "eu");
      Await.until(
          "the others run at the new one",
          () -> eu.statistics().done() + old.statistics().claimed() == 1_000);
      open.countDown();
      Await.until("nothing is lost", () -> old.statistics().done() + ran("eu").size() == 1_000);
    } finally {
      oneThread.shutdown();
    }
  }

  /** A worker that looked at a table of acme would wait for the lock, and fail to get it. */
  @Test
  void aWorkerOpensNoTableOfOtherPools() throws Exception {
    pool(ACME, "eu");
    AtomicInteger looks = new AtomicInteger();
    AtomicInteger answers = new AtomicInteger();
    Rota process =
        fixture.observed(
            new StatementObserver() {
              @Override
              public void before(String call) {
                looks.addAndGet(call.equals("look for tasks") ? 1 : 0);
              }

              @Override
              public void after(String call) {
                answers.addAndGet(call.equals("look for tasks") ? 1 : 0);
              }
            },
            builder -> builder);
    acme.enqueue(MAIL);
    other.enqueue(MAIL);
    try (Connection locker = fixture.begin()) {
      lockTables(locker);
      try (Worker usual = start(process, "usual", worker -> worker)) {
        Await.until("its tenant's task", () -> usual.statistics().done(), 1);
        pool(Scope.tenant("other"), "us");
        pool(Scope.tenant("other"), "default");
        other.enqueue(MAIL);
        Await.until("it comes back", () -> usual.statistics().done(), 2);
      }
    }
    assertThat(looks).hasPositiveValue();
    assertThat(answers).as("none failed").hasValue(looks.get());
  }

  private static void lockTables(Connection locker) throws SQLException {
    List<String> tables =
        RotaFixture.texts(
            locker, "select oid::regclass from pg_class where relname ~ '^task_init_1_[0-2]$'");
    assertThat(tables).hasSize(3);
    for (String table : tables) {
      RotaFixture.execute(locker, "lock table " + table + " in access exclusive mode");
    }
  }

  @Test
  void workersWithoutPoolsWriteNone() throws Exception {
    Faults faults = new Faults();
    controls.pause(Scope.kind("another"), "");
    Rota process = fixture.observed(faults);
    acme.enqueue(MAIL);
    try (Worker worker = start(process, "usual", builder -> builder)) {
      Await.until("it runs", () -> worker.statistics().done(), 1);
      faults.awaitMore("discover", 5);
    }
    assertThat(faults.count("register services")).isZero();
    assertThat(fixture.number("select count(*) from rota.worker where pools is not null")).isZero();
  }

  @Test
  void claimsByACallerAreNotBoundToPools() {
    pool(ACME, "eu");
    acme.enqueue(MAIL);
    assertThat(acme.claim(10).tasks()).hasSize(1);
  }

  @Test
  void thePreflightWarnsOfPoolsWithoutWorkers() throws SQLException {
    pool(ACME, "eu");
    assertThat(poolFindings())
        .singleElement()
        .asString()
        .contains("no worker with a heartbeat serves pool eu of 1 tenants, such as acme")
        .contains("pools(\"eu\")");
    Rota process = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
    try (Worker eu = start(process, "eu", worker -> worker.pools("eu"))) {
      // Each start ends its heartbeat by writing its pools: none comes after the second text.
      Await.until("an idle worker counts", () -> pools().equals(List.of("{eu}")));
      assertThat(poolFindings()).isEmpty();
      Worker usual = start(process, "usual", worker -> worker);
      Await.until("both", () -> pools().equals(List.of("{default,eu}")));
      fixture.execute("update rota.worker set heartbeat_at = now() - lease - interval '1 s'");
      assertThat(poolFindings()).as("its lease is over").hasSize(1);
      fixture.execute("update rota.worker set heartbeat_at = now(), rules = 1");
      assertThat(fixture.rota().admin().preflight())
          .extracting(Finding::check)
          .as("a version without pools")
          .contains("old workers");
      fixture.execute("update rota.worker set rules = 2");
      assertThat(fixture.rota().admin().preflight()).isEmpty();
      eu.close();
      Await.until("the other worker of the process serves it not", () -> !poolFindings().isEmpty());
      assertThat(usual.statistics().done()).isZero();
      usual.close();
    }
  }

  private List<String> pools() throws SQLException {
    return fixture.texts("select pools from rota.worker");
  }

  private List<Finding> poolFindings() {
    return fixture.rota().admin().preflight().stream()
        .filter(finding -> finding.check().equals("pools"))
        .toList();
  }

  @Test
  void aWorkerThatCannotRegisterItsPoolsTriesAgain() throws SQLException {
    Faults faults = new Faults();
    faults.before("register services").times(2).fail();
    Rota process = fixture.observed(faults, builder -> builder.lease(Duration.ofSeconds(1)));
    pool(ACME, "eu");
    acme.enqueue(MAIL);
    try (Worker eu = start(process, "eu", worker -> worker.pools("eu"))) {
      Await.until("it runs tasks meanwhile", () -> eu.statistics().done(), 1);
      Await.until("the next heartbeats register", () -> poolFindings().isEmpty());
      fixture.execute("delete from rota.worker");
      Await.until("it starts anew with them", () -> poolFindings().isEmpty());
      assertThat(fixture.number("select count(*) from rota.worker where pools = '{eu}'"))
          .isEqualTo(1);
    }
  }

  @Test
  void wrongPoolsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pool(ACME, "a b"))
        .withMessage("pool is 'a b'; it must be 1 to 64 characters of A-Z a-z 0-9 . _ -");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixture.rota().worker().pools("eu", ""))
        .withMessageContaining("pool is ''");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pool(Scope.kind("mail"), "eu"))
        .withMessage("scope kind:mail takes no pool; give it to plan:P or tenant:T");
    assertThatIllegalArgumentException().isThrownBy(() -> pool(ACME.ofKind("mail"), "eu"));
  }

  private void pool(Scope scope, String pool) {
    controls.changeLimits(scope, limits -> limits.pool(pool));
  }

  /** Until then old workers may begin tasks. */
  private void awaitKnown() throws SQLException {
    long version = fixture.number("select version from rota.rule_version");
    for (Rota process : processes) {
      Await.until(
          "it knows the rules", () -> DefaultRota.kernelOf(process).rules().version(), version);
    }
  }

  private Queue<String> ran(String name) {
    return ran.computeIfAbsent(name, unused -> new ConcurrentLinkedQueue<>());
  }

  private Worker start(String name, UnaryOperator<Worker.Builder> settings) {
    Rota process = fixture.another();
    processes.add(process);
    return start(process, name, settings);
  }

  /** Starts a worker; tasks of one named held wait until the test lets them end. */
  private Worker start(Rota rota, String name, UnaryOperator<Worker.Builder> settings) {
    TaskHandler handler =
        task -> {
          attempts.accumulateAndGet(task.attempt(), Math::max);
          ran(name).add(task.tenant());
          if (name.equals("held")) {
            open.await();
          }
        };
    return settings.apply(rota.worker()).handle("mail", handler).handle("index", handler).start();
  }
}
