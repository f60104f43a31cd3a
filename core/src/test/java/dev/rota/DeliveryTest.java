package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests handlers inside the claim's transaction, and handlers whose outcome is not stored. */
@RotaTest
class DeliveryTest {

  private static final RetryPolicy TWICE = RetryPolicy.of(2, attempt -> Duration.ofHours(1));

  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() throws SQLException {
    rota = fixture.another(builder -> builder.doorbell(false).retry(TWICE));
    acme = rota.tenants().register("acme");
    fixture.execute("create table effect (task bigint, attempt int)");
  }

  @Test
  @Tag("exhaustive")
  void writesOfAHandlerCommitWithItsOutcome() throws Exception {
    List<Long> ids = enqueue(500);
    try (Worker worker = transactional(DeliveryTest::write)) {
      Await.until("all done", () -> worker.statistics().done(), 500);
    }
    assertThat(fixture.texts("select task from effect order by task"))
        .isEqualTo(ids.stream().map(String::valueOf).toList());
    assertCounts(Map.of(TaskState.DONE, 500L));
    assertThat(fixture.number("select max(tasks) from rota.task_batch")).isEqualTo(50);
    assertThat(fixture.number("select count(*) from rota.task_batch where ended <> 1")).isZero();
  }

  @Test
  void nothingOfATransactionIsSeenBeforeItCommits() throws Exception {
    enqueue(1);
    CountDownLatch written = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (Worker worker =
        transactional(
            (task, connection) -> {
              write(task, connection);
              written.countDown();
              release.await();
            })) {
      written.await();
      assertThat(fixture.number("select count(*) from effect")).isZero();
      assertThat(fixture.number("select count(*) from rota_1.task_init_1_0")).isEqualTo(1);
      release.countDown();
      Await.until("done", () -> worker.statistics().done(), 1);
    }
    assertThat(fixture.number("select count(*) from effect")).isEqualTo(1);
  }

  @Test
  void aHandlerThatThrowsTakesBackItsOwnWritesAlone() throws Exception {
    List<Long> ids = enqueue(10);
    try (Worker worker =
        transactional(
            (task, connection) -> {
              write(task, connection);
              if (task.id() == ids.get(4)) {
                throw new IllegalStateException("no");
              }
              if (task.id() == ids.get(5)) {
                execute(connection, "select 1 / 0");
              }
            })) {
      Await.until("all ran", () -> worker.statistics().done(), 8);
      assertThat(worker.statistics().failed()).isEqualTo(2);
      Waiting.intoRing(fixture, acme.number());
      Await.until("dead", () -> worker.statistics().dead(), 2);
    }
    assertThat(fixture.number("select count(*) from effect")).isEqualTo(8);
    assertCounts(Map.of(TaskState.DONE, 8L, TaskState.FAILED, 2L, TaskState.DEAD, 2L));
    assertThat(acme.history().scanAttempts(ids.get(5)).get(0).error().orElseThrow())
        .contains("division by zero");
  }

  @Test
  @Tag("exhaustive")
  void aHandlerThatKillsItsConnectionTwiceFailsTheNextTimeWithoutBeingRun() throws Exception {
    List<Long> ids = enqueue(3);
    AtomicInteger suicides = new AtomicInteger();
    try (Worker worker =
        transactional(
            (task, connection) -> {
              if (task.id() == ids.get(1)) {
                suicides.incrementAndGet();
                execute(connection, "select pg_terminate_backend(pg_backend_pid())");
              }
              write(task, connection);
            })) {
      Await.until("all settled", () -> worker.statistics().done(), 2);
      assertThat(worker.statistics().failed()).isEqualTo(1);
    }
    assertThat(suicides).hasValue(2);
    assertThat(fixture.texts("select task from effect order by task"))
        .containsExactly(ids.get(0).toString(), ids.get(2).toString());
    assertCounts(Map.of(TaskState.DONE, 2L, TaskState.FAILED, 1L, TaskState.WAITING, 1L));
  }

  @Test
  @Tag("exhaustive")
  void manyHandlersThatKillTheirConnectionsRunTwiceEach() throws Exception {
    List<Long> ids = enqueue(6);
    AtomicInteger suicides = new AtomicInteger();
    try (Worker worker =
        transactional(
            (task, connection) -> {
              if (task.id() != ids.get(0)) {
                suicides.incrementAndGet();
                execute(connection, "select pg_terminate_backend(pg_backend_pid())");
              }
            })) {
      Await.until("one done", () -> worker.statistics().done(), 1);
      assertThat(worker.statistics().failed()).isEqualTo(5);
    }
    assertThat(suicides).hasValue(10);
  }

  @Test
  @Tag("exhaustive")
  void aTaskWhoseCommitIsRefusedFailsAndTheOthersOfItsBatchDoNot() throws Exception {
    fixture.execute(
        "create table parent (id bigint primary key);"
            + " create table child (id bigint references parent deferrable initially deferred)");
    long bad = enqueue(10).get(4);
    try (Worker worker =
        transactional(
            (task, connection) -> {
              write(task, connection);
              if (task.id() == bad) {
                execute(connection, "insert into child values (1)");
              }
            })) {
      Await.until("the others are done", () -> worker.statistics().done(), 9);
      Await.until("failed", () -> worker.statistics().failed(), 1);
      Waiting.intoRing(fixture, acme.number());
      Await.until("dead", () -> worker.statistics().dead(), 1);
      assertThat(fixture.number("select max(tasks) from rota.task_batch")).isEqualTo(1);
      enqueue(20);
      Await.until("further ones are done", () -> worker.statistics().done(), 29);
    }
    assertThat(fixture.number("select max(tasks) from rota.task_batch"))
        .as("further ones run together")
        .isEqualTo(20);
    assertThat(fixture.number("select count(distinct task) from effect")).isEqualTo(29);
    assertThat(fixture.number("select count(*) from effect where task = " + bad)).isZero();
    assertCounts(Map.of(TaskState.DONE, 29L, TaskState.FAILED, 1L, TaskState.DEAD, 1L));
    assertThat(acme.history().scanAttempts(bad))
        .extracting(attempt -> attempt.error().orElseThrow())
        .allMatch(error -> error.contains("violates foreign key constraint"));
  }

  @Test
  void aTransactionThatEndsWithAnErrorSuspectsItsTask() throws Exception {
    Faults faults = new Faults();
    Rota observed = fixture.observed(faults, builder -> builder.doorbell(false).retry(TWICE));
    faults.before("release savepoint").from(2).fail(StackOverflowError::new);
    List<Long> ids = enqueue(3);
    try (Worker worker = transactional(observed, DeliveryTest::write)) {
      Await.until("others done", () -> worker.statistics().done(), 2);
      assertThat(worker.statistics().failed()).isEqualTo(1);
    }
    assertThat(acme.history().scanAttempts(ids.get(1)).get(0).error().orElseThrow())
        .contains("StackOverflowError");
  }

  @Test
  void aTaskWhoseConnectionIsLostOnceRunsAgain() throws Exception {
    Faults faults = new Faults();
    Rota observed = fixture.observed(faults, builder -> builder.doorbell(false).retry(TWICE));
    faults.before("release savepoint").from(2).fail();
    enqueue(3);
    try (Worker worker = transactional(observed, DeliveryTest::write)) {
      Await.until("all settled", () -> settled(worker), 3);
    }
    assertCounts(Map.of(TaskState.DONE, 3L));
    assertThat(fixture.number("select count(*) from effect")).isEqualTo(3);
  }

  @Test
  void aTaskThatRunsWhileTheServerEndsItsConnectionRunsAgain() throws Exception {
    long unlucky = enqueue(3).get(1);
    AtomicInteger runs = new AtomicInteger();
    try (Worker worker =
        transactional(
            (task, connection) -> {
              write(task, connection);
              if (task.id() == unlucky && runs.incrementAndGet() == 1) {
                execute(connection, "select pg_terminate_backend(pg_backend_pid())");
              }
            })) {
      Await.until("all settled", () -> settled(worker), 3);
    }
    assertThat(runs).hasValue(2);
    assertCounts(Map.of(TaskState.DONE, 3L));
    assertThat(fixture.number("select count(*) from effect")).isEqualTo(3);
  }

  @Test
  void aHandlerCannotEndTheTransactionThatIsNotItsOwn() throws Exception {
    enqueue(10);
    AtomicInteger ran = new AtomicInteger();
    try (Worker worker =
        transactional(
            (task, connection) -> {
              if (ran.incrementAndGet() == 1) {
                connection.commit();
              }
              write(task, connection);
            })) {
      Await.atLeast("all ran", () -> ran.get(), 10);
      Await.atLeast("all settled", () -> settled(worker), 10);
    }
    assertThat(fixture.number("select count(distinct task) from effect"))
        .isEqualTo(fixture.number("select count(*) from effect"))
        .isEqualTo(acme.history().scanStates().get(TaskState.DONE));
  }

  @Test
  void aHandlerFindsTheSettingsOfTheHost() throws Exception {
    fixture.execute("create schema shop; create table shop.orders (n int)");
    Rota hosts =
        fixture.closeLater(
            Rota.builder(fixture.database().jdbcUrl() + "&currentSchema=shop").build());
    hosts.tenants().get("acme").enqueue(NewTask.of("k", "{}"));
    AtomicReference<List<String>> seen = new AtomicReference<>(List.of());
    try (Worker worker =
        hosts
            .worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(
                "k",
                (task, connection) -> {
                  execute(connection, "insert into orders values (1)");
                  seen.set(
                      RotaFixture.texts(
                          connection,
                          "select setting from pg_settings where name in ('enable_seqscan',"
                              + " 'idle_in_transaction_session_timeout', 'statement_timeout',"
                              + " 'transaction_isolation') order by name"));
                })
            .start()) {
      Await.until("done", () -> worker.statistics().done(), 1);
    }
    assertThat(seen.get()).containsExactly("on", "35000", "30000", "read committed");
    assertThat(fixture.number("select n from shop.orders")).isEqualTo(1);
  }

  @Test
  void whatIsFiredAndForgottenIsClosedBeforeItRunsAndNotRetried() throws Exception {
    List<Long> ids = enqueue(10);
    AtomicInteger openSeen = new AtomicInteger();
    AtomicInteger ran = new AtomicInteger();
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle(
                "k",
                task -> {
                  String open = "select count(*) from rota.task_batch where closed_at is null";
                  openSeen.addAndGet((int) fixture.number(open));
                  ran.incrementAndGet();
                  if (task.id() == ids.get(3)) {
                    throw new IllegalStateException("nobody cares");
                  }
                })
            .start()) {
      Await.until("all ran", () -> ran.get(), 10);
      Await.until("all counted", () -> worker.statistics().done(), 9);
    }
    assertThat(openSeen).hasValue(0);
    assertThat(fixture.number("select count(*) from rota.worker")).isLessThanOrEqualTo(1);
    assertCounts(Map.of(TaskState.DONE, 10L));
  }

  private Worker transactional(TransactionalHandler handler) {
    return transactional(rota, handler);
  }

  private static Worker transactional(Rota rota, TransactionalHandler handler) {
    return rota.worker()
        .delivery(DeliveryMode.TRANSACTIONAL)
        .concurrency(2)
        .handleInTransaction("k", handler)
        .start();
  }

  private List<Long> enqueue(int count) {
    return acme.enqueueAll(Collections.nCopies(count, NewTask.of("k", "{}")));
  }

  private static long settled(Worker worker) {
    WorkerStatistics now = worker.statistics();
    return now.done() + now.failed() + now.dead();
  }

  private static void write(Task task, Connection connection) throws SQLException {
    execute(connection, "insert into effect values (%d, %d)".formatted(task.id(), task.attempt()));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void assertCounts(Map<TaskState, Long> expected) {
    Map<TaskState, Long> counts = acme.history().scanStates();
    counts.values().removeIf(count -> count == 0);
    assertThat(counts).isEqualTo(expected);
  }
}
