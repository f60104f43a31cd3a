package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.insertion;
import static dev.rota.daemon.DaemonFixture.slot;
import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@RotaTest
class RotationTest {

  private static final String LOCK_WAIT =
      "select count(*) from pg_locks where not granted and mode = 'AccessExclusiveLock'"
          + " and database = (select oid from pg_database where datname = current_database())";

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  @Test
  void ringInUseIsSwitchedAndAnUnusedOneIsLeftAlone() throws Exception {
    Tenant idle = fixture.rota().tenants().register("idle");
    acme.enqueue(NewTask.of("k", "{}"));
    RotationDaemon daemon = fixture.daemon(fixture.rota(), settings -> settings);
    Await.until("a rotation", () -> daemon.statistics().rotations(), 1);
    assertThat(fixture.tenant(acme, "current_slot")).isEqualTo("1");
    assertThat(fixture.tenant(acme, "rotations")).isEqualTo("1");
    assertThat(fixture.tenant(idle, "rotations")).isEqualTo("0");
    acme.enqueue(NewTask.of("k", "{}"));
    assertThat(fixture.number("select count(*) from " + slot(acme, 1))).isEqualTo(1);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).hasSize(2);
      batch.settle();
    }
  }

  @Test
  void slotsAreEmptiedOneAfterTheOther() throws Exception {
    fixture.daemon(DaemonFixture::quickRing);
    for (int round = 1; round <= 6; round++) {
      int present = round;
      Await.until(
          "rotation " + present,
          () -> {
            acme.enqueue(NewTask.of("k", "{}"));
            acme.claim(10).settle();
            return Integer.parseInt(fixture.tenant(acme, "rotations")) >= present;
          });
    }
    Await.until(
        "all three slots were truncated",
        () ->
            fixture.number(
                "select count(*) from pg_class where relname like 'task\\_init\\_%\\__'"
                    + " and relkind = 'r' and relfilenode <> oid"),
        3);
  }

  @Test
  void largeSlotIsSwitchedBeforeItsTime() throws Exception {
    RotationDaemon daemon =
        fixture.daemon(settings -> settings.rotateEvery(Duration.ofDays(7)).slotBytes(3 * 8_192));
    acme.enqueueAll(tasks("k", 1_000));
    Await.until("a rotation", () -> daemon.statistics().rotations(), 1);
  }

  @Test
  void undrainedSlotPostponesOnceAPeriodUntilItIsDrained() throws Exception {
    fixture.execute(insertion(acme, 1, "late", 1));
    acme.enqueue(NewTask.of("k", "{}"));
    long startedAt = System.nanoTime();
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.atLeast("it is postponed twice", () -> daemon.statistics().postponed(), 2);
    long postponed = daemon.statistics().postponed();
    long seconds = Duration.ofNanos(System.nanoTime() - startedAt).toSeconds();
    assertThat(postponed).isLessThanOrEqualTo(seconds + 2);
    assertThat(fixture.tenant(acme, "postponed_reason")).startsWith("not drained: slot 1");
    assertThat(fixture.tenant(acme, "rotations")).isEqualTo("0");
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(task -> task.kind()).contains("late");
      batch.settle();
    }
    Await.atLeast("it rotates", () -> daemon.statistics().rotations(), 1);
    assertThat(fixture.tenant(acme, "postponed_reason")).isEqualTo("null");
  }

  @Test
  void readerOfTheNextSlotPostponesAndStallsNobody() throws Exception {
    acme.enqueue(NewTask.of("k", "{}"));
    Connection reader = fixture.begin();
    DaemonFixture.execute(reader, "select * from " + slot(acme, 1));
    LockPatience patience = new LockPatience();
    RotationDaemon daemon =
        fixture.daemon(fixture.observed(patience, builder -> builder), settings -> settings);
    Connection producer = fixture.begin();
    for (int waits = 0; waits < 5; waits++) {
      Await.until("the daemon waits for the slot", () -> fixture.number(LOCK_WAIT) > 0);
      // The producer's pointer is stale, so that it stands right behind the daemon. It waits for as
      // long as the daemon does, and no longer: the reader stays.
      DaemonFixture.execute(producer, insertion(acme, 1, "stale", 1));
      producer.rollback();
      acme.enqueue(NewTask.of("k", "{}"));
    }
    assertThat(patience.seen).hasSizeGreaterThanOrEqualTo(5).allMatch(millis -> millis <= 150);
    Await.atLeast("it is postponed", () -> daemon.statistics().postponed(), 1);
    assertThat(fixture.tenant(acme, "postponed_reason"))
        .startsWith("lock not available: slot 1")
        .contains("lock timeout");
    reader.rollback();
    Await.atLeast("it rotates", () -> daemon.statistics().rotations(), 1);
  }

  /** The look under the lock takes long where an old snapshot keeps dead rows. */
  @Test
  void aSlotThatTakesLongToLookThroughPostpones() throws Exception {
    acme.enqueue(NewTask.of("k", "{}"));
    Faults faults = new Faults();
    ScriptedFault slow =
        faults.before("size of slot").inTransactionOf("look briefly").always().fail("57014");
    RotationDaemon daemon = fixture.daemon(fixture.observed(faults), settings -> settings);
    Await.atLeast("it is postponed", () -> daemon.statistics().postponed(), 1);
    assertThat(fixture.tenant(acme, "postponed_reason"))
        .startsWith("dead rows: looking through slot 1 took too long; end old transactions");
    slow.stop();
    Await.atLeast("it rotates", () -> daemon.statistics().rotations(), 1);
    assertThat(fixture.tenant(acme, "postponed_reason")).isEqualTo("null");
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
  @Tag("exhaustive")
  void taskInFlightToTheNextSlotSurvives(String isolation) throws Exception {
    fixture.execute(
        "alter database %s set default_transaction_isolation = '%s'"
            .formatted(fixture.database().name(), isolation));
    acme.enqueue(NewTask.of("k", "{}"));
    Connection producer = fixture.begin();
    DaemonFixture.execute(producer, insertion(acme, 1, "stale", 1));
    RotationDaemon daemon = fixture.daemon(DaemonFixture::quickRing);
    for (int producers = 1; producers <= 5; producers++) {
      // The daemon updates the row too; at a higher level one of both would fail.
      fixture.execute(
          "begin isolation level read committed;"
              + " update rota.tenant set postponed_reason = null; commit");
      Await.until("the daemon waits for the producer", () -> fixture.number(LOCK_WAIT) > 0);
      producer.commit();
      Await.until(
          "the daemon has seen the task",
          () -> fixture.tenant(acme, "postponed_reason").startsWith("not drained"));
      assertThat(fixture.number("select count(*) from " + slot(acme, 1))).isEqualTo(1);
      // The next producer is there before the task of this one goes.
      DaemonFixture.execute(producer, insertion(acme, 1, "stale", 1));
      fixture.execute("delete from " + slot(acme, 1));
    }
    assertThat(daemon.statistics().rotations()).isZero();
    producer.rollback();
    Await.atLeast("it rotates", () -> daemon.statistics().rotations(), 1);
  }

  @Test
  @Tag("exhaustive")
  void tasksThatNobodyRunsDoNotStopTheRing() throws Exception {
    fixture.execute(insertion(acme, 1, "unknown", 2_500));
    RotationDaemon daemon = fixture.daemon(DaemonFixture::quickRing);
    Worker worker = fixture.closeLater(fixture.rota().worker().handle("k", task -> {}).start());
    Await.until(
        "two rotations",
        () -> {
          acme.enqueueAll(tasks("k", 20));
          return daemon.statistics().rotations() >= 2;
        });
    Await.until("the worker is done", () -> pendingOf("k"), 0);
    assertThat(pendingOf("unknown")).isEqualTo(2_500);
    worker.close();
  }

  @Test
  void tenantInTroubleStopsNobodyElse() throws Exception {
    Tenant broken = fixture.rota().tenants().register("broken");
    broken.enqueue(NewTask.of("k", "{}"));
    acme.enqueue(NewTask.of("k", "{}"));
    fixture.execute("drop table " + slot(broken, 1) + " cascade");
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("the sound one rotates", () -> fixture.tenant(acme, "rotations").equals("1"));
    Await.until(
        "the broken one says why not",
        () -> fixture.tenant(broken, "postponed_reason").startsWith("failed: "));
    assertThat(daemon.isLeading()).isTrue();
  }

  @Test
  @Tag("exhaustive")
  void lockedTenantHidesNobodyElse() throws Exception {
    Tenant locked = fixture.rota().tenants().register("locked");
    locked.enqueue(NewTask.of("k", "{}"));
    acme.enqueue(NewTask.of("k", "{}"));
    Connection administrator = fixture.begin();
    DaemonFixture.execute(administrator, "lock table " + slot(locked, 0));
    DaemonFixture.execute(administrator, "lock table " + DaemonFixture.segment(locked, 1));
    fixture.daemon(DaemonFixture::quickRing);
    Await.until("the other one rotates", () -> fixture.tenant(acme, "rotations").equals("1"));
    administrator.rollback();
    Await.until("this one rotates later", () -> fixture.tenant(locked, "rotations").equals("1"));
  }

  @Test
  void producersOfOtherProcessesFollow() throws Exception {
    Rota other = fixture.another();
    Tenant there = other.tenants().get("acme");
    acme.enqueue(NewTask.of("k", "{}"));
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("a rotation", () -> daemon.statistics().rotations(), 1);
    Await.until(
        "the other process writes into the new slot",
        () -> {
          there.enqueue(NewTask.of("k", "{}"));
          return fixture.number("select count(*) from " + slot(acme, 1)) > 0;
        });
  }

  /** How long the daemon lets a statement wait for the lock of a slot, in milliseconds. */
  private static final class LockPatience implements StatementObserver {
    private final List<Long> seen = new CopyOnWriteArrayList<>();
    private final ThreadLocal<Boolean> locks = ThreadLocal.withInitial(() -> false);

    @Override
    public void before(String call) {
      locks.set(locks.get() || call.equals("lock slot"));
    }

    @Override
    public void sending(Connection connection) throws SQLException {
      if (locks.get()) {
        locks.set(false);
        String setting = "select setting from pg_settings where name = 'lock_timeout'";
        seen.add(Long.valueOf(TestDatabase.texts(connection, setting).get(0)));
      }
    }
  }

  private long pendingOf(String kind) throws Exception {
    return fixture.number(
        "select count(*) from rota_%1$d.task_init_%1$d where kind = '%2$s'"
            .formatted(acme.number(), kind));
  }
}
