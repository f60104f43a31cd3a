package dev.rota.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.DeliveryMode;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.TaskCancelledException;
import dev.rota.TaskKey;
import dev.rota.Tenant;
import dev.rota.daemon.RotationDaemon;
import dev.rota.erasure.TenantEraser;
import dev.rota.graph.TaskGraph;
import dev.rota.jackson.JacksonCodec;
import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.typed.Kind;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the test kit as an application would use it. */
@RotaTest(settings = TestRotaTest.WithJson.class)
class TestRotaTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final Kind<Invoice> REMIND = Kind.of("remind", Invoice.class);
  private static final Duration TWO_WEEKS = Duration.ofDays(14);

  private final List<String> ran = new ArrayList<>();

  record Invoice(int number) {}

  static final class WithJson implements UnaryOperator<Rota.Builder> {
    @Override
    public Rota.Builder apply(Rota.Builder builder) {
      return builder.payloadCodec(JacksonCodec.create());
    }
  }

  @BeforeEach
  void handle(TestRota rota) {
    rota.handlers(worker -> worker.handle("mail", task -> ran.add("mail " + task.attempt())));
  }

  @Test
  void tasksRunInTheThreadOfTheTest(TestRota rota, Tenant acme) {
    Thread test = Thread.currentThread();
    rota.handlers(
        worker ->
            worker.handle("mail", task -> ran.add(String.valueOf(Thread.currentThread() == test))));
    assertThat(acme.name()).isEqualTo("acme");
    acme.enqueue(MAIL);
    rota.assertThat(acme).hasPending("mail").ran("mail").never();
    assertThat(rota.drain()).isOne();
    assertThat(ran).containsExactly("true");
    rota.assertThat(acme).hasNothingPending().ran("mail").once().succeeded("mail").once();
    assertThat(rota.drain()).isZero();
  }

  @Test
  void twoWeeksPassAtOnce(TestRota rota, Tenant acme) {
    rota.handlers(worker -> worker.handle(REMIND, (invoice, task) -> ran.add("" + invoice)));
    acme.enqueue(REMIND.task(new Invoice(7)).after(TWO_WEEKS));
    rota.assertThat(acme).hasPending(REMIND, invoice -> invoice.number() == 7);
    rota.advance(TWO_WEEKS.minusMinutes(1)).drain();
    rota.assertThat(acme).ran(REMIND).never();
    assertThat(rota.advance(Duration.ofMinutes(1)).drain()).isOne();
    rota.assertThat(acme).ran(REMIND).once();
    assertThat(ran).containsExactly("Invoice[number=7]");
  }

  @Test
  void whatAHandlerThrowsFailsTheTest(TestRota rota, Tenant acme) {
    IOException refused = new IOException("no route to the mail server");
    rota.handlers(
        worker ->
            worker.handle(
                "mail",
                task -> {
                  throw refused;
                }));
    long id = acme.enqueue(MAIL);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(rota::drain)
        .isSameAs(refused)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .asString()
                    .contains("mail", "acme", String.valueOf(id)));
    rota.assertThat(acme).hasPending("mail").ran("mail").once();
  }

  @Test
  void expectedFailuresAreTriedAgainWhenTheyAreDue(TestRota rota, Tenant acme) {
    RetryPolicy twice = RetryPolicy.exponential(2, Duration.ofHours(1), Duration.ofHours(1));
    rota.handlers(
        worker ->
            worker
                .retry("mail", twice)
                .handle(
                    "mail",
                    task -> {
                      ran.add("mail " + task.attempt());
                      throw new IllegalStateException("no");
                    }));
    acme.enqueue(MAIL);
    assertThat(rota.expectFailures().drain()).isOne();
    assertThat(rota.drain()).isZero();
    assertThat(rota.advance(Duration.ofHours(2)).drain()).isOne();
    assertThat(rota.advance(TWO_WEEKS).drain()).isZero();
    assertThat(ran).containsExactly("mail 1", "mail 2");
    rota.assertThat(acme).hasNothingPending().succeeded("mail").never().ran("mail").times(2);
  }

  @Test
  void aCancelledTaskIsNoFailure(TestRota rota, Tenant acme) {
    rota.handlers(
        worker ->
            worker.handle(
                "mail",
                task -> {
                  throw new TaskCancelledException("nothing to do");
                }));
    acme.enqueue(MAIL);
    assertThat(rota.drain()).isOne();
    rota.assertThat(acme).hasNothingPending();
  }

  @ParameterizedTest
  @EnumSource(names = {"LEASED", "TRANSACTIONAL"})
  void aWorkerThatDiesRunsItsTasksAgain(DeliveryMode mode, TestRota rota, Tenant acme) {
    rota.handlers(
        worker ->
            mode == DeliveryMode.LEASED
                ? worker.handle("mail", task -> ran.add("mail " + task.attempt()))
                : worker
                    .delivery(mode)
                    .handleInTransaction(
                        "mail", (task, connection) -> ran.add("mail " + task.attempt())));
    acme.enqueue(MAIL);
    assertThat(rota.crash()).isOne();
    rota.assertThat(acme).hasPending("mail").succeeded("mail").never();
    assertThat(rota.drain()).isOne();
    rota.assertThat(acme).hasNothingPending().succeeded("mail").once();
    assertThat(ran).containsExactly("mail 1", mode == DeliveryMode.LEASED ? "mail 2" : "mail 1");
    assertThat(rota.crash()).as("with nothing to run").isZero();
  }

  @Test
  void handlersInATransactionRunInIt(TestRota rota, Tenant acme, DataSource database)
      throws SQLException {
    execute(database, "create table sent (id bigint)");
    rota.handlers(
        worker ->
            worker
                .delivery(DeliveryMode.TRANSACTIONAL)
                .handleInTransaction(
                    "mail",
                    (task, connection) -> {
                      try (Statement statement = connection.createStatement()) {
                        statement.execute("insert into sent values (" + task.id() + ")");
                      }
                    }));
    acme.enqueue(MAIL);
    rota.crash();
    assertThat(rows(database)).isZero();
    rota.drain();
    assertThat(rows(database)).isOne();
  }

  private static void execute(DataSource database, String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long rows(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        var count = statement.executeQuery("select count(*) from sent")) {
      count.next();
      return count.getLong(1);
    }
  }

  @Test
  void fireAndForgetRunsOnce(TestRota rota, Tenant acme) {
    rota.handlers(
        worker ->
            worker
                .delivery(DeliveryMode.FIRE_AND_FORGET)
                .handle("mail", task -> ran.add("mail " + task.attempt())));
    acme.enqueue(MAIL);
    assertThat(rota.crash()).isOne();
    assertThat(rota.drain()).isZero();
    assertThat(ran).containsExactly("mail 1");
  }

  @Test
  void handlersOfSeveralTasksGetThemTogether(TestRota rota, Tenant acme) {
    rota.handlers(worker -> worker.handleBatch("mail", tasks -> ran.add("" + tasks.size())));
    acme.enqueueAll(List.of(MAIL, MAIL, MAIL));
    assertThat(rota.drain()).isEqualTo(3);
    assertThat(ran).containsExactly("3");
  }

  @Test
  void schedulesRunWhenTheirTimeHasPassed(TestRota rota, Tenant acme) {
    acme.schedules().add(Schedule.every("hourly", Duration.ofHours(1), MAIL));
    rota.drain();
    int before = ran.size();
    rota.advance(Duration.ofHours(1)).drain();
    rota.advance(Duration.ofHours(1)).drain();
    assertThat(ran).hasSize(before + 2);
  }

  @Test
  void whatTasksEnqueueRunsToo(TestRota rota, Tenant acme, Tenant other) {
    Pipeline pipeline = Pipeline.named("order").stage("check").stage("ship").build();
    rota.handlers(
        worker ->
            worker
                .stage(pipeline, "check", task -> StageResult.next())
                .stage(
                    pipeline,
                    "ship",
                    task -> {
                      other.enqueue(MAIL);
                      return StageResult.finish();
                    })
                .handle("mail", task -> ran.add("mail")));
    acme.enqueue(pipeline.task("{}"));
    assertThat(rota.drain()).isEqualTo(3);
    rota.assertThat(other).ran("mail").once();
  }

  @Test
  void graphsRunToTheirEnd(TestRota rota, Tenant acme) {
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node first = graph.add(MAIL);
    graph.add(MAIL).dependsOn(first);
    acme.graphs().enqueue(graph.build());
    assertThat(rota.drain()).isEqualTo(2);
  }

  @Test
  void keysBecomeFree(TestRota rota, Tenant acme) {
    NewTask daily = MAIL.withKey(TaskKey.keptFor("daily", Duration.ofDays(1)));
    acme.enqueue(daily);
    assertThat(rota.drain()).isOne();
    acme.enqueue(daily);
    assertThat(rota.drain()).as("the key is taken").isZero();
    rota.advance(Duration.ofDays(1)).drain();
    acme.enqueue(daily);
    assertThat(rota.drain()).isOne();
  }

  @Test
  void pausesHoldAndEnd(TestRota rota, Tenant acme) {
    rota.rota().controls().pause(Scope.tenant("acme"), "tests", Duration.ofHours(1));
    acme.enqueue(MAIL);
    assertThat(rota.drain()).isZero();
    assertThat(rota.advance(Duration.ofHours(1)).drain()).isOne();
  }

  @Test
  void capsLetTasksRunOneByOne(TestRota rota, Tenant acme) {
    rota.rota()
        .controls()
        .changeLimits(Scope.tenant("acme"), limits -> Limits.none().concurrency(1));
    acme.enqueueAll(List.of(MAIL, MAIL, MAIL));
    assertThat(rota.drain()).isEqualTo(3);
  }

  @Test
  void rulesOfOneTestDoNotHoldInAnother(TestRota rota) {
    assertThat(rota.rota().controls().rules()).isEmpty();
    rota.rota().controls().pause(Scope.everything(), "left behind");
  }

  @Test
  void pausesOfOneTestDoNotHoldInAnother(TestRota rota) {
    rulesOfOneTestDoNotHoldInAnother(rota);
  }

  @Test
  void schedulesOfOneTestDoNotRunInAnother(TestRota rota, Tenant acme) {
    assertThat(rota.advance(Duration.ofHours(1)).drain()).isZero();
    acme.schedules().add(Schedule.every("left behind", Duration.ofMinutes(1), MAIL));
    assertThat(rota.advance(Duration.ofHours(1)).drain()).isPositive();
  }

  @Test
  void schedulesOfEarlierTestsNeverRun(TestRota rota, Tenant acme) {
    schedulesOfOneTestDoNotRunInAnother(rota, acme);
  }

  @Test
  void tasksThatSqlEnqueuesRun(TestRota rota, DataSource database) throws SQLException {
    rota.rota().tenants().register("by sql");
    assertThat(rota.drain()).isZero();
    execute(database, "select rota.enqueue('by sql', 'mail', '{}')");
    execute(database, "select rota.enqueue('by sql', 'mail', '{}', now() + interval '1 day')");
    assertThat(rota.drain()).isOne();
    assertThat(rota.advance(Duration.ofDays(1)).drain()).isOne();
  }

  @Test
  void tasksOfAnyPriorityRun(TestRota rota, Tenant acme) {
    acme.enqueue(MAIL);
    assertThat(rota.drain()).isOne();
    acme.enqueue(MAIL.priority(7));
    assertThat(rota.drain()).isOne();
    acme.enqueue(MAIL.priority(-7).after(TWO_WEEKS));
    assertThat(rota.advance(TWO_WEEKS).drain()).isOne();
  }

  @Test
  void tasksOfAnErasedTenantAreGone(TestRota rota, Tenant acme, Tenant other) {
    acme.enqueue(MAIL);
    other.enqueue(MAIL.after(TWO_WEEKS));
    assertThat(rota.drain()).isOne();
    TenantEraser.builder(rota.rota()).closing(true).build().erase("acme");
    assertThat(rota.advance(TWO_WEEKS).drain()).isOne();
  }

  @Test
  void onlyTheTasksOfTheTestRun(TestRota rota, Tenant acme) {
    acme.enqueue(MAIL);
    acme.enqueue(MAIL.after(TWO_WEEKS));
    assertThat(rota.rota().tenants().list()).anyMatch(tenant -> tenant.name().equals("acme"));
    assertThat(rota.drain()).isOne();
  }

  @Test
  void tasksOfEarlierTestsNeverRun(TestRota rota, Tenant acme) {
    onlyTheTasksOfTheTestRun(rota, acme);
  }

  @Nested
  class InTheSameDatabase {

    @Test
    void nestedTestsHaveTenantsToo(TestRota rota, Tenant acme) {
      onlyTheTasksOfTheTestRun(rota, acme);
    }
  }

  @Test
  void tasksThatEnqueueEachOtherWithoutAnEndAreRefused(TestRota rota, Tenant acme) {
    List<NewTask> many = List.of(MAIL, MAIL);
    rota.handlers(
        worker ->
            worker.handleBatch(
                "mail",
                tasks -> {
                  List<NewTask> next = new ArrayList<>();
                  tasks.forEach(task -> next.addAll(many));
                  acme.enqueueAll(next.subList(0, Math.min(next.size(), 20_000)));
                }));
    acme.enqueue(MAIL);
    assertThatIllegalStateException()
        .isThrownBy(rota::drain)
        .withMessageContaining("a task seems to enqueue another one each time");
  }

  @Test
  void aDaemonBesideATestIsRefused(TestRota rota) {
    try (RotationDaemon daemon = RotationDaemon.builder(rota.rota()).start()) {
      Await.until("it leads", daemon::isLeading);
      assertThatIllegalStateException()
          .isThrownBy(rota::drain)
          .withMessageContaining("a daemon leads in this database");
    }
  }

  @Test
  void wrongCallsAreRefused(TestRota rota, Tenant acme) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.advance(Duration.ZERO))
        .withMessage("time is PT0S; it must be more than 0");
    acme.enqueue(MAIL);
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> rota.assertThat(acme).hasNothingPending())
        .withMessage("expected no pending task, but tenant 'acme' has these:\n  pending mail {}");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> rota.assertThat(acme).ran("mail").once())
        .withMessageStartingWith("expected 1 attempts of 'mail', found 0, but tenant 'acme' has");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> rota.assertThat(acme).hasPending(REMIND, invoice -> true))
        .withMessageStartingWith("expected a pending task of kind 'remind' with such a value");
  }
}
