package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that no more tasks of a scope begin in a time than its rate, and that others go on. */
@RotaTest
@PostgresVersions({15, 18})
class RateTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final NewTask INDEX = NewTask.of("index", "{}");
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** How much later than its time a start may come, with those that went back. */
  private static final double LATE_SECONDS = 0.3;

  private final Map<String, List<Long>> starts = new ConcurrentHashMap<>();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void getControls() {
    controls = fixture.rota().controls();
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 50, 500})
  @Tag("exhaustive")
  void aRateHoldsOverSeveralProcessesAndIsUsed(int perSecond) {
    rate(Scope.tenant("acme"), perSecond, 1);
    acme.enqueueAll(Collections.nCopies(perSecond * 3, MAIL));
    try (Group group = new Group(3)) {
      group.awaitDone(perSecond * 2);
    }
    assertHeld("acme", perSecond, 1);
    List<Long> all = starts("acme");
    double seconds = (all.get(perSecond * 2 - 1) - all.get(0)) / 1e9;
    // A busy machine loses starts, but not most of them.
    assertThat(seconds).isLessThan(10);
  }

  @Test
  @Tag("exhaustive")
  void allRatesHoldAtOnce() {
    rate(Scope.plan("default"), 40, 2);
    rate(Scope.kind("mail"), 30, 3);
    rate(Scope.tenant("acme").ofKind("index"), 10, 1);
    rate(Scope.everything(), 60, 5);
    for (Tenant tenant : List.of(acme, other)) {
      tenant.enqueueAll(Collections.nCopies(200, MAIL));
      tenant.enqueueAll(Collections.nCopies(200, INDEX));
    }
    try (Group group = new Group(2)) {
      group.awaitDone(120);
    }
    assertHeld("acme", 40, 2);
    assertHeld("other", 40, 2);
    assertHeld("mail", 30, 3);
    assertHeld("acme index", 10, 1);
    assertHeld("", 60, 5);
  }

  @Test
  void aTenantAtItsRateBlocksNeitherOthersNorItself() {
    rate(Scope.tenant("acme").ofKind("mail"), 2, 1);
    acme.enqueueAll(Collections.nCopies(1_000, MAIL));
    acme.enqueueAll(Collections.nCopies(500, INDEX));
    other.enqueueAll(Collections.nCopies(500, MAIL));
    try (Group group = new Group(1)) {
      Await.until("another kind", () -> starts("acme index").size(), 500);
      Await.until("another tenant", () -> starts("other").size(), 500);
      assertThat(starts("acme mail").size()).isLessThan(100);
      Await.until("its own", () -> starts("acme mail").size() >= 4);
    }
    assertHeld("acme mail", 2, 1);
  }

  @Test
  @Tag("exhaustive")
  void aTenantAtItsRateIsNotClaimedFarAhead() throws Exception {
    rate(Scope.tenant("acme"), 1, 1);
    acme.enqueueAll(Collections.nCopies(1_000, MAIL));
    try (Group group = new Group(2)) {
      Await.until("three", () -> starts("acme").size() >= 3);
      assertThat(group.claimed()).isLessThan(20);
    }
    assertHeld("acme", 1, 1);
  }

  @Test
  void anUnusedRateAllowsItsBurst() {
    rate(Scope.kind("mail"), 1, 30);
    try (Group group = new Group(1)) {
      acme.enqueueAll(Collections.nCopies(60, MAIL));
      Await.until("the burst", () -> starts("mail").size() >= 30);
      assertThat(seconds(starts("mail").subList(0, 30))).isLessThan(15);
    }
    assertHeld("mail", 1, 30);
  }

  @Test
  @Tag("exhaustive")
  void aRateIsRaisedLoweredAndRemovedWhileTasksWait() {
    controls.changeLimits(Scope.kind("mail"), limits -> limits.rate(1, Duration.ofDays(1)));
    acme.enqueueAll(Collections.nCopies(2_000, MAIL));
    try (Group group = new Group(2)) {
      Await.until("the first", () -> starts("mail").size(), 1);
      rate(Scope.kind("mail"), 200, 1);
      Await.until("many", () -> starts("mail").size() >= 100);
      rate(Scope.kind("mail"), 2, 1);
      // Both know it when three more have begun: until then some begin at the former rate.
      int known = starts("mail").size();
      Await.until("few", () -> starts("mail").size() >= known + 3);
      assertThat(starts("mail").size()).isLessThan(known + 200);
      controls.changeLimits(Scope.kind("mail"), Limits::rateByDefault);
      group.awaitDone(2_000);
    }
  }

  @Test
  void aTaskNeedsASlotAndAStart() {
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.concurrency(1).rate(50, SECOND));
    acme.enqueueAll(Collections.nCopies(60, MAIL));
    AtomicInteger most = new AtomicInteger();
    AtomicInteger running = new AtomicInteger();
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      workers.add(
          fixture
              .another()
              .worker()
              .concurrency(8)
              .handle(
                  "mail",
                  task -> {
                    record(task);
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(1_000_000);
                    running.decrementAndGet();
                  })
              .start());
    }
    try {
      Await.until("all", () -> starts("acme").size(), 60);
    } finally {
      workers.forEach(Worker::close);
    }
    assertThat(most).hasValue(1);
    assertHeld("acme", 50, 5);
  }

  /** Its start is too old by the time that a handler comes; without it others would begin late. */
  @Test
  void aTaskThatWaitsLongForAHandlerBeginsWithAnotherStart() {
    rate(Scope.kind("mail"), 50, 1);
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    other.enqueueAll(Collections.nCopies(20, NewTask.of("slow", "{}")));
    try (Worker worker = oneHandler(80_000_000)) {
      Await.until("all done", () -> worker.statistics().done(), 30);
    }
    assertThat(starts("mail")).hasSize(10);
    assertHeld("mail", 50, 1);
  }

  /** The handler is busy when the start of a day comes; then another task must get it. */
  @Test
  @Tag("exhaustive")
  void aStartThatABusyWorkerCannotUseGoesToTheNextTask() {
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.rate(1, Duration.ofDays(1)));
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    other.enqueueAll(Collections.nCopies(10, NewTask.of("slow", "{}")));
    try (Worker worker = oneHandler(400_000_000)) {
      Await.until("all slow ones", () -> worker.statistics().done(), 10);
      Await.until("one", () -> starts("mail").size(), 1);
    }
  }

  /** A worker with one handler, which slow tasks keep busy for so many nanoseconds each. */
  private Worker oneHandler(long nanos) {
    return fixture
        .another()
        .worker()
        .concurrency(1)
        .handle("mail", this::record)
        .handle("slow", task -> LockSupport.parkNanos(nanos))
        .start();
  }

  /** Where the answer to a lease is lost, the database has given starts that no task uses. */
  @ParameterizedTest
  @CsvSource({"BEFORE, make buckets", "BEFORE, lease starts", "AFTER, lease starts"})
  @Tag("exhaustive")
  void aFailedLeaseIsTriedAgain(Faults.Moment moment, String call) {
    rate(Scope.tenant("acme"), 100, 1);
    acme.enqueueAll(Collections.nCopies(50, MAIL));
    Faults faults = new Faults();
    faults.at(moment, call).fail();
    try (Group group = new Group(List.of(fixture.observed(faults)))) {
      group.awaitDone(50);
    }
    assertThat(faults.count(call)).isGreaterThan(1);
    assertHeld("acme", 100, 1);
  }

  /** The start of a day must not be lost by one slow answer. */
  @Test
  void startsWhoseAnswerComesLateGoBack() {
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.rate(1, Duration.ofDays(1)));
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    Faults faults = new Faults();
    faults.after("lease starts").times(1).run(() -> TimeUnit.MILLISECONDS.sleep(600));
    try (Group group = new Group(List.of(fixture.observed(faults)))) {
      Await.until("one", () -> starts("acme").size(), 1);
    }
  }

  @Test
  @Tag("exhaustive")
  void aBucketThatIsGoneIsMadeAgain() throws Exception {
    rate(Scope.kind("mail"), 50, 1);
    acme.enqueueAll(Collections.nCopies(100, MAIL));
    try (Group group = new Group(1)) {
      Await.until("some", () -> starts("mail").size() >= 10);
      fixture.execute("delete from rota.bucket");
      group.awaitDone(100);
    }
  }

  @Test
  @Tag("exhaustive")
  void workersThatRunTasksInTransactionsAndForgetThemKeepTheRate() {
    rate(Scope.kind("mail"), 40, 2);
    for (Tenant tenant : List.of(acme, other)) {
      tenant.enqueueAll(Collections.nCopies(50, MAIL));
    }
    try (Worker forgets =
            fixture
                .another()
                .worker()
                .delivery(DeliveryMode.FIRE_AND_FORGET)
                .concurrency(4)
                .handle("mail", this::record)
                .start();
        Worker transactional =
            fixture
                .another()
                .worker()
                .concurrency(4)
                .delivery(DeliveryMode.TRANSACTIONAL)
                .handleInTransaction("mail", (task, connection) -> record(task))
                .start()) {
      Await.until("all ran", () -> starts("mail").size(), 100);
    }
    assertHeld("mail", 40, 2);
  }

  /** It hands nothing back, so that tasks wait for their starts while it closes. */
  @Test
  @Tag("exhaustive")
  void aWorkerThatForgetsItsTasksRunsThemAtTheRateBeforeItCloses() {
    rate(Scope.kind("mail"), 1, 1);
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle("mail", this::record)
            .start()) {
      Await.until("all are claimed", () -> worker.statistics().claimed(), 3);
      assertThat(worker.close(Await.USUAL)).as("the handlers ended by themselves").isTrue();
    }
    assertThat(starts("mail")).hasSize(3);
    assertHeld("mail", 1, 1);
  }

  /** A claim whose tasks may not begin hands them back, and would be made again and again. */
  @Test
  @Tag("exhaustive")
  void aTransactionalWorkerClaimsNoTaskThatMayNotBegin() {
    rate(Scope.kind("mail"), 5, 1);
    acme.enqueueAll(Collections.nCopies(500, MAIL));
    other.enqueueAll(Collections.nCopies(500, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .concurrency(4)
            .batchSize(1)
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction("mail", (task, connection) -> record(task))
            .start()) {
      Await.until("some ran", () -> starts("mail").size() >= 8);
      assertThat(worker.statistics().claimed()).isLessThan(50);
    }
    assertHeld("mail", 5, 1);
  }

  @Test
  void aRateOutOfRangeSaysWhichFormItTakes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().rate(2_000_000, SECOND))
        .withMessage(
            "rate is 2000000 in PT1S; it must be 1/d to 1000000/s, in a time of 1ms to 366d, such"
                + " as 100/s or 10/m");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().rate(1, Duration.ofDays(2)))
        .withMessageContaining("rate is 1 in PT48H; it must be 1/d to 1000000/s");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().burst(5))
        .withMessage("burst is 5, and there is no rate; set a rate first, such as 100/s");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().rate(1, SECOND).burst(0))
        .withMessage("burst is 0; it must be 1 to 1000000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rate(Scope.tenant("acme").ofPriority(5), 1, 1))
        .withMessage(
            "scope tenant:acme/priority:5 takes no rate; give it to its tenant, or to a kind of it");
  }

  private void rate(Scope scope, int perSecond, int burst) {
    controls.changeLimits(scope, limits -> limits.rate(perSecond, SECOND).burst(burst));
  }

  private void record(Task task) {
    long now = System.nanoTime();
    for (String what : List.of("", task.tenant(), task.kind(), task.tenant() + " " + task.kind())) {
      starts
          .computeIfAbsent(what, unused -> Collections.synchronizedList(new ArrayList<>()))
          .add(now);
    }
  }

  private List<Long> starts(String what) {
    Object[] all = starts.getOrDefault(what, List.of()).toArray();
    return Arrays.stream(all).map(Long.class::cast).sorted().toList();
  }

  private static double seconds(List<Long> some) {
    return (some.get(some.size() - 1) - some.get(0)) / 1e9;
  }

  /** In each window no more began than the rate and its burst allow. */
  private void assertHeld(String what, int perSecond, int burst) {
    List<Long> all = starts(what);
    assertThat(all).as(what).isNotEmpty();
    for (int first = 0; first < all.size(); first++) {
      for (int last = first; last < all.size(); last++) {
        double window = seconds(all.subList(first, last + 1));
        assertThat(last - first + 1.0)
            .as("starts of '%s' in %s s", what, window)
            .isLessThanOrEqualTo(burst + perSecond * (window + LATE_SECONDS) + 1e-6);
      }
    }
  }

  /** Processes with a worker each. */
  private final class Group implements AutoCloseable {
    private final List<Worker> workers = new ArrayList<>();

    Group(int processes) {
      this(Stream.generate(fixture::another).limit(processes).toList());
    }

    Group(List<Rota> processes) {
      for (Rota rota : processes) {
        workers.add(
            rota.worker()
                .concurrency(8)
                .handle("mail", RateTest.this::record)
                .handle("index", RateTest.this::record)
                .start());
      }
    }

    long claimed() throws Exception {
      return 1_000
          - fixture.number(
              "select count(*) from " + "rota_%d.task_init_%1$d".formatted(acme.number()));
    }

    void awaitDone(int tasks) {
      Await.until(
          "done",
          () -> workers.stream().mapToLong(worker -> worker.statistics().done()).sum() >= tasks);
    }

    @Override
    public void close() {
      workers.forEach(Worker::close);
    }
  }
}
