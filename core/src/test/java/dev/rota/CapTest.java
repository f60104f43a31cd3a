package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.internal.DefaultRota;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that no more tasks of a scope run at a time than its cap, and that others go on. */
@RotaTest
@PostgresVersions({15, 18})
class CapTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final NewTask INDEX = NewTask.of("index", "{}");
  private static final long TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Map<String, Gauge> gauges = new ConcurrentHashMap<>();
  private final CountDownLatch open = new CountDownLatch(1);
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  /** How many tasks run, and the most that ever did. */
  private static final class Gauge {
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger all = new AtomicInteger();

    synchronized void begin() {
      most.accumulateAndGet(now.incrementAndGet(), Math::max);
      all.incrementAndGet();
    }

    /** Counts the most anew. Not between the two steps of a task that began before. */
    synchronized int restart() {
      most.set(0);
      return all.get();
    }
  }

  @BeforeEach
  void getControls() {
    controls = fixture.rota().controls();
  }

  @Test
  @Tag("exhaustive")
  void allCapsHoldAtOnceOverSeveralProcesses() {
    cap(Scope.tenant("acme"), 4);
    cap(Scope.kind("mail"), 5);
    cap(Scope.plan("default").ofKind("index"), 2);
    cap(Scope.everything(), 8);
    for (Tenant tenant : List.of(acme, other)) {
      tenant.enqueueAll(Collections.nCopies(300, MAIL));
      tenant.enqueueAll(Collections.nCopies(300, INDEX));
    }
    try (Group group = new Group(3)) {
      group.awaitDone(1_200);
    }
    assertThat(most("")).isBetween(2, 8);
    assertThat(most("acme")).isBetween(2, 4);
    assertThat(most("mail")).isBetween(2, 5);
    assertThat(most("acme index")).isBetween(1, 2);
    assertThat(most("other index")).isBetween(1, 2);
  }

  @Test
  void aTenantAtItsCapBlocksNeitherOthersNorItself() {
    cap(Scope.tenant("acme").ofKind("held"), 2);
    acme.enqueueAll(Collections.nCopies(1_000, NewTask.of("held", "{}")));
    acme.enqueueAll(Collections.nCopies(100, MAIL));
    other.enqueueAll(Collections.nCopies(100, MAIL));
    try (Group group = new Group(1)) {
      Await.until("other kinds and tenants", () -> gauge("mail").all.get(), 200);
      Await.until("as many as its cap", () -> gauge("held").now.get(), 2);
      open.countDown();
      group.awaitDone(1_200);
    }
    assertThat(most("held")).isEqualTo(2);
  }

  @Test
  void aTenantsOwnCapReplacesThatOfItsPlan() {
    cap(Scope.plan("default"), 1);
    cap(Scope.tenant("acme"), 3);
    acme.enqueueAll(Collections.nCopies(200, MAIL));
    other.enqueueAll(Collections.nCopies(50, MAIL));
    try (Group group = new Group(2)) {
      group.awaitDone(250);
    }
    assertThat(most("acme")).isEqualTo(3);
    assertThat(most("other")).isEqualTo(1);
  }

  @Test
  void aCapIsRaisedLoweredAndRemovedWhileTasksWait() {
    cap(Scope.kind("held"), 2);
    acme.enqueueAll(Collections.nCopies(40, NewTask.of("held", "{}")));
    try (Group group = new Group(2)) {
      Await.until("two", () -> gauge("held").now.get(), 2);
      cap(Scope.kind("held"), 6);
      Await.until("six", () -> gauge("held").now.get(), 6);
      cap(Scope.kind("held"), 1);
      assertThat(most("held")).isEqualTo(6);
      controls.changeLimits(Scope.kind("held"), Limits::concurrencyByDefault);
      // One process may hold all of them. It keeps the last of its eight handlers for short tasks.
      Await.until("more than the cap", () -> gauge("held").now.get() >= 7);
      open.countDown();
      group.awaitDone(40);
    }
  }

  @Test
  @Tag("exhaustive")
  void aLoweredCapHoldsOnceItsTasksHaveEnded() throws SQLException {
    cap(Scope.kind("mail"), 8);
    acme.enqueueAll(Collections.nCopies(4_000, MAIL));
    try (Group group = new Group(2)) {
      Await.until("eight", () -> gauge("mail").now.get(), 8);
      cap(Scope.kind("mail"), 2);
      group.awaitRules();
      Await.until(
          "the others gave their slots back",
          () -> fixture.number("select sum(held) from rota.share where kind = 'mail'") <= 2);
      int begun = gauge("mail").restart();
      Await.until("some more", () -> gauge("mail").all.get() >= begun + 300);
      assertThat(most("mail")).isBetween(1, 2);
      controls.changeLimits(Scope.kind("mail"), limits -> Limits.none());
      group.awaitDone(4_000);
    }
  }

  @Test
  void anIdleProcessGivesItsSlotsToAnother() {
    cap(Scope.kind("held"), 2);
    acme.enqueueAll(Collections.nCopies(2, NewTask.of("held", "{}")));
    try (Group first = new Group(1)) {
      Await.until("both slots are taken", () -> gauge("held").now.get(), 2);
      try (Group second = new Group(1)) {
        open.countDown();
        first.awaitDone(2);
        first.workers.forEach(Worker::close);
        acme.enqueueAll(Collections.nCopies(20, NewTask.of("held", "{}")));
        second.awaitDone(20);
      }
    }
    assertThat(most("held")).isEqualTo(2);
  }

  /** The answer to a commit is lost too: the database may then have more slots than the process. */
  @ParameterizedTest
  @ValueSource(strings = {"make budgets", "look at shares", "lock budgets", "lease slots"})
  @Tag("exhaustive")
  void aFailedLeaseIsTriedAgain(String call) {
    cap(Scope.tenant("acme"), 2);
    acme.enqueueAll(Collections.nCopies(100, MAIL));
    Faults faults = new Faults();
    faults.before(call).fail();
    try (Group group = new Group(List.of(fixture.observed(faults), fixture.another()))) {
      group.awaitDone(100);
    }
    assertThat(most("acme")).isBetween(1, 2);
  }

  @Test
  void workersThatRunTasksInTransactionsAndForgetThemAreCapped() {
    cap(Scope.kind("mail"), 2);
    for (Tenant tenant : List.of(acme, other)) {
      tenant.enqueueAll(Collections.nCopies(100, MAIL));
    }
    Group none = new Group(List.of());
    try (Worker forgets =
            fixture
                .another()
                .worker()
                .delivery(DeliveryMode.FIRE_AND_FORGET)
                .concurrency(4)
                .handle("mail", none::run)
                .start();
        Worker transactional =
            fixture
                .another()
                .worker()
                .concurrency(4)
                .delivery(DeliveryMode.TRANSACTIONAL)
                .handleInTransaction("mail", (task, connection) -> none.run(task))
                .start()) {
      Await.until("all ran", () -> gauge("mail").all.get(), 200);
    }
    assertThat(most("mail")).isBetween(1, 2);
  }

  /** A claim whose tasks may not begin hands them back, and would be made again and again. */
  @Test
  @Tag("exhaustive")
  void aTransactionalWorkerClaimsNoTaskThatMayNotBegin() {
    cap(Scope.kind("held"), 2);
    Group none = new Group(List.of());
    List<Tenant> tenants = Stream.of("a", "b", "c", "d").map(fixture::tenant).toList();
    tenants.forEach(tenant -> tenant.enqueueAll(Collections.nCopies(5, NewTask.of("held", "{}"))));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .concurrency(4)
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction("index", (task, connection) -> none.run(task))
            .handleInTransaction("held", (task, connection) -> none.hold(task))
            .start()) {
      Await.until("both slots are taken", () -> gauge("held").now.get(), 2);
      for (int i = 1; i <= 20; i++) {
        tenants.forEach(tenant -> tenant.enqueue(INDEX));
        int round = i;
        Await.until("index of two tenants", () -> gauge("index").all.get() >= 2 * round);
      }
      assertThat(worker.statistics().claimed()).isBetween(38L, 80L);
      open.countDown();
      Await.until("all done", () -> worker.statistics().done(), 100);
      assertThat(worker.statistics().claimed()).isLessThan(130);
    }
    assertThat(most("held")).isEqualTo(2);
  }

  @Test
  void aWorkerThatCountedAsDeadLeasesItsSlotsAnew() throws Exception {
    cap(Scope.kind("held"), 1);
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("held", "{}")));
    try (Group group = new Group(1)) {
      Await.until("one runs", () -> gauge("held").now.get(), 1);
      fixture.execute("delete from rota.worker");
      open.countDown();
      Await.until("the others run in another term", () -> gauge("held").all.get() >= 3);
    }
    assertThat(most("held")).isEqualTo(1);
  }

  @Test
  void aCapBelowOneSaysWhatToDo() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().concurrency(0))
        .withMessage(
            "concurrency is 0; it must be 1 or more; to let nothing begin, pause the scope");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cap(Scope.tenant("acme").ofPriority(5), 1))
        .withMessage(
            "scope tenant:acme/priority:5 takes no concurrency; give it to its tenant, or to a kind"
                + " of it");
  }

  private void cap(Scope scope, int most) {
    controls.changeLimits(scope, limits -> limits.concurrency(most));
  }

  private Gauge gauge(String what) {
    return gauges.computeIfAbsent(what, unused -> new Gauge());
  }

  private int most(String what) {
    return gauge(what).most.get();
  }

  /** Processes with a worker each. */
  private final class Group implements AutoCloseable {
    private final List<Rota> processes;
    private final List<Worker> workers = new ArrayList<>();

    Group(int processes) {
      this(Stream.generate(fixture::another).limit(processes).toList());
    }

    Group(List<Rota> processes) {
      this.processes = processes;
      for (Rota rota : processes) {
        workers.add(
            rota.worker()
                .concurrency(8)
                .handle("mail", this::run)
                .handle("index", this::run)
                .handle("held", this::hold)
                .start());
      }
    }

    /** Waits until all know the present rules: a process leases slots by the cap that it knows. */
    void awaitRules() throws SQLException {
      long version = fixture.number("select version from rota.rule_version");
      for (Rota process : processes) {
        Await.until(
            "it knows the rules", () -> DefaultRota.kernelOf(process).rules().version(), version);
      }
    }

    private void run(Task task) {
      measured(task, () -> LockSupport.parkNanos(TASK_NANOS));
    }

    private void hold(Task task) throws Exception {
      begin(task);
      try {
        assertThat(open.await(1, TimeUnit.MINUTES)).isTrue();
      } finally {
        end(task);
      }
    }

    private void measured(Task task, Runnable body) {
      begin(task);
      body.run();
      end(task);
    }

    private void begin(Task task) {
      scopes(task).forEach(what -> gauge(what).begin());
    }

    private void end(Task task) {
      scopes(task).forEach(what -> gauge(what).now.decrementAndGet());
    }

    private List<String> scopes(Task task) {
      return List.of("", task.tenant(), task.kind(), task.tenant() + " " + task.kind());
    }

    void awaitDone(int tasks) {
      Await.until(
          "all done",
          () -> workers.stream().mapToLong(worker -> worker.statistics().done()).sum(),
          tasks);
    }

    @Override
    public void close() {
      workers.forEach(Worker::close);
    }
  }
}
