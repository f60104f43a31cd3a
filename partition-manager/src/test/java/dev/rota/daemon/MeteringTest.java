package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.segment;
import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.Given;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.erasure.TenantEraser;
import dev.rota.limits.Scope;
import dev.rota.metering.Usage;
import dev.rota.metering.UsageVerification;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the leader adds each segment of the ledger to the usage, once and whole. */
@RotaTest
@PostgresVersions({15, 18})
class MeteringTest {

  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");
  private static final String METER = "count the usage";
  private static final String ROLL = "turn the ledger over";
  private static final String METERED =
      "select count(*) from rota.ledger_segment where metered_at is not null";
  private static final String IN_TABLE = "select coalesce(sum(attempts), 0) from rota.usage";

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  @Test
  void theUsageStaysTheSameWhenItsSegmentIsMeteredAndDropped() throws SQLException {
    run(3);
    List<Usage> before = usage();
    assertThat(before).singleElement().extracting(hour -> hour.attempts().count()).isEqualTo(3L);
    sealSegment();
    assertThat(counts(usage())).isEqualTo(counts(before));
    perform(METER);
    assertThat(fixture.number(METERED)).isOne();
    assertThat(fixture.number(IN_TABLE)).isEqualTo(3);
    assertThat(counts(usage())).isEqualTo(counts(before));
    assertExact(1, 0);
    perform(METER);
    assertThat(counts(usage())).isEqualTo(counts(before));
    run(2);
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(5L);
    assertExact(1, 0);
    perform(ROLL);
    assertThat(fixture.texts("select seq from rota.ledger_segment")).containsExactly("2");
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(5L);
    // Of this hour the ledger has only a part by now.
    assertExact(0, 1);
  }

  @Test
  void aSegmentIsNotDroppedBeforeItIsMetered() throws SQLException {
    run(1);
    sealSegment();
    perform(ROLL, ROLL);
    assertThat(fixture.texts("select seq from rota.ledger_segment order by seq"))
        .containsExactly("1", "2");
    perform(METER, ROLL);
    assertThat(fixture.texts("select seq from rota.ledger_segment")).containsExactly("2");
  }

  @Test
  void aSegmentWithAnOpenBatchIsMeteredWhenThatHasEnded() throws SQLException {
    run(1);
    acme.enqueueAll(tasks("k", 2));
    Batch late = acme.claim(2);
    sealSegment();
    perform(METER);
    assertThat(fixture.number(METERED)).isZero();
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(1L);
    late.settle();
    perform(METER);
    assertThat(fixture.number(METERED)).isOne();
    assertThat(fixture.number(IN_TABLE)).isEqualTo(3);
    assertExact(1, 0);
  }

  @Test
  void aClaimThatDidNotNoticeTheSealGoesToTheNextSegment() throws SQLException {
    Tenant stale =
        fixture
            .another(builder -> builder.registryRefresh(Duration.ofMinutes(1)))
            .tenants()
            .get("acme");
    stale.enqueueAll(tasks("k", 1));
    try (Batch batch = stale.claim(1)) {
      batch.settle();
    }
    sealSegment();
    perform(METER);
    stale.enqueueAll(tasks("k", 1));
    try (Batch batch = stale.claim(1)) {
      assertThat(batch.tasks()).hasSize(1);
      batch.settle();
    }
    assertThat(fixture.number("select count(*) from rota.task_batch where seq = 2")).isOne();
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(2L);
    assertExact(1, 0);
    // As programs in SQL, and workers of older versions, are told.
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> fixture.execute("insert into rota.task_batch_1 (id) values (1)"))
        .withMessageContaining("segment rota.task_batch_1 of the ledger is metered")
        .satisfies(refusal -> assertThat(refusal.getSQLState()).isEqualTo("42P01"));
  }

  @Test
  @Tag("exhaustive")
  void aZombieSettlesNothingInAMeteredSegment() throws SQLException {
    acme.enqueueAll(tasks("k", 3));
    Rota doomed = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
    Batch zombie = doomed.tenants().get("acme").claim(3);
    fixture.execute(
        "update rota.worker set heartbeat_at = now() - interval '1 hour',"
            + " lease = interval '100 milliseconds'");
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("its tasks are back", () -> daemon.statistics().reaped(), 3);
    daemon.close();
    sealSegment();
    perform(METER);
    assertThat(zombie.settle()).isEqualTo(new SettleResult(0, 3));
    try (Batch again = acme.claim(3)) {
      again.settle();
    }
    Usage hour = usage().get(0);
    assertThat(hour.attempts().count()).isEqualTo(3);
    assertThat(hour.lost()).isEqualTo(3);
    assertExact(1, 0);
  }

  @Test
  void whatADeadWorkerHadSettledCounts() throws SQLException {
    acme.enqueueAll(tasks("k", 3));
    Rota doomed = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
    Batch batch = doomed.tenants().get("acme").claim(3);
    fixture.execute(
        "update %s set state = 1, finished_at = now() where id = %d"
            .formatted(segment(acme, 1), batch.tasks().get(0).id()));
    fixture.execute(
        "update rota.worker set heartbeat_at = now() - interval '1 hour',"
            + " lease = interval '100 milliseconds'");
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("the others are back", () -> daemon.statistics().reaped(), 2);
    assertThat(usage().get(0).attempts().count()).isOne();
    assertThat(usage().get(0).attempts().bytes()).isEqualTo(2);
    assertThat(usage().get(0).lost()).isEqualTo(2);
    assertExact(1, 0);
  }

  @Test
  @Tag("exhaustive")
  void tasksThatWereHandedBackBeforeTheirWorkerDiedAreNotLost() throws Exception {
    acme.enqueueAll(tasks("k", 10));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService oneThread = Executors.newSingleThreadExecutor();
    Rota doomed = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
    try (Worker unused = blocked(doomed, oneThread, begun, end);
        AutoCloseable ended = end::countDown) {
      begun.await();
      fixture.rota().controls().pause(Scope.tenant("acme"), "");
      String pending = "select count(*) from rota_1.task_init_1";
      Await.until("the others are pending again", () -> fixture.number(pending), 9);
      fixture.execute(
          "update rota.worker set heartbeat_at = now() - interval '1 hour',"
              + " lease = interval '100 milliseconds'"
              + " where id in (select worker from rota.task_batch where closed_at is null)");
      RotationDaemon daemon = fixture.daemon(settings -> settings);
      Await.until("the one that ran is back", () -> daemon.statistics().reaped(), 1);
      daemon.close();
      assertThat(usage()).extracting(Usage::lost).containsExactly(1L);
      sealSegment();
      perform(METER);
      assertThat(usage()).extracting(Usage::lost).containsExactly(1L);
    } finally {
      oneThread.shutdown();
    }
  }

  /** Starts a worker that claims several tasks and runs one of them until the end. */
  private static Worker blocked(
      Rota rota, ExecutorService oneThread, CountDownLatch begun, CountDownLatch end) {
    return rota.worker()
        .concurrency(8)
        .headroom(0)
        .executor(oneThread)
        .handle(
            "k",
            task -> {
              begun.countDown();
              end.await();
            })
        .start();
  }

  @Test
  void aLeaderThatDiesBeforeOrAfterItsCommitCountsOnce() throws SQLException {
    run(4);
    sealSegment();
    Faults faults = new Faults();
    Rota dying = fixture.observed(faults);
    faults.after("meter segment").times(1).fail("57P01");
    assertThat(tryToMeter(dying)).isZero();
    assertThat(fixture.number(IN_TABLE)).isZero();
    perform(METER);
    perform(METER);
    assertThat(fixture.number(IN_TABLE)).isEqualTo(4);
    assertExact(1, 0);
  }

  private long tryToMeter(Rota rota) throws SQLException {
    try {
      ManualDaemon.leading(rota).perform(METER);
    } catch (SQLException e) {
      // The leadership may end with the connection.
    }
    return fixture.number(METERED);
  }

  @Test
  void aReaderOfTheLedgerDelaysNothing() throws Exception {
    run(1);
    sealSegment();
    try (Connection reader = fixture.begin()) {
      DaemonFixture.texts(reader, "select id::text from rota.task_batch");
      perform(METER);
      assertThat(fixture.number(METERED)).isOne();
      reader.rollback();
    }
  }

  @Test
  void aRewrittenSegmentIsMeteredTheSame() throws SQLException {
    run(5);
    sealSegment();
    fixture.execute("vacuum full rota.task_batch_1");
    perform(METER);
    fixture.execute("vacuum full rota.task_batch_1");
    assertThat(fixture.number(IN_TABLE)).isEqualTo(5);
    assertExact(1, 0);
  }

  @Test
  void batchesOfTwoHoursAndAClockThatWentBackCountInTheirHours() throws SQLException {
    run(1);
    fixture.execute("update rota.task_batch_1 set closed_at = closed_at - interval '1 hour'");
    run(2);
    sealSegment();
    perform(METER);
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(1L, 2L);
    run(4);
    fixture.execute("update rota.task_batch_2 set closed_at = closed_at - interval '1 hour'");
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(5L, 2L);
    assertExact(2, 0);
  }

  @Test
  void theCopiesThatALegalHoldKeepsDoNotCountAgain() throws SQLException {
    run(3);
    acme.history().changeRetention(policy -> policy.legalHold(true));
    sealSegment();
    perform(METER, ROLL);
    assertThat(fixture.texts("select seq from rota.ledger_segment")).containsExactly("2");
    assertThat(fixture.number("select count(*) from rota.task_batch_2")).isPositive();
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(3L);
    fixture.execute("update rota.ledger_segment set opened_at = now() - interval '8 days'");
    run(1);
    perform(ROLL);
    sealedLongAgo();
    perform(METER);
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(4L);
  }

  @Test
  @Tag("exhaustive")
  void anErasedTenantLeavesNoUsage() throws SQLException {
    run(3);
    Tenant other = fixture.tenant("other");
    other.enqueueAll(tasks("k", 1));
    try (Batch batch = other.claim(1)) {
      batch.settle();
    }
    sealSegment();
    perform(METER);
    run(2);
    var receipt = TenantEraser.builder(fixture.rota()).closing(true).build().erase("acme");
    assertThat(receipt.parts())
        .filteredOn(part -> part.name().equals("rota.usage"))
        .singleElement()
        .satisfies(part -> assertThat(part.rows()).hasValue(1));
    assertThat(usage()).extracting(Usage::tenant).containsExactly("other");
    assertThat(fixture.rota().metering().verify(Instant.EPOCH, FOREVER).isExact()).isTrue();
    fixture.execute("update rota.ledger_segment set opened_at = now() - interval '8 days'");
    perform(ROLL);
    sealedLongAgo();
    perform(METER);
    assertThat(usage()).extracting(Usage::tenant).containsExactly("other");
  }

  /** A batch of a tenant that is erased while its batches are still there. */
  @Test
  void batchesOfATenantThatIsGoneAreLeftOut() throws SQLException {
    run(3);
    fixture.execute("update rota.task_batch_1 set tenant = 99");
    sealSegment();
    perform(METER);
    assertThat(fixture.number(METERED)).isOne();
    assertThat(usage()).isEmpty();
  }

  @Test
  void batchesWithoutARunTimeAreLeftOut() throws SQLException {
    run(3);
    // As a worker of an older version closes it.
    fixture.execute("update rota.task_batch_1 set run_micros = null, attempts = null");
    assertThat(usage()).isEmpty();
    assertThat(fixture.rota().metering().verify(Instant.EPOCH, FOREVER).compared()).isZero();
    sealSegment();
    perform(METER);
    assertThat(usage()).isEmpty();
  }

  @Test
  void storageIsMeasuredOnceAnHourAndNotOfParkedTenants() throws SQLException {
    Tenant parked = fixture.rota().tenants().register("parked");
    run(1);
    perform(METER);
    long bytes = fixture.number("select storage_byte_hours from rota.usage where tenant = 1");
    assertThat(bytes).isPositive();
    assertThat(all().get(0).storageByteHours()).isEqualTo(bytes);
    run(1_000);
    perform(METER);
    assertThat(fixture.number("select storage_byte_hours from rota.usage where tenant = 1"))
        .isEqualTo(bytes);
    assertThat(all()).extracting(Usage::tenant).doesNotContain(parked.name());
    fixture.execute("update rota.usage set hour = hour - interval '1 hour'");
    perform(METER);
    assertThat(fixture.number("select max(storage_byte_hours) from rota.usage where tenant = 1"))
        .isGreaterThan(bytes);
  }

  @Test
  void aLockedTenantIsMeasuredLater() throws Exception {
    run(1);
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    faults.before("sample storage").times(1).fail("55P03");
    RotationDaemon daemon = fixture.daemon(rota, settings -> settings);
    Await.until(
        "it is measured",
        () -> fixture.number("select count(*) from rota.usage where storage_byte_hours > 0"),
        1);
    daemon.close();
  }

  @Test
  @Tag("exhaustive")
  void aLockOfOneTenantDelaysNoOther() throws Exception {
    run(1);
    fixture.tenant("other").enqueueAll(tasks("k", 1));
    String measured = "select count(*) from rota.usage where storage_byte_hours > 0 and tenant = ";
    RotationDaemon daemon;
    try (Connection rewrite = fixture.begin()) {
      DaemonFixture.execute(rewrite, "lock table rota_1.task_hist_1_1 in access exclusive mode");
      daemon = fixture.daemon(settings -> settings);
      Await.until("the other one is measured", () -> fixture.number(measured + 2), 1);
      assertThat(fixture.number(measured + 1)).isZero();
      rewrite.rollback();
    }
    Await.until("it is measured later", () -> fixture.number(measured + 1), 1);
    daemon.close();
  }

  @Test
  void aRunningDaemonMeters() throws Exception {
    run(7);
    fixture.daemon(settings -> settings.keepLedger(Duration.ZERO));
    Await.until("the usage is in the table", () -> fixture.number(IN_TABLE), 7);
    Await.until(
        "the segment is dropped",
        () -> fixture.text("select to_regclass('rota.task_batch_1')").equals("null"));
    assertThat(usage()).extracting(hour -> hour.attempts().count()).containsExactly(7L);
  }

  private void run(int count) {
    acme.enqueueAll(tasks("k", count));
    for (int ran = 0; ran < count; ) {
      try (Batch batch = acme.claim(100)) {
        ran += batch.tasks().size();
        batch.settle();
      }
    }
  }

  /** Opens the next segment of the ledger. */
  private void sealSegment() throws SQLException {
    fixture.execute("update rota.ledger_segment set opened_at = now() - interval '8 days'");
    perform(ROLL);
    sealedLongAgo();
  }

  private void sealedLongAgo() throws SQLException {
    fixture.execute(
        "update rota.ledger_segment set sealed_at = now() - interval '8 days'"
            + " where sealed_at is not null");
  }

  private void perform(String... tasks) throws SQLException {
    ManualDaemon.leading(fixture.rota()).perform(tasks);
  }

  private void assertExact(int compared, int skipped) {
    UsageVerification result = fixture.rota().metering().verify(Instant.EPOCH, FOREVER);
    assertThat(result.differences()).isEmpty();
    assertThat(result.compared()).isEqualTo(compared);
    assertThat(result.skipped()).isEqualTo(skipped);
  }

  /** The usage without the storage. */
  private static List<Usage> counts(List<Usage> usage) {
    return usage.stream()
        .map(hour -> new Usage(hour.tenant(), hour.hour(), hour.attempts(), hour.lost(), 0))
        .toList();
  }

  /** The hours with more than storage, which the metering measures besides. */
  private List<Usage> usage() {
    return all().stream().filter(hour -> hour.attempts().count() + hour.lost() > 0).toList();
  }

  private List<Usage> all() {
    return fixture.rota().metering().usage(Instant.EPOCH, FOREVER).toList();
  }
}
