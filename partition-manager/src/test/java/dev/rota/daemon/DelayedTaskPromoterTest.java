package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.LEADERS;
import static dev.rota.daemon.DaemonFixture.segment;
import static dev.rota.daemon.DaemonFixture.slot;
import static dev.rota.daemon.DaemonFixture.tasks;
import static dev.rota.daemon.DaemonFixture.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class DelayedTaskPromoterTest {

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  /** So that all that is promoted stands in one slot. */
  private static RotationDaemon.Builder withoutRotation(RotationDaemon.Builder settings) {
    return settings.rotateEvery(Duration.ofDays(7));
  }

  @Test
  @Tag("exhaustive")
  void failedTaskReturnsWhenItIsDueAndNotBefore() throws Exception {
    RotationDaemon daemon = fixture.daemon(DelayedTaskPromoterTest::withoutRotation);
    Pulse pulse = new Pulse(fixture);
    for (int prompt = 0; prompt < 5; ) {
      long task = acme.enqueueAll(tasks("k", 1)).get(0);
      long promoted = daemon.statistics().promoted();
      fail(Duration.ofMillis(300));
      pulse.begin();
      Await.until(
          "it is in the ring",
          () -> {
            pulse.beat();
            return pending() == 1;
          });
      String late = lateness(task);
      assertThat(late).doesNotStartWith("-");
      // Where we could not go on for long ourselves, nor could the daemon.
      if (!pulse.stood()) {
        assertThat(Double.parseDouble(late)).isLessThan(1);
        prompt++;
      }
      Await.until("it is counted", () -> daemon.statistics().promoted(), promoted + 1);
      acme.claim(1).settle();
    }
  }

  /** For how many seconds a task has been due that failed a first time and waited for 300 ms. */
  private String lateness(long task) throws Exception {
    return fixture.text(
        "select extract(epoch from now() - finished_at - interval '300 milliseconds') from "
            + segment(acme, 1)
            + " where attempt = 1 and id = "
            + task);
  }

  @Test
  void promotionDoesNotWaitForTheNextTick() throws Exception {
    wait(1, "now() + interval '1500 milliseconds'");
    RotationDaemon daemon = fixture.daemon(settings -> settings.tick(Duration.ofMinutes(1)));
    Await.until("it is promoted", () -> daemon.statistics().promoted(), 1);
    assertThat(fixture.number("select count(*) from " + waiting(acme))).isZero();
  }

  @Test
  void longestDueComeFirst() throws Exception {
    wait(12_000, "now() - n * interval '1 second'");
    RotationDaemon daemon = fixture.daemon(DelayedTaskPromoterTest::withoutRotation);
    Await.until("all are promoted", () -> daemon.statistics().promoted(), 12_000);
    List<String> first =
        fixture.texts(
            "select min(payload::int) from (select payload, row_number() over (order by ctid) as r"
                + " from (select ctid, payload from "
                + slot(acme, 0)
                + ") x) y where r <= 5000");
    assertThat(first).containsExactly("7001");
    assertThat(fixture.number("select count(distinct payload) from " + slot(acme, 0)))
        .isEqualTo(12_000);
  }

  @Test
  @Tag("exhaustive")
  void tasksThatAreNotDueStay() throws Exception {
    wait(1, "now() + interval '1 hour'");
    wait(1, "now() - interval '1 hour'");
    RotationDaemon daemon = fixture.daemon(DelayedTaskPromoterTest::withoutRotation);
    Await.until("one is promoted", () -> daemon.statistics().promoted(), 1);
    assertThat(fixture.number("select count(*) from " + waiting(acme))).isEqualTo(1);
  }

  @Test
  void tenantInTroubleStopsNobodyElse() throws Exception {
    Tenant broken = fixture.tenant("broken");
    fixture.execute("drop table " + slot(broken, 0) + " cascade");
    insert(broken, 1, "now()");
    wait(1, "now()");
    RotationDaemon daemon = fixture.daemon(DelayedTaskPromoterTest::withoutRotation);
    Await.until("the sound one is served", () -> daemon.statistics().promoted(), 1);
    assertThat(fixture.number("select count(*) from " + waiting(broken))).isEqualTo(1);
  }

  /**
   * As on Citus, which does not support every statement. The pool sees the errors of statements
   * that go as text.
   */
  @Test
  @Tag("exhaustive")
  void aTenantWhoseStatementsAreNotSupportedCostsNoLeadership() throws Exception {
    Tenant unsupported = fixture.tenant("unsupported");
    fixture.execute(
        "create sequence attempts; create function refuse() returns trigger language plpgsql as $$"
            + " begin raise exception 'attempt % is not supported', nextval('attempts')"
            + " using errcode = '0A000'; end $$");
    fixture.execute(
        "create trigger refuse before insert on "
            + slot(unsupported, 0)
            + " for each row execute function refuse()");
    insert(unsupported, 1, "now()");
    Rota asText =
        fixture.closeLater(Rota.connect(fixture.database().jdbcUrl() + "&prepareThreshold=0"));
    RotationDaemon daemon = fixture.daemon(asText, DelayedTaskPromoterTest::withoutRotation);
    awaitAttempts(1);
    String leader = fixture.text("select pid" + LEADERS);
    wait(1, "now()");
    Await.until("the sound one is served", () -> daemon.statistics().promoted(), 1);
    awaitAttempts(3);
    assertThat(fixture.text("select pid" + LEADERS)).isEqualTo(leader);
    assertThat(fixture.number("select count(*) from " + waiting(unsupported))).isEqualTo(1);
  }

  private void awaitAttempts(int least) throws Exception {
    Await.until(
        "attempts in vain",
        () ->
            fixture.number("select case when is_called then last_value else 0 end from attempts")
                >= least);
  }

  @Test
  @Tag("exhaustive")
  void manyTenantsRetryWithinMilliseconds() throws Exception {
    List<Tenant> tenants = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      tenants.add(fixture.rota().tenants().register("t" + i));
    }
    RotationDaemon daemon = fixture.daemon(DelayedTaskPromoterTest::withoutRotation);
    Worker worker =
        fixture.closeLater(
            fixture
                .rota()
                .worker()
                .handle("k", DelayedTaskPromoterTest::refuse)
                .retry(RetryPolicy.exponential(2, Duration.ofMillis(5), Duration.ofMillis(10)))
                .start());
    tenants.forEach(tenant -> tenant.enqueueAll(tasks("k", 25)));
    Await.until(
        "all are dead",
        () ->
            tenants.stream()
                .allMatch(t -> t.history().scanStates().getOrDefault(TaskState.DEAD, 0L) == 25));
    Await.until("all are counted", () -> daemon.statistics().promoted(), 1_000);
    worker.close();
  }

  private static void refuse(Task task) {
    throw new IllegalStateException("refused " + task.id());
  }

  private void fail(Duration pause) {
    try (Batch batch = acme.claim(1)) {
      batch.fail(batch.tasks().get(0), "not yet", pause);
      batch.settle();
    }
  }

  private long pending() throws Exception {
    return fixture.number(
        "select count(*) from rota_%1$d.task_init_%1$d where state = 'pending'"
            .formatted(acme.number()));
  }

  private void wait(int count, String runAt) throws Exception {
    insert(acme, count, runAt);
  }

  private void insert(Tenant tenant, int count, String runAt) throws Exception {
    fixture.execute(
        "insert into %s (id, run_at, created_at, attempt, kind, payload)".formatted(waiting(tenant))
            + " select nextval('rota.task_id'), %s, now(), 1, 'k', n".formatted(runAt)
            + " from generate_series(1, %d) n".formatted(count));
  }
}
