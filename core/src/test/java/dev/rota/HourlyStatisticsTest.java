package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.history.HourlyStatistics;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.Faults.Moment;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the hourly statistics of workers, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class HourlyStatisticsTest {

  private static final Instant EVER = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void attemptsAreCountedAsTheyEnd() throws Exception {
    acme.enqueueAll(Collections.nCopies(20, NewTask.of("good", "")));
    acme.enqueueAll(Collections.nCopies(5, NewTask.of("flaky", "")));
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("bad", "")));
    try (Worker worker = start(worker(fixture.rota()).retry(RetryPolicy.fixed(9, Duration.ZERO)))) {
      for (int round = 0; round < 2; round++) {
        Await.until("all claimed ones ended", () -> pending() == 0 && running() == 0);
        promote();
      }
      Await.until("all ended", () -> worker.statistics().done(), 25);
    }
    assertThat(ended("good")).isEqualTo(new HourlyStatistics.Ended(20, 0, 0, 0));
    assertThat(ended("flaky")).isEqualTo(new HourlyStatistics.Ended(5, 5, 0, 0));
    assertThat(ended("bad")).isEqualTo(new HourlyStatistics.Ended(0, 0, 3, 0));
    assertThat(ended("flaky").count()).isEqualTo(10);
    assertThat(ended("flaky").failures() + ended("bad").failures()).isEqualTo(8);
    // Only first attempts have waited.
    assertThat(total("flaky").waiting().count()).isEqualTo(5);
    assertThat(total("flaky").running().count()).isEqualTo(10);
  }

  @Test
  void timesAreThoseOfHandlersAndOfTheDatabase() throws Exception {
    Duration begin = databaseTime();
    fixture.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " select n, now() - interval '3 hours', 0, 'slow', '' from generate_series(1, 4) n");
    try (Worker worker = start(worker(fixture.rota()))) {
      Await.until("all ended", () -> worker.statistics().done(), 4);
    }
    Duration longest = databaseTime().minus(begin).plusMillis(1);
    HourlyStatistics slow = total("slow");
    assertThat(slow.running().sum()).isGreaterThanOrEqualTo(Duration.ofMillis(80));
    assertThat(slow.running().mean()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
    assertThat(slow.waiting().count()).isEqualTo(4);
    assertThat(slow.waiting().mean())
        .isBetween(Duration.ofHours(3), Duration.ofHours(3).plus(longest).plusSeconds(1));
    String hour = "date_trunc('hour', now(), 'UTC')";
    assertThat(
            fixture.number(
                "select count(*) from rota.statistic where hour not in ("
                    + hour
                    + ", "
                    + hour
                    + " - interval '1 hour')"))
        .isZero();
  }

  @Test
  void tasksOfABatchHandlerShareItsTime() throws Exception {
    acme.enqueueAll(Collections.nCopies(10, NewTask.of("together", "")));
    AtomicInteger calls = new AtomicInteger();
    Worker.Builder builder =
        fixture
            .rota()
            .worker()
            .hourlyStatistics(true)
            .handleBatch(
                "together",
                tasks -> {
                  calls.incrementAndGet();
                  fixture.number("select 1 from pg_sleep(0.02)");
                });
    try (Worker worker = builder.start()) {
      Await.until("all ended", () -> worker.statistics().done(), 10);
    }
    assertThat(total("together").running().sum())
        .isGreaterThanOrEqualTo(Duration.ofMillis(19L * calls.get()));
    assertThat(total("together").running().count()).isEqualTo(10);
  }

  @Test
  void lateOutcomesOfLostLeasesDoNotCount() throws Exception {
    acme.enqueue(NewTask.of("held", ""));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch letGo = new CountDownLatch(1);
    Worker.Builder holding =
        fixture
            .another()
            .worker()
            .hourlyStatistics(true)
            .handle(
                "held",
                task -> {
                  begun.countDown();
                  assertThat(letGo.await(30, TimeUnit.SECONDS)).isTrue();
                });
    try (Worker first = holding.start()) {
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(acme.control().requeueRunning(Duration.ZERO)).isEqualTo(1);
      letGo.countDown();
      Await.until(
          "the first outcome is dropped and the second is not",
          () -> first.statistics().lost() == 1 && first.statistics().done() == 1);
    }
    assertThat(ended("held")).isEqualTo(new HourlyStatistics.Ended(1, 0, 0, 0));
  }

  @Test
  @Tag("exhaustive")
  void manyWorkersAddUp() throws Exception {
    Tenant other = fixture.rota().tenants().register("other");
    int tasks = 3_000;
    try (Worker one = start(worker(fixture.another()));
        Worker two = start(worker(fixture.another()))) {
      for (Tenant tenant : List.of(acme, other)) {
        tenant.enqueueAll(Collections.nCopies(tasks, NewTask.of("good", "")));
        tenant.enqueueAll(Collections.nCopies(tasks, NewTask.of("bad", "")));
      }
      Await.until(
          "all ended",
          Await.LONG,
          () ->
              one.statistics().dead() + two.statistics().dead() == 2 * tasks
                  && one.statistics().done() + two.statistics().done() == 2 * tasks);
    }
    assertThat(ended("good").done()).isEqualTo(tasks);
    assertThat(ended("bad").dead()).isEqualTo(tasks);
    assertThat(other.history().statistics(EVER, FOREVER)).isNotEmpty();
    assertThat(fixture.number("select sum(done + dead) from rota.statistic")).isEqualTo(4L * tasks);
    fixture.execute("delete from rota.tenant where name = 'other'");
    assertThat(fixture.number("select sum(done + dead) from rota.statistic")).isEqualTo(2L * tasks);
  }

  @Test
  void otherModesCountAsWell() throws Exception {
    acme.enqueueAll(Collections.nCopies(4, NewTask.of("good", "")));
    acme.enqueueAll(Collections.nCopies(2, NewTask.of("bad", "")));
    Worker.Builder forgetting = worker(fixture.rota()).delivery(DeliveryMode.FIRE_AND_FORGET);
    try (Worker worker = forgetting.start()) {
      Await.until(
          "all ended", () -> worker.statistics().done() == 4 && worker.statistics().lost() == 2);
    }
    assertThat(ended("good").done()).isEqualTo(4);
    assertThat(ended("bad")).isEqualTo(new HourlyStatistics.Ended(0, 0, 2, 0));
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("inside", "")));
    Worker.Builder transactional =
        fixture
            .another()
            .worker()
            .hourlyStatistics(true)
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction("inside", (task, connection) -> {});
    try (Worker worker = transactional.start()) {
      Await.until("all ended", () -> worker.statistics().done(), 3);
    }
    assertThat(ended("inside").done()).isEqualTo(3);
    assertThat(total("inside").waiting().count()).isEqualTo(3);
  }

  @Test
  void aCommitWithoutAnswerCountsOnce() throws Exception {
    for (Moment moment : Moment.values()) {
      acme.enqueueAll(Collections.nCopies(7, NewTask.of("good", "")));
      Faults faults = new Faults();
      ScriptedFault cut = faults.at(moment, "commit").inTransactionOf("add statistics").fail();
      try (Worker worker = start(worker(fixture.observed(faults)))) {
        Await.until("all ended", () -> worker.statistics().done(), 7);
      }
      assertThat(cut.isReached()).isTrue();
    }
    assertThat(ended("good").done()).isEqualTo(14);
  }

  @Test
  void nothingIsWrittenUnlessSwitchedOn() throws Exception {
    acme.enqueueAll(Collections.nCopies(4, NewTask.of("good", "")));
    try (Worker worker = start(worker(fixture.rota()).hourlyStatistics(false))) {
      Await.until("all ended", () -> worker.statistics().done(), 4);
    }
    assertThat(acme.history().statistics(EVER, FOREVER)).isEmpty();
  }

  @Test
  void hoursAreChosenByTheirOverlap() throws SQLException {
    for (int hour = 8; hour < 12; hour++) {
      fixture.execute(
          "insert into rota.statistic values (1, '2030-01-31 %02d:00+00', 1, 0, 0, 0, 5, 1, 7, 'k')"
              .formatted(hour));
    }
    List<HourlyStatistics> found =
        acme.history()
            .statistics(
                Instant.parse("2030-01-31T09:30:00Z"), Instant.parse("2030-01-31T11:00:00Z"));
    assertThat(found)
        .extracting(row -> row.hour().toString())
        .containsExactly("2030-01-31T09:00:00Z", "2030-01-31T10:00:00Z");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.history().statistics(FOREVER, EVER))
        .withMessageContaining("use an end");
  }

  private Worker.Builder worker(Rota rota) {
    AtomicInteger unused = new AtomicInteger();
    return rota.worker()
        .hourlyStatistics(true)
        .handle("good", task -> unused.incrementAndGet())
        .handle("slow", task -> fixture.number("select 1 from pg_sleep(0.02)"))
        .handle(
            "flaky",
            task -> {
              if (task.attempt() == 1) {
                throw new IllegalStateException("first");
              }
            })
        .handle(
            "bad",
            task -> {
              throw new FatalTaskException("never");
            });
  }

  private static Worker start(Worker.Builder builder) {
    return builder.pollInterval(Duration.ofMillis(10)).start();
  }

  private void promote() throws SQLException {
    fixture.execute(
        "with due as (delete from rota_1.task_wait_1 returning *)"
            + " insert into rota_1.task_init_1_0 (id, created_at, parent_id, attempt, kind, payload)"
            + " select id, created_at, parent_id, attempt, kind, payload from due");
  }

  private long pending() {
    return acme.history().scanStates().get(TaskState.PENDING);
  }

  private long running() {
    return acme.history().scanStates().get(TaskState.RUNNING);
  }

  private HourlyStatistics.Ended ended(String kind) {
    return total(kind).ended();
  }

  /** An hour may end during the test. */
  private HourlyStatistics total(String kind) {
    return acme.history().statistics(EVER, FOREVER).stream()
        .filter(row -> row.kind().equals(kind))
        .reduce(HourlyStatisticsTest::sum)
        .orElseThrow();
  }

  private static HourlyStatistics sum(HourlyStatistics one, HourlyStatistics two) {
    return new HourlyStatistics(
        one.hour(),
        one.kind(),
        one.ended().plus(two.ended()),
        one.running().plus(two.running()),
        one.waiting().plus(two.waiting()));
  }

  private Duration databaseTime() throws SQLException {
    return Duration.ofMillis(
        fixture.number("select (extract(epoch from clock_timestamp()) * 1000)::bigint"));
  }
}
