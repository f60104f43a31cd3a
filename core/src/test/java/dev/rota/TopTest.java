package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.rota.limits.Controls;
import dev.rota.limits.LiveShares;
import dev.rota.limits.LiveShares.TenantShare;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the live shares of tenants. */
@RotaTest
@PostgresVersions({15, 18})
class TopTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final Duration SHORTEST = Duration.ofMillis(100);

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;

  @Test
  @Tag("exhaustive")
  void sharesFollowWeights() {
    Controls controls = fixture.rota().controls();
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.weight(3));
    for (Tenant tenant : List.of(acme, other)) {
      tenant.enqueueAll(Collections.nCopies(20_000, MAIL));
    }
    Map<String, LongAdder> ran = Map.of("acme", new LongAdder(), "other", new LongAdder());
    long nanos = TimeUnit.MILLISECONDS.toNanos(5);
    try (Worker worker =
        fixture
            .another()
            .worker()
            .concurrency(4)
            .handle(
                "mail",
                task -> {
                  LockSupport.parkNanos(nanos);
                  ran.get(task.tenant()).increment();
                })
            .start()) {
      Await.atLeast("some ran", () -> worker.statistics().done(), 1_000);
      LiveShares shares = fairWindow(controls, ran);
      assertThat(shares.window()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(60));
      assertThat(shares.handlers().workers()).isEqualTo(1);
      assertThat(shares.handlers().busy()).isBetween(2.0, 5.0);
      assertThat(shares.leftOut()).isZero();
      assertThat(shares.tenants()).extracting(TenantShare::tenant).containsExactly("acme", "other");
      TenantShare first = shares.tenants().get(0);
      assertThat(first.share().due()).isCloseTo(0.75, within(1e-6));
      assertThat(first.share().is()).isCloseTo(0.75, within(0.15));
      assertThat(first.share().weight()).isEqualTo(3);
      assertThat(first.tasks().pending()).isBetween(1L, 20_000L);
      assertThat(first.tasks().running()).isPositive();
      assertThat(first.tasks().oldestPending()).isPresent();
      assertThat(first.heldBackBy()).isEmpty();
    }
  }

  /** Measures until handlers ran three of four tasks for the first: a machine may stall. */
  private static LiveShares fairWindow(Controls controls, Map<String, LongAdder> ran) {
    AtomicReference<LiveShares> shares = new AtomicReference<>();
    Await.until(
        "handlers follow the weights",
        () -> {
          long first = ran.get("acme").sum();
          long second = ran.get("other").sum();
          shares.set(controls.top());
          first = ran.get("acme").sum() - first;
          second = ran.get("other").sum() - second;
          return Math.abs((double) first / (first + second) - 0.75) < 0.05;
        });
    return shares.get();
  }

  /** No batch ends within the window, and nothing is known of earlier ones. */
  @Test
  void tasksThatRunForLongerThanTheWindowCount() throws Exception {
    CountDownLatch open = new CountDownLatch(1);
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .concurrency(8)
            .handle("mail", task -> open.await(1, TimeUnit.MINUTES))
            .start()) {
      Await.until("all are claimed", () -> running(), 3);
      Controls controls = fixture.rota().controls();
      assertThat(controls.top(SHORTEST, 1).handlers().busy()).isBetween(0.5, 3.01);
      fixture.execute("update rota.task_batch_1 set claimed_at = claimed_at - interval '1 min'");
      LiveShares shares = controls.top(SHORTEST, 1);
      assertThat(shares.handlers().busy()).isCloseTo(3, within(0.01));
      assertThat(shares.tenants().get(0).share().is()).isEqualTo(1);
      open.countDown();
      Await.until("all ended", () -> worker.statistics().done(), 3);
    }
  }

  /** Batches of the ledger with known run times, some in a segment that begins meanwhile. */
  @Test
  void eachBatchCountsOnce() throws Exception {
    batch(1, 1, "now() - interval '10 s'", "null", "null");
    batch(1, 2, "now() - interval '60 s'", "now() - interval '30 s'", "9000000");
    Faults faults = new Faults();
    faults
        .before("list newer ledger segments")
        .run(
            () -> {
              // Open for longer than the window: a part counts. Open since the window began: all.
              fixture.execute(
                  "update rota.task_batch_1 set closed_at = clock_timestamp(), run_micros = 40000000"
                      + " where id = 1");
              batch(1, 3, "clock_timestamp()", "clock_timestamp()", "600000");
              fixture.execute("create table rota.task_batch_2 (like rota.task_batch_1)");
              fixture.execute("insert into rota.ledger_segment (seq) values (2)");
              batch(2, 4, "clock_timestamp()", "clock_timestamp()", "200000");
            });
    LiveShares shares = fixture.observed(faults).controls().top(SHORTEST, 10);
    // Batch 1 kept 4 handlers busy, of which the time since the window began counts.
    double seconds =
        Double.parseDouble(
            fixture
                .texts(
                    "select 40 * extract(epoch from closed_at - timestamptz '%s')"
                            .formatted(shares.at().minus(shares.window()))
                        + " / extract(epoch from closed_at - claimed_at)"
                        + " from rota.task_batch_1 where id = 1")
                .get(0));
    double handlers = shares.tenants().get(0).share().handlers();
    assertThat(handlers * shares.window().toNanos() / 1e9).isCloseTo(0.8 + seconds, within(0.001));
    assertThat(shares.tenants()).hasSize(1);
  }

  /** The daemon drops a segment after its number was read: the second try finds it gone. */
  @Test
  void aSegmentOfTheLedgerThatIsDroppedMeanwhileIsLeftOut() throws Exception {
    batch(1, 1, "now() - interval '10 s'", "null", "null");
    fixture.execute("create table rota.task_batch_2 (like rota.task_batch_1)");
    fixture.execute("insert into rota.ledger_segment (seq) values (2)");
    Faults faults = new Faults();
    faults
        .before("sum run time")
        .run(
            () ->
                fixture.execute(
                    "drop table rota.task_batch_2; delete from rota.ledger_segment where seq = 2"));
    LiveShares shares = fixture.observed(faults).controls().top(SHORTEST, 10);
    assertThat(faults.count("sum run time")).as("two, and one after the drop").isEqualTo(3);
    assertThat(shares.tenants()).hasSize(1);
  }

  @Test
  void aTableThatStaysMissingEndsTheCall() throws Exception {
    fixture.execute("insert into rota.ledger_segment (seq) values (2)");
    Controls controls = fixture.rota().controls();
    assertThatThrownBy(() -> controls.top(SHORTEST, 10))
        .isInstanceOf(RotaException.class)
        .hasMessageContaining("measure shares");
  }

  @Test
  @Tag("exhaustive")
  void rulesAreReadOnceForACall() throws Exception {
    Controls controls = fixture.rota().controls();
    acme.enqueue(MAIL);
    controls.changePlan("acme", "pro");
    controls.pause(Scope.plan("pro").ofKind("other"), "");
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
            + " values (1, 'a', '1 h', now(), now(), 2)");
    Faults faults = new Faults();
    Controls counted = fixture.observed(faults).controls();
    counted.top(SHORTEST, 10);
    assertThat(faults.count("read rules")).isEqualTo(1);
    assertThat(faults.count("read plans")).isEqualTo(1);
    assertThat(counted.why("acme").reasons()).isEmpty();
    assertThat(faults.count("list open work")).as("shares were measured").isEqualTo(2);
    assertThat(faults.count("read rules")).isEqualTo(2);
    assertThat(faults.count("read plans")).isEqualTo(2);
  }

  @Test
  void meansOfEarlierTasksBoundWhatAnOpenBatchRuns() throws SQLException {
    fixture.execute(
        "insert into rota.statistic values (1, date_bin('1 hour', now(), 'epoch'), 10, 0, 0, 0,"
            + " 1000000, 1, 1, 'mail')");
    // 500 tasks of 0.1 s in a batch that is open for 100 s: half a handler.
    batch(1, 1, "now() - interval '100 s'", "null", "null");
    fixture.execute("update rota.task_batch_1 set tasks = 500");
    LiveShares shares = fixture.rota().controls().top(SHORTEST, 10);
    assertThat(shares.tenants().get(0).share().handlers()).isBetween(0.2, 0.51);
    assertThat(shares.tenants().get(0).tasks().running()).isEqualTo(500);
  }

  @Test
  void whatHoldsTenantsBackIsTold() throws SQLException {
    Controls controls = fixture.rota().controls();
    fixture.tenant("third").enqueue(MAIL);
    acme.enqueueAll(List.of(MAIL, MAIL));
    other.enqueueAll(List.of(MAIL, MAIL, MAIL));
    controls.pause(Scope.tenant("acme"), "");
    controls.pause(Scope.tenant("third").ofKind("mail"), "");
    controls.changeLimits(Scope.tenant("other").ofKind("mail"), limits -> limits.concurrency(1));
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
            + " values (1, 'a', '1 h', now(), now(), 1);"
            + "insert into rota.budget (owner, kind) values (2, 'mail');"
            + "insert into rota.share values (2, 'mail', 1, 1, true)");
    LiveShares shares = controls.top(SHORTEST, 2);
    assertThat(shares.tenants())
        .extracting(TenantShare::tenant, TenantShare::heldBackBy)
        .containsExactly(tuple("other", Set.of(Code.CAPPED)), tuple("acme", Set.of(Code.PAUSED)));
    assertThat(shares.leftOut()).isEqualTo(1);
    fixture.execute("update rota.share set wanted = false");
    assertThat(controls.top(SHORTEST, 1).tenants().get(0).heldBackBy()).isEmpty();
  }

  /** A worker that holds all slots of a cap asks for no more. */
  @Test
  void theCapOfATenantHoldsItBackAtALoneWorker() throws Exception {
    Controls controls = fixture.rota().controls();
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.concurrency(2));
    CountDownLatch open = new CountDownLatch(1);
    AtomicInteger begun = new AtomicInteger();
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    try (Worker worker =
        fixture
            .another()
            .worker()
            .concurrency(8)
            .handle(
                "mail",
                task -> {
                  begun.incrementAndGet();
                  open.await();
                })
            .start()) {
      Await.until("all slots are taken", begun::get, 2);
      assertThat(controls.top(SHORTEST, 1).tenants().get(0).heldBackBy())
          .containsExactly(Code.CAPPED);
      open.countDown();
      Await.until("all ended", () -> worker.statistics().done(), 10);
      Await.until(
          "nothing is held back",
          () ->
              controls.top(SHORTEST, 1).tenants().stream()
                  .allMatch(tenant -> tenant.heldBackBy().isEmpty()));
    }
  }

  @Test
  void ratesAndPoolsHoldTenantsBack() throws SQLException {
    Controls controls = fixture.rota().controls();
    fixture.tenant("third").enqueue(MAIL);
    acme.enqueueAll(List.of(MAIL, MAIL));
    other.enqueueAll(List.of(MAIL, MAIL, MAIL));
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
            + " values (1, 'a', '1 h', now(), now(), 2);"
            + "insert into rota.bucket (owner, kind, last_at) values (1, '', now() + interval '1 h'),"
            + " (null, 'mail', now() + interval '1 h')");
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.rate(1, Duration.ofDays(1)));
    controls.changeLimits(Scope.kind("mail"), limits -> limits.rate(1, Duration.ofDays(1)));
    controls.changeLimits(Scope.tenant("other"), limits -> limits.pool("eu"));
    assertThat(controls.top(SHORTEST, 3).tenants())
        .extracting(TenantShare::tenant, TenantShare::heldBackBy)
        .containsExactly(
            tuple("other", Set.of(Code.POOL_NOT_SERVED)),
            tuple("acme", Set.of(Code.RATE_LIMITED)),
            tuple("third", Set.of()));
  }

  /** Neither a rotation nor a claim that takes long delays it, nor does it delay them. */
  @Test
  void itWaitsForNoOtherSession() throws Exception {
    acme.enqueue(MAIL);
    try (Connection lock = fixture.begin()) {
      RotaFixture.execute(lock, "lock table rota_1.task_init_1_0 in access exclusive mode");
      LiveShares shares = fixture.rota().controls().top(SHORTEST, 10);
      assertThat(shares.tenants().get(0).tasks().pending()).isEqualTo(1);
      assertThat(shares.tenants().get(0).tasks().oldestPending()).isEmpty();
    }
  }

  /** The server ends its look after 50 ms of silence, so that no rotation waits for it. */
  @Test
  void aProcessThatStallsDoesNotTellTheAge() throws Exception {
    acme.enqueue(MAIL);
    Faults faults = new Faults();
    faults.after("find oldest pending").times(1).run(() -> TimeUnit.MILLISECONDS.sleep(500));
    LiveShares shares = fixture.observed(faults).controls().top(SHORTEST, 10);
    assertThat(shares.tenants().get(0).tasks().pending()).isEqualTo(1);
    assertThat(shares.tenants().get(0).tasks().oldestPending()).isEmpty();
  }

  @Test
  void anEmptyDatabaseHasNoShares() throws SQLException {
    fixture.execute("delete from rota.ledger_segment");
    LiveShares shares = fixture.rota().controls().top(SHORTEST, 10);
    assertThat(shares.tenants()).isEmpty();
    assertThat(shares.handlers()).isEqualTo(new LiveShares.Handlers(0, 0));
  }

  @Test
  void anInterruptEndsIt() {
    Faults faults = new Faults();
    faults.after("mark ledger").run(() -> Thread.currentThread().interrupt());
    Controls controls = fixture.observed(faults).controls();
    assertThatThrownBy(() -> controls.top(Duration.ofMinutes(1), 10))
        .isInstanceOf(RotaException.class)
        .hasMessageContaining("was interrupted while it measured shares");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void argumentsOutOfRangeAreRefused() {
    Controls controls = fixture.rota().controls();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> controls.top(Duration.ofMillis(99), 1))
        .withMessageContaining("window is PT0.099S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> controls.top(SHORTEST, 0))
        .withMessage("most is 0; it must be 1 to 10000");
  }

  private long running() throws SQLException {
    return fixture.number(
        "select coalesce(sum(tasks), 0) from rota.task_batch where closed_at is null");
  }

  private void batch(int segment, long id, String claimed, String closed, String micros)
      throws SQLException {
    fixture.execute(
        "insert into rota.task_batch_%d (id, worker, claimed_at, closed_at, tenant, segment, tasks, run_micros)"
                .formatted(segment)
            + " values (%d, 0, %s, %s, 1, 1, 10, %s)".formatted(id, claimed, closed, micros));
  }
}
