package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tests the cost of a task without features: its exact statements, and a limit of write-ahead log.
 */
@RotaTest
@PostgresVersions({15, 18})
class PlainPathTest {

  private static final Logger log = LoggerFactory.getLogger(PlainPathTest.class);

  private static final int TASKS = 10_000;
  private static final int BATCH = 1_000;

  /**
   * Of a task with a payload of 50 bytes, enqueued, claimed and settled: what it took before there
   * were keys, lanes and graphs, rounded up.
   */
  private static final long MOST_LOG_BYTES = 380;

  private static final int MOST_TRIES = 5;

  private final List<String> calls = new ArrayList<>();
  @Given private int major;
  @Given private RotaFixture fixture;
  private Tenant acme;

  @BeforeEach
  void open() {
    fixture.rota().tenants().register("acme");
    Faults faults = new Faults();
    // Others draw ids ahead of time and send heartbeats.
    faults.beforeAnyCall().byThisThread().tell(calls::add);
    acme = fixture.observed(faults, b -> b.doorbell(false)).tenants().get("acme");
    runOnce();
    calls.clear();
  }

  @Test
  void theseStatementsRunForABatchAndNoOthers() {
    acme.enqueueAll(tasks(BATCH));
    assertThat(taken()).containsExactly("enqueue", "commit");
    Batch batch = acme.claim(BATCH);
    assertThat(batch.tasks()).hasSize(BATCH);
    List<String> claim = taken();
    // The next slot is looked at once a second.
    assertThat(Collections.frequency(claim, "claim")).isBetween(2, 3);
    claim.removeIf("claim"::equals);
    assertThat(claim).containsExactly("gate", "open batches", "commit");
    batch.settle();
    assertThat(taken()).containsExactly("close batches", "commit");
  }

  @Test
  void anEnqueueIsOneRoundTrip() {
    AtomicInteger roundTrips = new AtomicInteger();
    Tenant counted = counted(roundTrips);
    int atOnce = 0;
    for (int i = 0; i < 20; i++) {
      int before = roundTrips.get();
      assertThat(counted.enqueueAll(tasks(10))).hasSize(10);
      atOnce += roundTrips.get() - before == 1 ? 1 : 0;
    }
    assertThat(atOnce).as("all but the first on a connection").isGreaterThanOrEqualTo(15);
  }

  @Test
  void theSettleOfABatchThatSucceededIsOneRoundTrip() {
    AtomicInteger roundTrips = new AtomicInteger();
    Tenant counted = counted(roundTrips);
    counted.enqueueAll(tasks(10));
    Batch batch = counted.claim(10);
    int before = roundTrips.get();
    assertThat(batch.settle().settled()).isEqualTo(10);
    assertThat(roundTrips.get() - before).isEqualTo(1);
  }

  /** The tenant in another process, which counts the round trips of this thread. */
  private Tenant counted(AtomicInteger roundTrips) {
    Thread caller = Thread.currentThread();
    StatementObserver counter =
        new StatementObserver() {
          @Override
          public void sending(Connection connection) {
            if (Thread.currentThread() == caller) {
              roundTrips.incrementAndGet();
            }
          }
        };
    return fixture.observed(counter, b -> b.doorbell(false).poolSize(2)).tenants().get("acme");
  }

  @Test
  @Tag("exhaustive")
  void aTaskLeavesThisMuchInTheLog() throws SQLException {
    withoutAutovacuum();
    long least = measure();
    // What others of this server write meanwhile can only add.
    for (int tries = 1; tries < MOST_TRIES && least > MOST_LOG_BYTES; tries++) {
      least = Math.min(least, measure());
    }
    assertThat(least).isLessThanOrEqualTo(MOST_LOG_BYTES);
  }

  private void withoutAutovacuum() throws SQLException {
    List<String> tables =
        fixture.texts(
            "select oid::regclass from pg_class where relkind = 'r'"
                + " and relnamespace::regnamespace::text ~ '^rota'");
    for (String table : tables) {
      fixture.execute("alter table " + table + " set (autovacuum_enabled = off)");
    }
  }

  private long measure() throws SQLException {
    long before = position();
    acme.enqueueAll(tasks(TASKS));
    long enqueued = position();
    for (int claimed = 0; claimed < TASKS; ) {
      // A short batch does not mean that there is no more.
      Batch batch = acme.claim(BATCH);
      claimed += batch.tasks().size();
      batch.settle();
    }
    long ended = position();
    log.info(
        "log bytes of a task on PostgreSQL {}: {} to enqueue, {} to claim and settle",
        major,
        (enqueued - before) / TASKS,
        (ended - enqueued) / TASKS);
    return (ended - before) / TASKS;
  }

  private void runOnce() {
    acme.enqueueAll(tasks(BATCH));
    try (Batch batch = acme.claim(BATCH)) {
      batch.settle();
    }
  }

  /** Takes the calls so far, without a draw of ids that the call itself had to make. */
  private List<String> taken() {
    List<String> taken = new ArrayList<>(calls);
    taken.removeIf("jooq"::equals);
    calls.clear();
    if (!taken.isEmpty() && taken.get(0).equals("draw ids")) {
      taken.remove(0);
    }
    return taken;
  }

  private long position() throws SQLException {
    return fixture.number("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
  }

  private static List<NewTask> tasks(int count) {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(NewTask.of("email.send", "x".repeat(50)));
    }
    return tasks;
  }
}
