package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the leader counts the tasks of tenants with a quota when counters were lost. */
@RotaTest
@PostgresVersions({15, 18})
class QuotaCountTest {

  private static final String COUNT = "count the pending tasks of tenants with a quota";
  private static final String COUNTED =
      "select count(*) from rota.pending_count where relation = 0";
  private static final String BASES = "select count(*) from rota.pending_count where not exact";

  private static final String TABLES =
      "select count(*) from rota.pending_count where relation <> 0 and tenant = 2";

  private static final Scope ACME = Scope.tenant("acme");
  private static final NewTask DELAYED = NewTask.of("k", "{}").after(Duration.ofHours(1));
  private static final int PRODUCERS = 8;
  private static final int BATCH = 500;
  private static final int MOST_CALLS = 1_000;

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  @BeforeEach
  void set() {
    fixture.rota().controls().changeLimits(ACME, limits -> limits.maxPending(100));
  }

  @Test
  void aTenantIsCountedOnceAfterItsCountersWereLost() throws SQLException {
    acme.enqueueAll(tasks("k", 100));
    perform();
    assertThat(fixture.number(COUNTED)).isOne();
    assertThat(fixture.number(BASES)).as("the counters are right").isZero();
    loseCounters();
    acme.enqueueAll(tasks("k", 20));
    perform();
    assertThat(fixture.number(BASES)).isOne();
    String before = counts();
    perform();
    assertThat(counts()).isEqualTo(before);
    assertThat(used(1)).isEqualTo(120);
    done(70);
    assertThat(used(60)).isEqualTo(50);
    acme.enqueueAll(tasks("k", 50));
    assertThat(used(1)).isEqualTo(100);
  }

  @Test
  void aTenantWithRoomIsCountedAnewAfterTenMinutesIfItsTasksChange() throws SQLException {
    acme.enqueueAll(tasks("k", 30));
    loseCounters();
    perform();
    rollBack("delete from rota_1.task_init_1_0", "pg_stat_get_tuples_deleted", 30);
    assertThat(used(101)).isZero();
    perform();
    assertThat(used(101)).as("so soon").isZero();
    fixture.execute("update rota.pending_count set counted_at = now() - interval '11 minutes'");
    perform();
    assertThat(used(101)).isEqualTo(30);
    fixture.execute("update rota.pending_count set counted_at = now() - interval '11 minutes'");
    String before = counts();
    perform();
    assertThat(counts()).as("nothing has changed").isEqualTo(before);
  }

  @Test
  void tasksThatWereRolledBackFillNoQuotaAfterCountersWereLost() throws SQLException {
    acme.enqueueAll(tasks("k", 10));
    loseCounters();
    perform();
    rollBack(DaemonFixture.insertion(acme, 0, "k", 90), "pg_stat_get_tuples_inserted", 90);
    assertThat(used(1)).isEqualTo(100);
    perform();
    assertThat(used(91)).isEqualTo(10);
  }

  @Test
  void aRewriteOfASlotHidesNoTask() throws SQLException {
    acme.enqueueAll(tasks("k", 80));
    loseCounters();
    perform();
    fixture.execute("vacuum full rota_1.task_init_1_0");
    assertThat(used(21)).isEqualTo(80);
    perform();
    String before = counts();
    perform();
    assertThat(counts()).as("it is counted once").isEqualTo(before);
    assertThat(used(21)).isEqualTo(80);
  }

  @Test
  void tablesThatAreMadeAfterTheCountAreCounted() throws SQLException {
    Tenant late = countedWhileParked(100);
    assertThat(fixture.number(TABLES)).as("it has no tables").isZero();
    late.enqueueAll(tasks("k", 10));
    perform();
    assertThat(fixture.number(TABLES)).isEqualTo(4);
    late.addLane(5);
    perform();
    assertThat(fixture.number(TABLES)).isEqualTo(7);
    String before = counts();
    perform();
    assertThat(counts()).isEqualTo(before);
    // As if it had been parked in between.
    fixture.execute(
        "update rota.pending_count set relation = (relation::bigint + 1000000)::oid where relation <> 0");
    perform();
    assertThat(fixture.number(TABLES + " and pg_relation_filenode(relation) > 0")).isEqualTo(7);
  }

  @Test
  void aCountEndsWhenTheSlotIsTruncated() throws SQLException {
    acme.enqueueAll(tasks("k", 100));
    loseCounters();
    perform();
    done(100);
    fixture.execute("truncate rota_1.task_init_1_0");
    acme.enqueueAll(tasks("k", 100));
    assertThat(used(1)).isEqualTo(100);
  }

  @Test
  void aVacuumBesideEnqueuesHidesNoTask() throws Exception {
    int quota = 50_000;
    Tenant late = countedWhileParked(quota);
    late.enqueueAll(List.of(DELAYED));
    perform();
    ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS + 1);
    try {
      AtomicBoolean over = new AtomicBoolean();
      Future<?> vacuums = threads.submit(() -> vacuum(over));
      for (Future<?> producer :
          threads.invokeAll(Collections.nCopies(PRODUCERS, () -> fill(late)))) {
        producer.get();
      }
      over.set(true);
      vacuums.get();
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.number("select count(*) from rota_2.task_wait_2"))
        .isBetween((long) quota - BATCH, quota + (long) PRODUCERS * BATCH);
  }

  private Tenant countedWhileParked(int quota) throws SQLException {
    Tenant late = fixture.rota().tenants().register("late");
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.tenant("late"), limits -> limits.maxPending(quota));
    perform();
    return late;
  }

  private int vacuum(AtomicBoolean over) throws SQLException {
    int rounds = 0;
    for (; !over.get(); rounds++) {
      fixture.execute("vacuum rota_2.task_wait_2");
      fixture.execute("analyze rota_2.task_wait_2");
    }
    return rounds;
  }

  /** Enqueues until the quota refuses; returns how many calls it took. */
  private static int fill(Tenant tenant) {
    for (int calls = 1; calls <= MOST_CALLS; calls++) {
      try {
        tenant.enqueueAll(Collections.nCopies(BATCH, DELAYED));
      } catch (QuotaExceededException e) {
        return calls;
      }
    }
    throw new AssertionError("the quota refused none of " + MOST_CALLS + " calls");
  }

  @Test
  void tasksThatWereRolledBackCountUntilTheNextCountOnly() throws SQLException {
    acme.enqueueAll(Collections.nCopies(30, DELAYED));
    perform();
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      acme.enqueueAll(connection, Collections.nCopies(60, DELAYED));
      connection.rollback();
    }
    assertThat(used(100)).isEqualTo(30);
    fixture.execute("vacuum rota_1.task_wait_1");
    assertThat(used(100)).isEqualTo(90);
    perform();
    assertThat(used(100)).isEqualTo(30);
  }

  @Test
  void manyTenantsAreCountedInOneStep() throws SQLException {
    fixture.rota().controls().changeLimits(Scope.plan("default"), limits -> limits.maxPending(100));
    List<String> names = IntStream.range(0, 200).mapToObj(i -> "t" + i).toList();
    fixture.rota().tenants().registerAll(names);
    ManualDaemon leader = ManualDaemon.leading(fixture.rota());
    int steps = 0;
    for (; fixture.number(COUNTED) <= names.size(); steps++) {
      leader.perform(COUNT);
    }
    assertThat(steps).isLessThan(names.size() / 4);
  }

  @Test
  void aTenantThatARuleMissedIsFound() throws SQLException {
    fixture.execute("update rota.tenant set quota = false");
    perform();
    assertThat(fixture.number("select count(*) from rota.tenant where quota")).isOne();
    fixture
        .rota()
        .controls()
        .changeLimits(ACME, limits -> limits.maxPayload(100, ChronoUnit.MONTHS));
    fixture.execute("update rota.tenant set payload_quota = false");
    perform();
    assertThat(fixture.number("select count(*) from rota.tenant where payload_quota")).isOne();
  }

  @Test
  void theOccurrencesOfASchedulePayNothing() throws SQLException {
    fixture.rota().controls().changeLimits(ACME, limits -> limits.maxPayload(2, ChronoUnit.MONTHS));
    acme.enqueue(NewTask.of("k", "{}"));
    acme.schedules().add(Schedule.every("due", Duration.ofSeconds(1), NewTask.of("k", "{}")));
    fixture.daemon(fixture.rota(), settings -> settings);
    String stored = "select count(*) from rota_1.task_init_1";
    Await.atLeast("there are occurrences", () -> fixture.number(stored), 3);
    assertThat(fixture.number("select used from rota.allowance")).isEqualTo(2);
  }

  @Test
  @Tag("exhaustive")
  void aScheduleAndThePromotionOfADueTaskAreNeverRefused() throws SQLException {
    acme.enqueueAll(List.of(NewTask.of("k", "{}").runAt(Instant.EPOCH)));
    acme.enqueueAll(tasks("k", 99));
    acme.schedules().add(Schedule.every("due", Duration.ofSeconds(1), NewTask.of("k", "{}")));
    assertThat(used(1)).isEqualTo(100);
    fixture.daemon(fixture.rota(), settings -> settings);
    String inRing = "select count(*) from rota_1.task_init_1 where run_at is null";
    Await.atLeast("all are in the ring", () -> fixture.number(inRing), 102);
    assertThat(used(1)).isGreaterThanOrEqualTo(102);
  }

  @Test
  void tasksOfADeadWorkerAreNeverRefused() throws SQLException {
    acme.enqueueAll(tasks("k", 10));
    // No heartbeat undoes what is done to its row.
    Rota doomed = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
    assertThat(doomed.tenants().get("acme").claim(10).tasks()).hasSize(10);
    acme.enqueueAll(tasks("k", 100));
    fixture.execute(
        "update rota.worker set heartbeat_at = now() - interval '1 hour',"
            + " lease = interval '100 milliseconds'"
            + " where id in (select worker from rota.task_batch where closed_at is null)");
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("its tasks are back", () -> daemon.statistics().reaped(), 10);
    assertThat(used(1)).isEqualTo(110);
  }

  /** Runs a statement and rolls it back, and waits until its rows count. */
  private void rollBack(String sql, String counter, long rows) throws SQLException {
    String count = "select " + counter + "('rota_1.task_init_1_0'::regclass)";
    long before = fixture.number(count);
    try (Connection connection = fixture.begin()) {
      DaemonFixture.execute(connection, sql);
      connection.rollback();
    }
    Await.until("its rows count", () -> fixture.number(count), before + rows);
  }

  private String counts() throws SQLException {
    return fixture.texts("select xmin from rota.pending_count").toString();
  }

  private void loseCounters() throws SQLException {
    fixture.execute("select pg_stat_reset()");
  }

  private void perform() throws SQLException {
    ManualDaemon.leading(fixture.rota()).perform(COUNT);
  }

  private void done(int tasks) {
    Batch batch = acme.claim(tasks);
    assertThat(batch.tasks()).hasSize(tasks);
    batch.settle();
  }

  private long used(int more) {
    return catchThrowableOfType(
            QuotaExceededException.class, () -> acme.enqueueAll(tasks("k", more)))
        .used();
  }
}
