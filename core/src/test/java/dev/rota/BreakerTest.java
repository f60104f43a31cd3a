package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rota.limits.Breaker;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Reason;
import dev.rota.limits.Rule;
import dev.rota.limits.Rule.Pause.Origin;
import dev.rota.limits.Scope;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.WorkerLoad;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a kind that fails is paused, tried and let through again, and burns few attempts. */
@RotaTest
@PostgresVersions({15, 18})
class BreakerTest {

  private static final NewTask CHARGE = NewTask.of("charge", "{}");
  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final Scope KIND = Scope.kind("charge");
  private static final Duration AN_HOUR = Duration.ofHours(1);
  private static final Breaker LONG_PAUSE = Breaker.at(0.5).of(10).pauseFor(AN_HOUR);
  private static final int HANDLERS = 8;
  private static final long LONGER_THAN_A_START_IS_GOOD = TimeUnit.MILLISECONDS.toNanos(80);

  /** Records each pause that a breaker writes. */
  private static final String LOG =
      """
      create table trip (at timestamptz default clock_timestamp(), tenant integer);
      create function logged() returns trigger language plpgsql as
        $$ begin insert into trip (tenant) values (new.tenant); return null; end $$;
      create trigger logged after insert or update on rota.kind_pause
        for each row execute function logged()""";

  private final Map<String, AtomicInteger> failed = new ConcurrentHashMap<>();
  private volatile boolean down = true;
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void prepare() throws SQLException {
    controls = fixture.rota().controls();
    fixture.execute(LOG);
  }

  private void set(Scope scope, Breaker breaker) {
    controls.changeLimits(scope, limits -> limits.breaker(breaker));
  }

  private void run(Task task) {
    if (down && task.kind().equals("charge")) {
      failedOf(task.tenant()).incrementAndGet();
      throw new IllegalStateException("the service is down");
    }
  }

  private AtomicInteger failedOf(String tenant) {
    return failed.computeIfAbsent(tenant, unused -> new AtomicInteger());
  }

  private int allFailed() {
    return failed.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  private Worker start(Rota rota) {
    return rota.worker()
        .concurrency(HANDLERS)
        .handle("charge", this::run)
        .handle("mail", this::run)
        .start();
  }

  /** Processes with a worker each. */
  private final class Group implements AutoCloseable {
    private final List<Worker> workers = new ArrayList<>();

    Group(int processes) {
      Stream.generate(fixture::another).limit(processes).forEach(rota -> workers.add(start(rota)));
    }

    long done() {
      return workers.stream().mapToLong(worker -> worker.statistics().done()).sum();
    }

    @Override
    public void close() {
      workers.forEach(Worker::close);
    }
  }

  private long trips() throws SQLException {
    return fixture.number("select count(*) from trip");
  }

  private Rule.Pause awaitPause(Scope scope) {
    Await.until("paused", () -> pauses().anyMatch(rule -> rule.scope().equals(scope)));
    return pauses()
        .filter(rule -> rule.scope().equals(scope))
        .findFirst()
        .flatMap(Rule::pause)
        .orElseThrow();
  }

  private Stream<Rule> pauses() {
    return controls.rules().stream().filter(rule -> rule.pause().isPresent());
  }

  @Test
  void aKindThatFailsIsPausedWithItsErrorWhileOthersGoOn() throws Exception {
    set(KIND, LONG_PAUSE);
    acme.enqueueAll(Collections.nCopies(5_000, CHARGE));
    other.enqueueAll(Collections.nCopies(100, MAIL));
    try (Group group = new Group(2)) {
      Rule.Pause pause = awaitPause(KIND);
      assertThat(pause.origin()).isEqualTo(Origin.BREAKER);
      assertThat(pause.reason())
          .endsWith(
              "attempts failed, most often with: java.lang.IllegalStateException: the service"
                  + " is down");
      assertThat(Duration.between(pause.since(), pause.until().orElseThrow())).isEqualTo(AN_HOUR);
      Await.until("others go on", group::done, 100);
      Await.until(
          "the others are back, without an attempt",
          () ->
              fixture.number("select count(*) from rota_1.task_init_1 where attempt = 0")
                  == 5_000 - allFailed());
      assertThat(allFailed()).isBetween(10, 10 + 2 * HANDLERS);
      assertThat(trips()).isEqualTo(1);
    }
  }

  @Test
  @Tag("exhaustive")
  void theFirstOfSeveralProcessesThatTripWins() throws Exception {
    set(KIND, LONG_PAUSE);
    Faults first = new Faults();
    Faults second = new Faults();
    ScriptedFault held = first.before("trip breaker").hold();
    ScriptedFault alsoHeld = second.before("trip breaker").hold();
    acme.enqueueAll(Collections.nCopies(2_000, CHARGE));
    try (Worker one = start(fixture.observed(first));
        Worker two = start(fixture.observed(second))) {
      held.awaitReached();
      alsoHeld.awaitReached();
      int begun = allFailed();
      first.release();
      Rule.Pause pause = awaitPause(KIND);
      second.release();
      second.awaitMore("discover", 3);
      assertThat(awaitPause(KIND)).isEqualTo(pause);
      assertThat(trips()).isEqualTo(1);
      assertThat(allFailed()).as("each stopped at once").isBetween(20, begun + 2 * HANDLERS);
      assertThat(one.statistics().done() + two.statistics().done()).isZero();
    }
  }

  @Test
  @Tag("exhaustive")
  void workersAndDaemonsThatStartWhileItIsOpenObeyIt() throws Exception {
    set(KIND, Breaker.at(0.5).of(10).pauseFor(Duration.ofSeconds(4)).probes(2));
    acme.enqueueAll(Collections.nCopies(500, CHARGE));
    try (Group group = new Group(1)) {
      awaitPause(KIND);
      assertThat(group.done()).isZero();
    }
    int burnt = allFailed();
    Faults faults = new Faults();
    try (Worker worker = start(fixture.observed(faults))) {
      faults.awaitMore("discover", 5);
      Rule.Pause pause = awaitPause(KIND);
      assertThat(worker.statistics().claimed()).as("still paused until " + pause.until()).isZero();
      Await.until("it was tried", () -> trips() == 2);
      assertThat(allFailed()).isBetween(burnt + 1, burnt + 2);
      down = false;
      Await.until("all done", () -> worker.statistics().done() + allFailed(), 500);
    }
  }

  @Test
  void aPlansBreakerPausesOneTenantAndATenantsOwnReplacesIt() throws Exception {
    set(Scope.plan("default").ofKind("charge"), LONG_PAUSE);
    set(Scope.tenant("other").ofKind("charge"), LONG_PAUSE.of(40));
    acme.enqueueAll(Collections.nCopies(300, CHARGE));
    other.enqueueAll(Collections.nCopies(300, CHARGE));
    try (Group group = new Group(1)) {
      awaitPause(Scope.tenant("acme").ofKind("charge"));
      awaitPause(Scope.tenant("other").ofKind("charge"));
      assertThat(failedOf("acme").get()).isBetween(10, 10 + HANDLERS);
      assertThat(failedOf("other").get()).isBetween(40, 40 + HANDLERS);
      assertThat(group.done()).isZero();
    }
    assertThat(fixture.texts("select tenant::text from rota.kind_pause order by 1"))
        .containsExactly("1", "2");
  }

  @Test
  @Tag("exhaustive")
  void aTenantThatLeavesThePlanOfABreakerIsLetThrough() {
    set(Scope.plan("default").ofKind("charge"), LONG_PAUSE);
    acme.enqueueAll(Collections.nCopies(100, CHARGE));
    try (Group group = new Group(1)) {
      awaitPause(Scope.tenant("acme").ofKind("charge"));
      assertThat(controls.why("acme").reasons())
          .extracting(Reason::text)
          .anyMatch(text -> text.startsWith("paused by the breaker of tenant:acme/kind:charge"));
      down = false;
      controls.changePlan("acme", "pro");
      assertThat(controls.why("acme").reasons())
          .extracting(Reason::code)
          .doesNotContain(Reason.Code.PAUSED);
      assertThat(pauses()).as("which rules show a pause").isEmpty();
      Await.until("most", () -> group.done() >= 80);
    }
  }

  @Test
  void aTaskCountsTowardsTheBreakersOfItsKindAndOfItsTenant() throws Exception {
    set(Scope.tenant("acme").ofKind("charge"), LONG_PAUSE);
    set(KIND, LONG_PAUSE.of(30));
    acme.enqueueAll(Collections.nCopies(200, CHARGE));
    try (Group group = new Group(1)) {
      awaitPause(Scope.tenant("acme").ofKind("charge"));
      int burnt = failedOf("acme").get();
      assertThat(burnt).isBetween(10, 10 + HANDLERS);
      other.enqueueAll(Collections.nCopies(200, CHARGE));
      awaitPause(KIND);
      assertThat(burnt + failedOf("other").get()).isBetween(30, 30 + HANDLERS);
      assertThat(failedOf("acme")).hasValue(burnt);
      assertThat(group.done()).isZero();
    }
  }

  @Test
  void thePausesOfAnOperatorAndOfABreakerLeaveEachOtherAlone() throws Exception {
    set(KIND, LONG_PAUSE);
    acme.enqueueAll(Collections.nCopies(100, CHARGE));
    try (Group group = new Group(1)) {
      awaitPause(KIND);
      controls.pause(KIND, "ticket 4711");
      assertThat(pauses().map(rule -> rule.pause().orElseThrow().origin()))
          .containsExactlyInAnyOrder(Origin.OPERATOR, Origin.BREAKER);
      assertThat(controls.resume(KIND)).isTrue();
      assertThat(controls.resume(KIND)).isFalse();
      controls.changeLimits(KIND, limits -> limits.concurrency(4));
      assertThat(awaitPause(KIND).origin()).isEqualTo(Origin.BREAKER);
      down = false;
      assertThat(controls.reopen(KIND)).isTrue();
      Await.atLeast("it runs", group::done, 50);
    }
  }

  @Test
  void anotherBreakerBeginsAnewAlsoBySql() throws Exception {
    set(KIND, LONG_PAUSE);
    acme.enqueueAll(Collections.nCopies(500, CHARGE));
    try (Group group = new Group(1)) {
      awaitPause(KIND);
      set(KIND, LONG_PAUSE.of(11));
      Await.until("it tripped again", () -> trips() == 2);
      awaitPause(KIND);
      fixture.execute("update rota.rule set breaker = '0.5 of 9 within 1m pause 1h probes 3'");
      Await.until("it tripped a third time", () -> trips() == 3);
      down = false;
      controls.changeLimits(KIND, limits -> Limits.none());
      assertThat(controls.rules()).isEmpty();
      Await.until("all", () -> group.done() + allFailed(), 500);
    }
  }

  @Test
  void fatalTasksAndCancelledOnesDoNotTripIt() {
    set(KIND, LONG_PAUSE);
    acme.enqueueAll(Collections.nCopies(50, CHARGE));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .handle(
                "charge",
                task -> {
                  throw task.id() % 2 == 0
                      ? new FatalTaskException("no such account")
                      : new TaskCancelledException("not wanted");
                })
            .start()) {
      Await.until("all ended", () -> worker.statistics().claimed(), 50);
    }
    assertThat(pauses()).isEmpty();
  }

  @Test
  void handlersInTransactionsAndOfBatchesAndThoseThatFireAndForgetCount() throws Exception {
    set(KIND, LONG_PAUSE);
    acme.enqueueAll(Collections.nCopies(500, CHARGE));
    Rota process = fixture.another();
    List<Worker.Builder> builders =
        List.of(
            process
                .worker()
                .delivery(DeliveryMode.TRANSACTIONAL)
                .handleInTransaction("charge", (task, connection) -> run(task)),
            process.worker().batchSize(20).handleBatch("charge", tasks -> run(tasks.get(0))),
            process.worker().delivery(DeliveryMode.FIRE_AND_FORGET).handle("charge", this::run));
    for (Worker.Builder builder : builders) {
      try (Worker worker = builder.start()) {
        awaitPause(KIND);
        assertThat(worker.statistics().done()).isZero();
      }
      assertThat(controls.reopen(KIND)).isTrue();
    }
  }

  /** An attempt that does not begin may not count as one that runs: it would count for ever. */
  @Test
  @Tag("exhaustive")
  void aTaskWhoseStartIsTooOldByTheTimeThatAHandlerComesIsNoAttempt() {
    Breaker breaker = LONG_PAUSE.of(2).within(AN_HOUR);
    controls.changeLimits(KIND, limits -> limits.rate(1, Duration.ofSeconds(1)).breaker(breaker));
    AtomicReference<Supplier<WorkerLoad>> load = new AtomicReference<>();
    CountDownLatch busy = new CountDownLatch(1);
    Rota process = fixture.another(builder -> builder.observer(new LoadTaker(load)));
    try (Worker worker =
        process
            .worker()
            .concurrency(1)
            .handle("charge", this::run)
            .handle(
                "mail",
                task -> {
                  busy.countDown();
                  Await.until("a charge has its start", () -> load.get().get().waiting(), 1);
                  LockSupport.parkNanos(LONGER_THAN_A_START_IS_GOOD);
                })
            .start()) {
      acme.enqueue(MAIL);
      Await.until("the handler is busy", () -> busy.getCount(), 0);
      acme.enqueue(CHARGE);
      Await.until("it failed", this::allFailed, 1);
      down = false;
      acme.enqueue(CHARGE);
      Await.atLeast("one more may run, as 2 are needed", () -> worker.statistics().done(), 2);
    }
  }

  /** Takes what tells the load of the worker. */
  private record LoadTaker(AtomicReference<Supplier<WorkerLoad>> taken) implements TaskObserver {

    @Override
    public void workerStarted(Supplier<WorkerLoad> load) {
      taken.set(load);
    }
  }

  @Test
  void aTripThatCannotBeWrittenHoldsInItsProcessUntilItCan() throws Exception {
    set(KIND, LONG_PAUSE);
    Faults faults = new Faults();
    faults.before("trip breaker").times(3).fail();
    acme.enqueueAll(Collections.nCopies(1_000, CHARGE));
    try (Worker worker = start(fixture.observed(faults))) {
      awaitPause(KIND);
      assertThat(allFailed()).isBetween(10, 10 + HANDLERS);
      assertThat(worker.statistics().done()).isZero();
    }
    faults.close();
  }

  @Test
  void anEndThatCannotBeWrittenIsTriedAgain() throws SQLException {
    set(KIND, Breaker.at(0.5).of(10).pauseFor(Duration.ofMillis(100)).probes(1));
    Faults faults = new Faults();
    faults.before("close breaker").times(2).fail();
    acme.enqueueAll(Collections.nCopies(200, CHARGE));
    try (Worker worker = start(fixture.observed(faults))) {
      Await.until("it tripped", () -> trips() >= 1);
      down = false;
      Await.until("all", () -> worker.statistics().done() + allFailed(), 200);
      Await.until(
          "it is closed", () -> fixture.number("select count(*) from rota.kind_pause") == 0);
    }
    faults.close();
  }

  @Test
  @Tag("exhaustive")
  void aTryThatRunsLongKeepsOthersFromBeginning() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger tries = new AtomicInteger();
    AtomicInteger mails = new AtomicInteger();
    set(KIND, Breaker.at(0.5).of(4).pauseFor(AN_HOUR).probes(2));
    acme.enqueueAll(Collections.nCopies(100, CHARGE));
    Rota process = fixture.another();
    try (Worker worker =
            process
                .worker()
                .concurrency(HANDLERS)
                .handle(
                    "charge",
                    task -> {
                      if (down) {
                        run(task);
                      }
                      tries.incrementAndGet();
                      end.await();
                    })
                .handle("mail", task -> mails.incrementAndGet())
                .start();
        AutoCloseable lets = end::countDown) {
      Await.until("it tripped", () -> trips() >= 1);
      assertThat(controls.awaitQuiet(KIND, Await.USUAL)).isTrue();
      down = false;
      fixture.execute("update rota.kind_pause set paused_until = now()");
      Await.until("two are tried", tries::get, 2);
      acme.enqueue(MAIL);
      Await.until("others go on", mails::get, 1);
      assertThat(tries).hasValue(2);
      end.countDown();
      Await.until("all", () -> worker.statistics().done() + allFailed(), 101);
    }
  }

  @Test
  void badInputIsRefused() throws Exception {
    for (Scope scope :
        List.of(
            Scope.everything(),
            Scope.tenant("acme"),
            Scope.plan("pro"),
            Scope.tenant("acme").ofPriority(5))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> set(scope, LONG_PAUSE))
          .withMessageContaining("takes no breaker; give it to kind:K, plan:P/kind:K");
    }
    for (String text :
        List.of("half", "0.5", "0.0 of 20 within 1m pause 30s probes 3", LONG_PAUSE + "0000")) {
      assertThat(
              catchThrowable(
                  () ->
                      fixture.execute(
                          "insert into rota.rule (kind, breaker) values ('k', '" + text + "')")))
          .isInstanceOf(SQLException.class);
    }
    assertThat(controls.rules()).isEmpty();
  }
}
