package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.control.TaskFilter;
import dev.rota.history.HourlyStatistics.Ended;
import dev.rota.insight.Insight;
import dev.rota.insight.TenantsOfKind;
import dev.rota.insight.TenantsOfKind.Use;
import dev.rota.insight.UnhandledKind;
import dev.rota.insight.WorkerActivity;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests who uses a kind, which workers handle it, and which kinds none handles. */
@RotaTest
@PostgresVersions({15, 18})
class KindInsightTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final NewTask LOST = NewTask.of("lost", "{}");
  private static final Instant EVER = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");
  private static final String POOLS = "select pools from rota.worker";
  private static final Duration SHORT_LEASE = Duration.ofSeconds(5);

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;

  private final Faults faults = new Faults();

  @Test
  @Tag("exhaustive")
  void tenantsThatUseAKindMostComeFirst() {
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    other.enqueueAll(List.of(MAIL, NewTask.of("sms", "{}"), NewTask.of("sms", "{}")));
    Rota process = fixture.another();
    try (Worker worker =
        process
            .worker()
            .hourlyStatistics(true)
            .retry(RetryPolicy.never())
            .handle("mail", task -> failAt(task, "other"))
            .handle("sms", task -> {})
            .start()) {
      Await.until("all ended", () -> worker.statistics().claimed(), 6);
      Await.until("all are counted", () -> ended("mail") + ended("sms"), 6);
    }
    TenantsOfKind mail = tenantsOf("mail", 10);
    assertThat(mail.tenants())
        .containsExactly(
            new Use("acme", new Ended(3, 0, 0, 0)), new Use("other", new Ended(0, 0, 1, 0)));
    assertThat(mail.ended()).isEqualTo(4);
    assertThat(mail.since().orElseThrow().getEpochSecond() % 3_600).isZero();
    assertThat(tenantsOf("mail", 1).tenants()).extracting(Use::tenant).containsExactly("acme");
    assertThat(tenantsOf("mail", 1).ended()).isEqualTo(4);
    assertThat(tenantsOf("sms", 10).tenants())
        .containsExactly(new Use("other", new Ended(2, 0, 0, 0)));
    TenantsOfKind none = new TenantsOfKind(Optional.empty(), 0, List.of());
    assertThat(tenantsOf("fax", 10)).isEqualTo(none);
    assertThat(insight().tenantsOf("mail", EVER, EVER.plusSeconds(1), 10)).isEqualTo(none);
  }

  private static void failAt(Task task, String tenant) {
    if (task.tenant().equals(tenant)) {
      throw new IllegalStateException("no mailbox");
    }
  }

  private long ended(String kind) {
    return tenantsOf(kind, 1).ended();
  }

  private TenantsOfKind tenantsOf(String kind, int limit) {
    return insight().tenantsOf(kind, EVER, FOREVER, limit);
  }

  @Test
  void boundsOfTheQueryAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> insight().tenantsOf("mail", FOREVER, EVER, 1))
        .withMessageContaining("use an end that is not before the beginning");
    for (int limit : List.of(0, 10_001)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> insight().tenantsOf("mail", EVER, FOREVER, limit))
          .withMessage("the limit is %d; use one from 1 to 10,000", limit);
    }
  }

  /** A day has 24 hours; with 10,000 tenants, twelve are read. */
  @Test
  void beyondABoundOlderHoursAreLeftOut() throws SQLException {
    fixture.execute(
        "insert into rota.statistic select t, timestamptz '2026-01-01 00:00Z' + h * interval '1 hour',"
            + " t, 0, 0, 0, 0, 0, 0, 'kind-' || k from generate_series(1, 2) t,"
            + " generate_series(0, 23) h, generate_series(1, 50) k;"
            + "insert into rota.kind_statistic select s.hour, sum(s.done), 0, 0, 0, 0, 0, 0, '{}',"
            + " '{}', s.kind from rota.statistic s group by s.hour, s.kind");
    Instant from = Instant.parse("2026-01-01T00:00:00Z");
    assertThat(insight().tenantsOf("kind-7", from, from.plusSeconds(86_400), 10))
        .isEqualTo(
            new TenantsOfKind(
                Optional.of(from),
                72,
                List.of(
                    new Use("other", new Ended(48, 0, 0, 0)),
                    new Use("acme", new Ended(24, 0, 0, 0)))));
    List<String> names = IntStream.rangeClosed(1, 3_331).mapToObj(i -> "tenant-" + i).toList();
    fixture.rota().tenants().registerAll(names);
    fixture.execute(
        "insert into rota.statistic select t, timestamptz '2026-01-01 00:00Z' + h * interval '1 hour',"
            + " 1, 0, 0, 0, 0, 0, 0, 'kind-7' from generate_series(3, 3333) t,"
            + " generate_series(20, 23) h; analyze rota.statistic, rota.kind_statistic, rota.tenant");
    TenantsOfKind bounded = insight().tenantsOf("kind-7", from, from.plusSeconds(86_400), 1);
    assertThat(bounded)
        .isEqualTo(
            new TenantsOfKind(
                Optional.of(from.plus(Duration.ofHours(21))),
                9 + 3 * 3_331,
                List.of(new Use("other", new Ended(6, 0, 0, 0)))));
  }

  @Test
  @Tag("exhaustive")
  void aProcessTellsForWhichKindsItHasHandlers() throws Exception {
    Rota process = fixture.observed(faults, builder -> builder.lease(SHORT_LEASE));
    acme.enqueue(MAIL);
    try (Worker first =
        process.worker().handle("sms", task -> {}).handle("mail", task -> {}).start()) {
      Await.until("it ran", () -> first.statistics().done(), 1);
      assertThat(worker().serves().kinds()).hasValue(List.of("mail", "sms"));
      assertThat(worker().serves().pools()).containsExactly("default");
      faults.awaitMore("heartbeat", 3);
      assertThat(faults.count("register services")).as("further statements").isZero();
      try (Worker second = process.worker().handle("fax", task -> {}).start()) {
        awaitKinds(Optional.of(List.of("fax", "mail", "sms")));
        assertThat(second.statistics().claimed()).isZero();
      }
      awaitKinds(Optional.of(List.of("mail", "sms")));
      fixture.execute("delete from rota.worker");
      Await.until("it registers anew", () -> !insight().workers().isEmpty());
      assertThat(worker().serves().kinds()).hasValue(List.of("mail", "sms"));
    }
    awaitKinds(Optional.empty());
  }

  @Test
  void aProcessWithVeryManyKindsDoesNotTellThem() {
    Rota process = fixture.another(builder -> builder.lease(SHORT_LEASE));
    acme.enqueue(NewTask.of("kind-0", ""));
    try (Worker most = worker(process, 200)) {
      Await.until("it ran", () -> most.statistics().done(), 1);
      assertThat(worker().serves().kinds().orElseThrow()).hasSize(200).contains("kind-199");
      try (Worker more = worker(process, 201)) {
        awaitKinds(Optional.empty());
        assertThat(worker().serves().handles("kind-0")).isFalse();
        assertThat(more.statistics().claimed()).isZero();
      }
    }
  }

  private static Worker worker(Rota process, int kinds) {
    Worker.Builder builder = process.worker();
    IntStream.range(0, kinds).forEach(i -> builder.handle("kind-" + i, task -> {}));
    return builder.start();
  }

  @Test
  void callersThatClaimTellNoKinds() {
    acme.enqueue(MAIL);
    try (Batch batch = acme.claim(1)) {
      assertThat(worker().serves().kinds()).isEmpty();
      batch.settle();
    }
  }

  @Test
  @Tag("exhaustive")
  void kindsThatNoLivingWorkerHandlesAreListed() throws SQLException {
    acme.enqueueAll(List.of(LOST, LOST, MAIL));
    Rota process = fixture.another(builder -> builder.lease(SHORT_LEASE));
    try (Worker worker = process.worker().handle("mail", task -> {}).start()) {
      Await.until("it is told", () -> unhandled().equals(List.of(new UnhandledKind("lost", 1, 0))));
      assertThat(worker().serves().left()).containsExactly("lost");
      try (Batch batch = other(MAIL).claim(1)) {
        assertThat(unhandled())
            .as("this process does not tell its kinds")
            .containsExactly(new UnhandledKind("lost", 1, 1));
        batch.settle();
      }
      fixture.rota().close();
      Rota eu = fixture.another();
      try (Worker elsewhere = eu.worker().pools("eu").handle("lost", task -> {}).start()) {
        Await.until("its pool is told", () -> fixture.texts(POOLS).contains("{eu}"));
        assertThat(insight(eu).unhandledKinds())
            .as("a handler in a pool without these tasks")
            .containsExactly(new UnhandledKind("lost", 1, 0));
        assertThat(elsewhere.statistics().claimed()).isZero();
      }
      Rota late = fixture.another(builder -> builder.lease(Duration.ofHours(1)));
      try (Worker with = late.worker().handle("lost", task -> {}).start()) {
        Await.until("they ran", () -> with.statistics().done(), 2);
        assertThat(insight(late).unhandledKinds()).isEmpty();
        assertThat(worker.statistics().done()).isPositive();
        fixture.execute(
            "update rota.worker set heartbeat_at = now() - interval '1 day' where kinds = '{lost}'");
        assertThat(insight(late).unhandledKinds()).as("it died").hasSize(1);
      }
    }
  }

  private Tenant other(NewTask task) {
    long unused = other.enqueue(task);
    return other;
  }

  @Test
  @Tag("exhaustive")
  void aKindIsListedAsLongAsItsTasksWait() throws Exception {
    AtomicLong skipped = new AtomicLong();
    LongSupplier clock = () -> System.nanoTime() + skipped.get();
    Rota process =
        fixture.observed(
            faults, builder -> RotaBuilder.nanoTime(builder.lease(SHORT_LEASE), clock));
    acme.enqueue(LOST);
    try (Worker worker = process.worker().handle("mail", task -> {}).start()) {
      Await.until("it is told", () -> unhandled().equals(List.of(new UnhandledKind("lost", 1, 0))));
      skipped.addAndGet(TimeUnit.MINUTES.toNanos(25));
      faults.awaitMore("heartbeat", 3);
      Await.until("it was found again", () -> unhandled().size(), 1);
      long unused = acme.control().cancel(TaskFilter.all().kind("lost"), "");
      skipped.addAndGet(TimeUnit.MINUTES.toNanos(25));
      Await.until("none waits", () -> unhandled().isEmpty());
      assertThat(worker.statistics().claimed()).isZero();
    }
  }

  private List<UnhandledKind> unhandled() {
    return insight().unhandledKinds();
  }

  private void awaitKinds(Optional<List<String>> kinds) {
    Await.until("these kinds", () -> worker().serves().kinds().equals(kinds));
  }

  private WorkerActivity worker() {
    return insight().workers().get(0);
  }

  private Insight insight() {
    return insight(fixture.rota());
  }

  private static Insight insight(Rota rota) {
    return rota.insight();
  }
}
