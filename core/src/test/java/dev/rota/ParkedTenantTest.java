package dev.rota;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.graph.TaskGraph;
import dev.rota.history.HistoryFilter;
import dev.rota.schedule.Schedule;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/** Tests tenants without tables: readers find nothing, and the first task makes the tables. */
@RotaTest
@PostgresVersions({15, 18})
class ParkedTenantTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  private static final String RELATIONS =
      "select relname from pg_class where relnamespace = to_regnamespace('rota_%d')";

  private static final String FUNCTIONS =
      "select proname from pg_proc where pronamespace = to_regnamespace('rota_%d') order by 1";

  @Given private static RotaFixture fixture;
  private static int count;
  private Tenant tenant;

  /** A way to give a tenant its first task. */
  private record Way(String name, FirstTask first) {
    @Override
    public String toString() {
      return name;
    }
  }

  private interface FirstTask {
    void enqueue(Tenant tenant) throws Exception;
  }

  @BeforeEach
  void register() {
    tenant = fixture.rota().tenants().register("parked " + ++count);
  }

  @Test
  void aRegisteredTenantIsARowOfTheRegistry() throws SQLException {
    assertThat(isParked()).isTrue();
    assertThat(fixture.texts(FUNCTIONS.formatted(tenant.number()))).isEmpty();
    assertThat(fixture.texts("select to_regnamespace('rota_%d')::text".formatted(tenant.number())))
        .containsExactly((String) null);
  }

  @Test
  void aTenantThatWasOpenedKeepsItsFunctions() throws SQLException {
    open(tenant);
    assertThat(fixture.texts(FUNCTIONS.formatted(tenant.number())))
        .containsExactly("enqueue", "make");
    park();
    assertThat(relations()).isEmpty();
    assertThat(fixture.texts(FUNCTIONS.formatted(tenant.number())))
        .containsExactly("enqueue", "make");
  }

  /** Whoever may create schemas could have put a function of its own there. */
  @Test
  void nothingIsDoneInASchemaOfAnotherRole() throws SQLException {
    fixture.execute(
        """
        create role stranger_%1$d;
        create schema rota_%1$d authorization stranger_%1$d;
        create function rota_%1$d.make(text) returns void language sql as 'select 1 / 0'"""
            .formatted(tenant.number()));
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> tenant.enqueue(TASK))
        .withMessageContaining("schema rota_%1$d".formatted(tenant.number()))
        .withMessageContaining("belongs to stranger_");
    assertThatExceptionOfType(PSQLException.class)
        .isThrownBy(() -> open(tenant))
        .satisfies(
            e -> assertThat(hint(e)).startsWith("Drop or rename it").doesNotContain("alter"));
    assertThat(isParked()).isTrue();
    fixture.execute(
        "drop schema rota_%1$d cascade; drop role stranger_%1$d".formatted(tenant.number()));
    assertThat(tenant.enqueue(TASK)).isPositive();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "alter function rota_%1$d.make(text) owner to stranger_%1$d",
        "alter function rota_%1$d.enqueue owner to stranger_%1$d",
        "create function rota_%1$d.make(varchar) returns void language sql as 'select 1 / 0';"
            + " alter function rota_%1$d.make(varchar) owner to stranger_%1$d"
      })
  void nothingIsDoneBesideAFunctionOfAnotherRole(String trap) throws SQLException {
    open(tenant);
    park();
    fixture.execute(
        ("create role stranger_%1$d; grant create on schema rota_%1$d to stranger_%1$d; " + trap)
            .formatted(tenant.number()));
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> tenant.enqueue(TASK))
        .withMessageContaining("function rota_%d.".formatted(tenant.number()))
        .withMessageContaining("belongs to stranger_");
    assertThat(isParked()).isTrue();
    fixture.execute(
        "drop owned by stranger_%1$d; drop role stranger_%1$d".formatted(tenant.number()));
  }

  private static String hint(PSQLException e) {
    return String.valueOf(requireNonNull(e.getServerErrorMessage()).getHint());
  }

  static List<Way> ways() {
    return List.of(
        new Way("one", own -> own.enqueue(TASK)),
        new Way("async", own -> own.enqueueAsync(TASK).get(10, TimeUnit.SECONDS)),
        new Way("many", own -> own.enqueueAll(List.of(TASK))),
        new Way("key", own -> own.enqueue(TASK.withKey("a"))),
        new Way("priority", own -> own.enqueue(TASK.priority(7))),
        new Way("graph", ParkedTenantTest::enqueueGraph),
        new Way("caller", ParkedTenantTest::enqueueInCallersTransaction),
        new Way("sql", own -> call("select rota.enqueue('%s', 'k', '{}')", own)),
        new Way("sql at", own -> call("select rota.enqueue('%s', 'k', '{}', null)", own)),
        new Way("sql in a lane", own -> call("select rota.enqueue('%s', 'k', '{}', null, 0)", own)),
        new Way(
            "function of the tenant",
            own -> {
              open(own);
              fixture.execute(RotaFixture.parking(own.number()));
              fixture.execute("select rota_" + own.number() + ".enqueue('k', '{}')");
            }),
        new Way("schedule", ParkedTenantTest::runSchedule));
  }

  @ParameterizedTest
  @MethodSource("ways")
  @Tag("exhaustive")
  void theFirstTaskMakesTheTables(Way way) throws Exception {
    Tenant other = fixture.another().tenants().get(tenant.name());
    assertThat(other.claim(1).tasks()).isEmpty();
    way.first.enqueue(tenant);
    assertThat(isParked()).isFalse();
    // This process knew the tenant as parked a moment ago.
    try (Batch batch = other.claim(10)) {
      assertThat(batch.tasks()).hasSize(1);
      assertThat(batch.settle().settled()).isEqualTo(1);
    }
  }

  @Test
  void delayedTasksMakeTheTablesToo() throws SQLException {
    tenant.enqueue(TASK.after(Duration.ofHours(1)));
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.WAITING, 1L);
  }

  @Test
  void readersFindNothing() {
    assertThat(tenant.history().scanStates().values()).containsOnly(0L);
    assertThat(tenant.history().page(HistoryFilter.all()).attempts()).isEmpty();
    assertThat(tenant.history().scanAttempts(1)).isEmpty();
    assertThat(tenant.history().scanErrorGroups(HistoryFilter.all())).isEmpty();
    assertThat(tenant.claim(10).tasks()).isEmpty();
    assertThat(tenant.control().longRunning(Duration.ZERO)).isEmpty();
    assertThat(tenant.schedules().list()).isEmpty();
    assertThat(fixture.rota().admin().status().tenants())
        .anyMatch(status -> status.identity().name().equals(tenant.name()));
  }

  @Test
  void thereIsNothingToControl() throws SQLException {
    assertThat(tenant.control().cancel(TaskFilter.all(), "not wanted")).isZero();
    assertThat(tenant.control().requestCancel(TaskFilter.all(), "not wanted")).isZero();
    assertThat(tenant.control().redrive(Redrive.all())).isZero();
    assertThat(tenant.control().changePriority(TaskFilter.all(), 3)).isZero();
    assertThat(tenant.control().requeueRunning(Duration.ZERO)).isZero();
    assertThat(relations()).isEmpty();
  }

  @Test
  void itIsRenamedClosedAndReopened() throws SQLException {
    Tenants tenants = fixture.rota().tenants();
    String name = "renamed " + tenant.name();
    assertThat(tenants.rename(tenant.name(), name).number()).isEqualTo(tenant.number());
    tenants.close(name);
    assertThatExceptionOfType(TenantClosedException.class).isThrownBy(() -> tenant.enqueue(TASK));
    assertThat(relations()).isEmpty();
    tenants.reopen(name).enqueue(TASK);
    assertThat(tenant.claim(1).tasks()).hasSize(1);
  }

  @Test
  void lanesAreMadeWithTheTables() throws SQLException {
    tenant.addLane(5);
    tenant.addLane(-5);
    assertThat(relations()).isEmpty();
    tenant.enqueueAll(List.of(TASK.priority(-5), TASK, TASK.priority(5)));
    assertThat(relations()).contains("task_init_" + tenant.number() + "_8");
    assertThat(tenant.claim(10).tasks()).extracting(Task::priority).containsExactly(5, 0, -5);
  }

  @Test
  void aCallThatIsRolledBackLeavesNoTable() throws SQLException {
    try (Connection connection = fixture.begin()) {
      RotaFixture.execute(
          connection, "select rota.enqueue('%s', 'k', '{}')".formatted(tenant.name()));
      connection.rollback();
    }
    assertThat(relations()).isEmpty();
    assertThat(isParked()).isTrue();
    tenant.enqueue(TASK);
    assertThat(tenant.claim(10).tasks()).hasSize(1);
  }

  @Test
  void aCallersRollbackLeavesTheTablesAndNoTask() throws SQLException {
    try (Connection connection = fixture.begin()) {
      tenant.enqueue(connection, TASK);
      connection.rollback();
    }
    assertThat(isParked()).isFalse();
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void producersOfSeveralProcessesMakeThemOnce() throws Exception {
    List<CompletableFuture<Void>> producers = new ArrayList<>();
    for (Rota rota : List.of(fixture.another(), fixture.another(), fixture.another())) {
      Tenant own = rota.tenants().get(tenant.name());
      producers.add(InBackground.run(() -> own.enqueue(TASK)));
      producers.add(InBackground.run(() -> own.enqueueAll(List.of(TASK, TASK))));
    }
    for (int i = 0; i < 3; i++) {
      producers.add(InBackground.run(() -> callQuietly("select rota.enqueue('%s', 'k', '{}')")));
    }
    for (CompletableFuture<Void> producer : producers) {
      producer.get(60, TimeUnit.SECONDS);
    }
    assertThat(tenant.claim(100).tasks()).hasSize(12);
    assertThat(registry("tables_made")).isEqualTo("1");
  }

  @Test
  void aWorkerOfAnotherProcessStartsTheFirstTask() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    try (Worker worker = fixture.another().worker().handle("k", task -> ran.countDown()).start()) {
      assertThat(worker.statistics().done()).isZero();
      tenant.enqueue(TASK);
      assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void producersThatTakeAParkedTenantForAnotherMakeItsTables() throws SQLException {
    tenant.enqueue(TASK);
    assertThat(tenant.claim(1).settle().settled()).isEqualTo(1);
    park();
    tenant.enqueue(TASK);
    assertThat(tenant.claim(1).settle().settled()).isEqualTo(1);
    park();
    List<Long> more = tenant.enqueueAll(List.of(TASK.withKey("a"), TASK));
    assertThat(tenant.claim(10).tasks())
        .extracting(Task::id)
        .containsExactlyInAnyOrderElementsOf(more);
    assertThat(registry("tables_made")).isEqualTo("3");
  }

  @Test
  void numbersOfSegmentsNeverRepeat() throws SQLException {
    tenant.enqueue(TASK);
    park();
    tenant.enqueue(TASK);
    assertThat(
            fixture.texts(
                "select seq || ' ' || (dropped_at is null) from rota.segment where tenant = "
                    + tenant.number()
                    + " order by seq"))
        .containsExactly("1 false", "2 true");
    assertThat(relations()).contains("task_hist_" + tenant.number() + "_2");
  }

  @Test
  void aProducerTakesTheAnnouncementBack() throws SQLException {
    tenant.enqueue(TASK);
    fixture.execute(
        "update rota.tenant set park_at = now() + interval '1 minute' where number = "
            + tenant.number());
    Tenant other = fixture.another().tenants().get(tenant.name());
    try (Connection connection = fixture.begin()) {
      other.enqueue(connection, TASK);
      // By a transaction of its own, so that the caller holds no lock on the tenant.
      assertThat(registry("park_at")).isEqualTo("null");
      connection.rollback();
    }
  }

  @Test
  void sqlTakesTheAnnouncementBack() throws SQLException {
    tenant.enqueue(TASK);
    fixture.execute(
        "update rota.tenant set park_at = now() + interval '1 minute' where number = "
            + tenant.number());
    call("select rota.enqueue('%s', 'k', '{}')", tenant);
    assertThat(registry("park_at")).isEqualTo("null");
    assertThat(registry("tables_made")).isEqualTo("1");
  }

  @Test
  void onlyThingsOfTheLibraryAreMade() throws SQLException {
    open(tenant);
    for (String thing : List.of("'nonsense'", "null", "'slot(1,2); drop table x'", "'_view'")) {
      assertThatThrownBy(
              () -> fixture.execute("select rota_%d.make(%s)".formatted(tenant.number(), thing)))
          .isInstanceOf(PSQLException.class)
          .hasMessageContaining("a tenant has no");
    }
    for (String function : List.of("open_tenant", "make_tables")) {
      assertThatThrownBy(() -> fixture.execute("select rota.%s(4711)".formatted(function)))
          .hasMessageContaining("no tenant has the number 4711");
    }
  }

  @Test
  void anErasedTenantIsToldToBeGone() throws SQLException {
    Tenant erased = fixture.another().tenants().get(tenant.name());
    fixture.execute("delete from rota.tenant where number = " + tenant.number());
    assertThatExceptionOfType(UnknownTenantException.class)
        .isThrownBy(() -> erased.enqueue(TASK))
        .withMessageContaining(tenant.name());
  }

  private static void enqueueGraph(Tenant own) {
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(TASK);
    long unused = own.graphs().enqueue(graph.build()).id();
  }

  private static void enqueueInCallersTransaction(Tenant own) throws SQLException {
    try (Connection connection = fixture.begin()) {
      own.enqueue(connection, TASK);
      connection.commit();
    }
  }

  private static void runSchedule(Tenant own) {
    own.schedules().add(Schedule.every("hourly", Duration.ofHours(1), TASK));
    long unused = own.schedules().run("hourly");
  }

  private static void call(String sql, Tenant own) throws SQLException {
    fixture.execute(sql.formatted(own.name()));
  }

  private void callQuietly(String sql) {
    try {
      call(sql, tenant);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> relations() throws SQLException {
    return fixture.texts(RELATIONS.formatted(tenant.number()));
  }

  private boolean isParked() throws SQLException {
    return !registry("parked_at").equals("null");
  }

  private String registry(String column) throws SQLException {
    return fixture
        .texts(
            "select coalesce(%s::text, 'null') from rota.tenant where number = %d"
                .formatted(column, tenant.number()))
        .get(0);
  }

  private static void open(Tenant own) throws SQLException {
    fixture.execute("select rota.open_tenant(%d)".formatted(own.number()));
  }

  private void park() throws SQLException {
    fixture.execute(RotaFixture.parking(tenant.number()));
  }
}
