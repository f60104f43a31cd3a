package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.history.HourlyStatistics;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.Insight;
import dev.rota.insight.KindActivity;
import dev.rota.insight.Overview;
import dev.rota.insight.RunningBatch;
import dev.rota.insight.ScheduleEntry;
import dev.rota.insight.ScheduleQuery;
import dev.rota.insight.StorageReport;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantActivity.State;
import dev.rota.insight.TenantQuery;
import dev.rota.insight.TenantQuery.Order;
import dev.rota.insight.WorkerActivity;
import dev.rota.internal.RotaBuilder;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the reads across all tenants, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class InsightTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final Instant EVER = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;

  @Test
  void tasksOfAllTenantsAreSummed() {
    fixture.rota().tenants().register("idle");
    other.enqueueAll(Collections.nCopies(4, MAIL));
    fixture.rota().tenants().close("other");
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    acme.enqueue(MAIL.priority(4));
    acme.enqueueAll(Collections.nCopies(2, MAIL.after(Duration.ofHours(1))));
    try (Batch running = acme.claim(3)) {
      int held = running.tasks().size();
      Await.until("counters are there", () -> overview().estimated().pending(), 15 - held);
      Await.until("waiting ones too", () -> overview().estimated().waiting(), 2);
      Overview overview = overview();
      assertCounts(overview.estimated(), 15 - held, 2, held);
      assertThat(overview.tenants()).isEqualTo(new Overview.Tenants(3, 1, 1));
      assertThat(overview.alive().workers()).isOne();
      assertThat(overview.alive().leads()).isFalse();
      assertCounts(tenant("acme").estimated(), 11 - held, 2, held);
      assertThat(tenant("acme").standing().state()).isEqualTo(State.ACTIVE);
      assertThat(tenant("other").standing().state()).isEqualTo(State.CLOSED);
      assertThat(tenant("idle").standing().state()).isEqualTo(State.PARKED);
      assertThat(tenant("idle").standing().rotatedAt()).isEmpty();
    }
  }

  private static void assertCounts(Overview.Tasks tasks, long pending, long waiting, long held) {
    assertThat(tasks)
        .isEqualTo(new Overview.Tasks(pending, waiting, held, 1, tasks.oldestPending()));
  }

  @Test
  @Tag("exhaustive")
  void theOldestPendingTaskAgesUntilItIsClaimed() {
    assertThat(overview().estimated().oldestPending()).isEmpty();
    acme.enqueueAll(Collections.nCopies(5, MAIL));
    other.enqueue(MAIL.priority(3));
    Await.until("both age", () -> age(tenant("acme")) > 1.5 && age(tenant("other")) > 1.5);
    acme.enqueueAll(Collections.nCopies(2, MAIL));
    Await.until("all arrived", () -> pendingOf("acme"), 7);
    try (Batch batch = acme.claim(5)) {
      assertThat(batch.tasks()).hasSize(5);
      // The first task of the other tenant is as old as those five were.
      Await.until("they are younger", () -> age(tenant("other")) - age(tenant("acme")) > 1);
      batch.settle();
    }
    assertThat(overview().estimated().oldestPending())
        .as("the oldest of all is that of the other tenant, in another lane")
        .isEqualTo(tenant("other").estimated().oldestPending());
    try (Batch batch = acme.claim(5)) {
      assertThat(batch.tasks()).hasSize(2);
      Await.until("none", () -> tenant("acme").estimated().oldestPending().isEmpty());
      batch.settle();
    }
  }

  private static double age(TenantActivity tenant) {
    return tenant.estimated().oldestPending().orElse(Duration.ZERO).toNanos() / 1e9;
  }

  @Test
  @Tag("exhaustive")
  void tablesThatComeAndGoAreFollowed() throws SQLException {
    acme.enqueue(MAIL);
    Await.until("one", () -> overview().estimated().pending(), 1);
    Tenant late = fixture.rota().tenants().register("late");
    late.enqueueAll(Collections.nCopies(5, MAIL));
    Await.until("those of new tables too", () -> pendingOf("late"), 5);
    late.enqueue(MAIL.priority(7));
    Await.until("those of another lane too", () -> pendingOf("late"), 6);
    fixture.execute("truncate rota_3.task_init_3_0, rota_3.task_init_3_3");
    fixture.execute(RotaFixture.parking(3));
    Await.until("parked", () -> tenant("late").standing().state() == State.PARKED);
    assertThat(overview().tenants()).isEqualTo(new Overview.Tenants(3, 1, 0));
    late.enqueue(MAIL);
    Await.until("tables that were made anew", () -> pendingOf("late"), 1);
  }

  @Test
  void tablesOfARestoreAreFollowed() throws SQLException {
    AtomicLong skipped = new AtomicLong();
    LongSupplier clock = () -> System.nanoTime() + skipped.get();
    Insight watching = fixture.another(builder -> RotaBuilder.nanoTime(builder, clock)).insight();
    acme.enqueue(MAIL);
    Await.until("one", () -> watching.overview().estimated().pending(), 1);
    fixture.execute(
        "create table rota_1.restored as select * from rota_1.task_init_1_0;"
            + "drop table rota_1.task_init_1_0 cascade;"
            + "alter table rota_1.restored rename to task_init_1_0");
    Await.until("none", () -> watching.overview().estimated().pending(), 0);
    skipped.set(TimeUnit.MINUTES.toNanos(1));
    Await.until("that of the new table", () -> watching.overview().estimated().pending(), 1);
  }

  @Test
  @Tag("exhaustive")
  void flowIsThatBetweenTwoLooks() {
    acme.enqueue(MAIL);
    assertThat(overview().flow()).isEmpty();
    acme.enqueueAll(Collections.nCopies(1_000, MAIL));
    Await.until("they arrived", () -> arrived() > 0);
    assertThat(overview().flow())
        .hasValueSatisfying(
            flow ->
                assertThat(flow.arrived() * flow.time().toNanos() / 1e9).isBetween(1.0, 1_001.0));
    try (Batch batch = acme.claim(500)) {
      Await.until("they left", () -> flowOf("acme").claimed() > 0);
      batch.settle();
    }
  }

  @Test
  void tenantsAreSearchedOrderedAndPaged() {
    List<String> names = IntStream.range(0, 30).mapToObj("Shop-%02d"::formatted).toList();
    fixture.rota().tenants().registerAll(names);
    fixture.rota().tenants().get("Shop-07").enqueueAll(Collections.nCopies(3, MAIL));
    other.enqueueAll(Collections.nCopies(2, MAIL));
    Await.until("counted", () -> overview().estimated().pending(), 5);
    assertThat(names(TenantQuery.all())).startsWith("Shop-07", "other", "Shop-00").hasSize(32);
    TenantQuery shops = TenantQuery.all().containing("shop-").orderedBy(Order.NAME);
    assertThat(insight().tenants(shops.page(28, 10)).matching()).isEqualTo(30);
    assertThat(names(shops.page(28, 10))).containsExactly("Shop-28", "Shop-29");
    assertThat(names(shops.page(30, 10))).isEmpty();
    assertThat(names(TenantQuery.all().containing("%"))).isEmpty();
    assertThat(pendingOf("Shop-07")).isEqualTo(3);
    assertThat(find("shop-07")).as("a part of a name, or one in another case").isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> shops.page(-1, 10))
        .withMessage("the offset is -1; use one from 0 on");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> shops.page(0, 0))
        .withMessage("the limit is 0; use one from 1 to 10,000");
  }

  @Test
  @Tag("exhaustive")
  void kindsAndErrorsOfAllTenantsAreSummed() throws Exception {
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    other.enqueueAll(Collections.nCopies(2, MAIL));
    other.enqueue(NewTask.of("sms", "{}"));
    try (Worker worker = failing(fixture.another())) {
      Await.until("all failed", () -> failures(), 6);
    }
    KindActivity mail = insight().kinds(EVER, FOREVER).get(0);
    assertThat(mail.kind()).isEqualTo("mail");
    assertThat(mail.ended().failed()).isEqualTo(5);
    assertThat(mail.running().count()).isEqualTo(5);
    assertThat(mail.running().buckets().stream().mapToLong(Long::longValue).sum()).isEqualTo(5);
    assertThat(mail.running().quantile(0.95)).isPresent();
    assertThat(insight().kinds(EVER, EVER.plusSeconds(1))).isEmpty();
    assertThat(insight().hours("mail", EVER, FOREVER))
        .isSortedAccordingTo(Comparator.comparing(HourlyStatistics::hour))
        .allMatch(hour -> hour.kind().equals("mail"))
        .extracting(hour -> hour.ended().failed())
        .satisfies(
            failed -> assertThat(failed.stream().mapToLong(each -> each).sum()).isEqualTo(5));
    assertThat(insight().hours("mail", EVER, EVER.plusSeconds(1))).isEmpty();
    assertThat(insight().hours("fax", EVER, FOREVER)).isEmpty();
    List<ErrorActivity> errors = errors(all());
    assertThat(errors).hasSize(2);
    ErrorActivity first = errors.get(0);
    assertThat(first.error())
        .isEqualTo("java.lang.IllegalStateException: no answer from # after # ms");
    assertThat(first.kind()).isEqualTo("mail");
    assertThat(first.attempts().failed()).isEqualTo(5);
    assertThat(first.attempts().dead()).isZero();
    assertThat(first.last().tenant()).isPresent();
    assertThat(first.last().at()).isAfter(EVER);
    assertThat(errors(all().tenant("acme")))
        .extracting(error -> error.attempts().failed())
        .containsExactly(3L);
    assertThat(errors(all().tenant("other")))
        .extracting(ErrorActivity::kind)
        .containsExactly("mail", "sms");
    assertThat(errors(all().kind("sms")))
        .extracting(error -> error.attempts().count())
        .containsExactly(1L);
    assertThat(errors(all().limit(1))).containsExactly(first);
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> errors(all().tenant("nobody")))
        .withMessageContaining("no tenant is named 'nobody'");
  }

  @Test
  void workersAndTheirBatchesAreListed() throws Exception {
    acme.enqueueAll(Collections.nCopies(3, MAIL));
    assertThat(insight().workers()).isEmpty();
    assertThat(insight().running(10)).isEmpty();
    try (Batch batch = acme.claim(3)) {
      WorkerActivity worker = insight().workers().get(0);
      int held = batch.tasks().size();
      assertThat(worker.heartbeat().alive()).isTrue();
      assertThat(worker.heartbeat().lease()).isPositive();
      assertThat(worker.holds()).isEqualTo(new WorkerActivity.Holds(held, 1));
      assertThat(worker.serves().pools()).containsExactly("default");
      RunningBatch running = insight().running(10).get(0);
      assertThat(running.tenant()).isEqualTo("acme");
      assertThat(running.worker()).isEqualTo(worker.id());
      assertThat(running.tasks()).isEqualTo(held);
      assertThat(running.age()).isBetween(Duration.ZERO, Duration.ofMinutes(5));
      batch.settle();
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> insight().running(0))
        .withMessage("the limit is 0; use one from 1 to 10,000");
  }

  @Test
  void schedulesOfAllTenantsAreListed() {
    for (Tenant tenant : List.of(acme, other)) {
      for (String name : List.of("hourly", "Nightly")) {
        tenant.schedules().add(Schedule.every(name, Duration.ofHours(1), MAIL));
      }
    }
    List<ScheduleEntry> first = insight().schedules(ScheduleQuery.all().limit(3));
    assertThat(first)
        .extracting(entry -> entry.tenant() + " " + entry.schedule().schedule().name())
        .containsExactly("acme Nightly", "acme hourly", "other Nightly");
    ScheduleQuery rest = ScheduleQuery.all().after(first.get(2));
    assertThat(insight().schedules(rest))
        .extracting(entry -> entry.schedule().schedule().name())
        .containsExactly("hourly");
    assertThat(insight().schedules(ScheduleQuery.all().containing("NIGHT"))).hasSize(2);
    assertThat(insight().schedules(ScheduleQuery.all().containing("ACM"))).hasSize(2);
    assertThat(insight().schedules(ScheduleQuery.all().containing("%"))).isEmpty();
  }

  @Test
  void storageTellsWhatThePastCosts() throws Exception {
    acme.enqueue(MAIL);
    fixture.execute(
        "update rota.tenant set postponed = 1, postponed_reason = 'a reader' where name = 'acme'");
    try (Connection open = fixture.begin()) {
      RotaFixture.execute(open, "select pg_current_xact_id()");
      StorageReport storage = insight().storage();
      assertThat(storage.rotation().postponed()).isOne();
      assertThat(storage.rotation().reasons()).containsExactly("a reader");
      assertThat(storage.segments().history()).isEqualTo(new StorageReport.Segments(2, 0));
      assertThat(storage.segments().ledger().open()).isOne();
      assertThat(storage.segments().tenants()).isEqualTo(2);
      assertThat(storage.segments().size()).as("no daemon noted it").isEmpty();
      assertThat(storage.archive().unfinished()).isZero();
      assertThat(storage.oldestTransaction().orElseThrow().process()).isPositive();
      assertThat(storage.oldestTransaction().orElseThrow().age().orElseThrow())
          .isBetween(Duration.ZERO, Duration.ofMinutes(5));
    }
  }

  @Test
  void storageTellsTheSizeOfTheLastWholeHourAndOfADayBefore() throws Exception {
    String hour = "date_bin('1 hour', now(), 'epoch') - interval '%d hours'";
    String noted = "insert into rota.usage (tenant, hour, storage_byte_hours) values ";
    fixture.execute(
        noted + "(1, %s, 7000), (2, %s, 9)".formatted(hour.formatted(25), hour.formatted(2)));
    assertThat(insight().storage().segments().size()).isEmpty();
    fixture.execute(
        noted
            + "(1, %1$s, 8000), (2, %1$s, 500), (1, %2$s, 1)"
                .formatted(hour.formatted(1), hour.formatted(0)));
    StorageReport.Size size = insight().storage().segments().size().orElseThrow();
    assertThat(size.bytes()).isEqualTo(8_500);
    assertThat(size.dayBefore()).hasValue(7_000);
    assertThat(size.hour()).isBefore(insight().storage().readAt().minus(Duration.ofHours(1)));
    fixture.execute("delete from rota.usage where storage_byte_hours = 7000");
    assertThat(insight().storage().segments().size().orElseThrow().dayBefore()).isEmpty();
  }

  @Test
  void databaseWithoutASchemaIsAClearError() throws Exception {
    try (TestDatabase empty = TestDatabase.create();
        Rota rota = Rota.connect(empty.jdbcUrl())) {
      assertThatExceptionOfType(SchemaMissingException.class)
          .isThrownBy(() -> rota.insight().overview());
      assertThatExceptionOfType(SchemaMissingException.class)
          .isThrownBy(() -> rota.insight().kinds(EVER, FOREVER));
      rota.close();
      assertThatExceptionOfType(RotaClosedException.class)
          .isThrownBy(() -> rota.insight().workers());
    }
  }

  @Test
  void timesOfQueriesAreChecked() {
    String message =
        "from is "
            + FOREVER
            + " and to is "
            + EVER
            + "; use an end that is not before the beginning";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> insight().kinds(FOREVER, EVER))
        .withMessage(message);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> insight().hours("mail", FOREVER, EVER))
        .withMessage(message);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ErrorQuery.between(FOREVER, EVER))
        .withMessage(message);
  }

  private static Worker failing(Rota rota) {
    return rota.worker()
        .hourlyStatistics(true)
        .retry(RetryPolicy.fixed(9, Duration.ofHours(1)))
        .handle("mail", task -> fail("no answer from 10.0.0.7 after " + task.id() + " ms"))
        .handle("sms", task -> fail("no credit"))
        .start();
  }

  private static void fail(String message) {
    throw new IllegalStateException(message);
  }

  private long failures() {
    return insight().errors(all()).stream().mapToLong(error -> error.attempts().failed()).sum();
  }

  private static ErrorQuery all() {
    return ErrorQuery.between(EVER, FOREVER);
  }

  private List<ErrorActivity> errors(ErrorQuery query) {
    return insight().errors(query);
  }

  private Insight insight() {
    return fixture.rota().insight();
  }

  private Overview overview() {
    return insight().overview();
  }

  private double arrived() {
    return overview().flow().map(Overview.Flow::arrived).orElse(0.0);
  }

  private Overview.Flow flowOf(String name) {
    return tenant(name).flow().orElseThrow();
  }

  private long pendingOf(String name) {
    return find(name).map(tenant -> tenant.estimated().pending()).orElse(-1L);
  }

  private TenantActivity tenant(String name) {
    return find(name).orElseThrow();
  }

  private Optional<TenantActivity> find(String name) {
    return insight().tenant(name);
  }

  private List<String> names(TenantQuery query) {
    return insight().tenants(query).tenants().stream().map(TenantActivity::name).toList();
  }
}
