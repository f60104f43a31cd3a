package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.graph.TaskGraph;
import dev.rota.history.HistoryFilter;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.UnknownScheduleException;
import dev.rota.typed.TaskKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** Tests on each path of a task into a table whether its payload counts towards the quota. */
@RotaTest
@PostgresVersions({15, 18})
class PayloadQuotaPathsTest {

  private static final int BYTES = 1_000;
  private static final int TASKS = 10;

  /** 100 bytes, and 50 characters. */
  private static final NewTask TASK = NewTask.of("k", "\u00e4".repeat(50));

  private static final NewTask BYTE = NewTask.of("k", "1");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  /** Calls that are tasks. */
  interface Mails {
    @TaskKind("mail")
    void send(String text);
  }

  @BeforeEach
  void set() {
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.tenant("acme"), limits -> limits.maxPayload(BYTES, ChronoUnit.MONTHS));
  }

  @Test
  void aSingleTaskIsRefused() throws SQLException {
    for (int i = 1; i < TASKS; i++) {
      acme.enqueue(TASK);
    }
    NewTask larger = NewTask.of("k", "x".repeat(101));
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.enqueue(larger))
        .withMessage(
            "tenant 'acme' (1) has used 900 of at most 1000 bytes of payloads this month, and has"
                + " no room for 101 more; wait for the next month, or raise its quota with"
                + " Limits.maxPayload or rota limit set --max-payload");
    acme.enqueue(TASK);
    assertRefused(() -> acme.enqueue(BYTE));
    assertRefused(() -> acme.enqueue(BYTE.after(Duration.ofHours(1))));
    assertRefused(() -> acme.enqueue(BYTE.withKey("new")));
    assertRefused(() -> acme.enqueue(BYTE, Duration.ofMillis(20)));
    assertRefused(() -> acme.tasks(Mails.class).send("text"));
    acme.enqueue(NewTask.of("k", ""));
    assertStored(TASKS + 1);
  }

  @Test
  void aRefusalTellsWhenTheNextPeriodBegins() throws SQLException {
    acme.enqueueAll(tasks(TASKS));
    QuotaExceededException refusal =
        catchThrowableOfType(QuotaExceededException.class, () -> acme.enqueue(BYTE));
    assertThat(refusal.tenant()).isEqualTo("acme");
    assertThat(refusal.limit()).isEqualTo("maxPayload");
    assertThat(refusal.allowed()).isEqualTo(BYTES);
    assertThat(refusal.used()).isEqualTo(BYTES);
    long seconds =
        fixture.number(
            "select extract(epoch from date_trunc('month', now() at time zone 'UTC')"
                + " + interval '1 month' - now() at time zone 'UTC')::bigint");
    assertThat(refusal.retryAfter().toSeconds()).isBetween(seconds - 1, seconds + 60);
  }

  @Test
  void aBulkIsStoredWholeOrNotAtAll() throws SQLException {
    acme.enqueueAll(tasks(6));
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.enqueueAll(tasks(5)))
        .satisfies(e -> assertThat(e.used()).isEqualTo(600));
    acme.enqueueAll(tasks(4));
    assertRefused(() -> acme.enqueueAll(List.of(BYTE)));
    assertThat(acme.enqueueAll(List.of())).isEmpty();
    assertStored(TASKS);
  }

  @Test
  void asynchronousTasksAreRefusedEachByItself() throws SQLException {
    List<CompletableFuture<Long>> futures =
        IntStream.range(0, 3 * TASKS).mapToObj(i -> acme.enqueueAsync(TASK)).toList();
    assertThat(futures.stream().filter(PayloadQuotaPathsTest::isStored)).hasSize(TASKS);
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> acme.enqueueAsync(BYTE).join())
        .withCauseInstanceOf(QuotaExceededException.class);
    assertStored(TASKS);
  }

  private static boolean isStored(CompletableFuture<Long> future) {
    return future.handle((id, failure) -> failure == null).join();
  }

  @Test
  void theCallersTransactionGoesOnAfterARefusal() throws SQLException {
    Connection connection = fixture.begin();
    acme.enqueueAll(connection, tasks(5));
    acme.enqueue(DSL.using(connection, SQLDialect.POSTGRES), TASK);
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.enqueueAll(connection, tasks(5)));
    acme.enqueueAll(connection, tasks(4));
    assertRefused(() -> acme.enqueue(connection, BYTE));
    assertRefused(() -> acme.tasks(connection, Mails.class).send("text"));
    connection.commit();
    assertStored(TASKS);
  }

  /** Other calls may have been refused meanwhile. */
  @Test
  void whatTheCallerRollsBackCounts() throws SQLException {
    Connection connection = fixture.begin();
    acme.enqueueAll(connection, tasks(6));
    connection.rollback();
    acme.enqueueAll(tasks(4));
    assertRefused(() -> acme.enqueue(BYTE));
    assertStored(4);
  }

  @Test
  void theSqlFunctionsTakeTheirBytesInTheirTransaction() throws SQLException {
    List<String> calls =
        List.of(
            "rota.enqueue('acme', 'k', repeat('\u00e4', 50))",
            "rota.enqueue('acme', 'k', repeat('\u00e4', 50), now())",
            "rota.enqueue('acme', 'k', repeat('\u00e4', 50), null, 0)",
            "rota_1.enqueue('k', repeat('\u00e4', 50))");
    for (String call : calls) {
      fixture.execute("select " + call);
    }
    assertThat(used()).isEqualTo(400);
    Connection connection = fixture.begin();
    RotaFixture.execute(connection, "select " + calls.get(0));
    connection.rollback();
    assertThat(used()).isEqualTo(400);
    fixture.execute("update rota.allowance set used = 901");
    for (String call : calls) {
      PSQLException refusal =
          catchThrowableOfType(PSQLException.class, () -> fixture.execute("select " + call));
      assertThat(refusal.getSQLState()).isEqualTo("53400");
      var details = refusal.getServerErrorMessage();
      assertThat(details.getMessage()).isEqualTo("tenant 'acme' has used up its quota of payloads");
      assertThat(details.getDetail())
          .isEqualTo("max_payload allows 1000 bytes a month, 901 are used, the call adds 100.");
      assertThat(details.getHint())
          .isEqualTo(
              "Wait for the next month, or raise the quota: rota limit set 'tenant:acme'"
                  + " --max-payload SIZE/month.");
    }
    assertThat(used()).isEqualTo(901);
    assertStored(calls.size());
  }

  /** Occurrences are stored: the tests of the daemon show that. */
  @Test
  void aScheduleThatIsRunByHandIsRefused() throws SQLException {
    acme.schedules().add(Schedule.cron("yearly", "0 0 1 1 *", TASK));
    acme.enqueueAll(tasks(TASKS - 1));
    assertThat(acme.schedules().run("yearly")).isPositive();
    assertRefused(() -> acme.schedules().run("yearly"));
    assertThatExceptionOfType(UnknownScheduleException.class)
        .isThrownBy(() -> acme.schedules().run("another"));
    assertStored(TASKS);
  }

  @Test
  void aGraphNeedsRoomForAllItsTasks() throws SQLException {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node first = builder.add(TASK);
    builder.add(TASK).dependsOn(first);
    TaskGraph graph = builder.build();
    acme.graphs().enqueue(graph);
    Connection connection = fixture.begin();
    acme.graphs().enqueue(connection, graph);
    connection.commit();
    acme.enqueueAll(tasks(5));
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.graphs().enqueue(graph));
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.graphs().enqueue(connection, graph));
    acme.enqueue(TASK);
    assertRefused(() -> acme.enqueue(BYTE));
    assertThat(acme.graphs().list(10)).hasSize(2);
  }

  @Test
  void thePayloadsOfStagesRetriesAndRedrivenTasksDoNotCount() throws SQLException {
    Pipeline pipeline = Pipeline.named("p").stage("a").stage("b").build();
    acme.enqueue(pipeline.task(TASK.payload()));
    acme.enqueueAll(tasks(TASKS - 1));
    assertRefused(() -> acme.enqueue(pipeline.task("{}")));
    try (Batch batch = acme.claim(TASKS)) {
      for (Task task : batch.tasks()) {
        if (task.kind().equals("k")) {
          batch.dead(task, "no use");
        } else {
          batch.move(task, pipeline, StageResult.next());
        }
      }
      assertThat(batch.settle().lost()).isZero();
    }
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(TASKS - 1);
    try (Batch batch = acme.claim(TASKS)) {
      assertThat(batch.tasks()).hasSize(TASKS);
      batch.fail(batch.tasks().get(0), "no luck", Duration.ZERO);
      batch.tasks().subList(1, TASKS).forEach(batch::release);
      assertThat(batch.settle().lost()).isZero();
    }
    assertStored(TASKS);
    assertThat(used()).isEqualTo(BYTES);
  }

  @Test
  void aReplayIsRefused() throws SQLException {
    acme.enqueueAll(tasks(6));
    acme.claim(TASKS).settle();
    Replay replay = Replay.of(HistoryFilter.all());
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.control().replay(replay))
        .satisfies(e -> assertThat(e.limit()).isEqualTo("maxPayload"));
    assertStored(0);
    allow(2 * BYTES);
    assertThat(acme.control().replay(replay).tasks()).isEqualTo(6);
    assertThat(used()).isBetween(1_200L, 1_220L);
  }

  /** A call that another quota refuses has stored nothing. */
  @Test
  void bytesOfARefusedCallGoBack() throws SQLException {
    fixture.rota().controls().changeLimits(Scope.tenant("acme"), limits -> limits.maxPending(1));
    acme.enqueue(TASK);
    acme.schedules().add(Schedule.cron("yearly", "0 0 1 1 *", TASK));
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(TASK);
    TaskGraph one = graph.build();
    Connection connection = fixture.begin();
    List<ThrowingCallable> calls =
        List.of(
            () -> acme.enqueue(TASK),
            () -> acme.enqueue(TASK.withKey("new")),
            () -> acme.enqueueAll(tasks(2)),
            () -> acme.enqueue(connection, TASK),
            () -> acme.graphs().enqueue(one),
            () -> acme.graphs().enqueue(connection, one),
            () -> acme.schedules().run("yearly"));
    for (int round = 0; round < TASKS; round++) {
      for (ThrowingCallable call : calls) {
        assertThatExceptionOfType(QuotaExceededException.class)
            .isThrownBy(call)
            .satisfies(e -> assertThat(e.limit()).isEqualTo("maxPending"));
      }
    }
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.tenant("acme"), limits -> limits.maxPendingByDefault());
    acme.enqueueAll(tasks(TASKS - 1));
    assertRefused(() -> acme.enqueue(BYTE));
    assertStored(TASKS);
  }

  private void assertRefused(ThrowingCallable enqueue) {
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(enqueue)
        .satisfies(
            e -> {
              assertThat(e.limit()).isEqualTo("maxPayload");
              assertThat(e.used()).isEqualTo(BYTES);
            });
  }

  private long used() throws SQLException {
    return fixture.number("select used from rota.allowance where tenant = 1");
  }

  private void assertStored(int tasks) throws SQLException {
    assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isEqualTo(tasks);
  }

  private void allow(long bytes) {
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.tenant("acme"), limits -> limits.maxPayload(bytes, ChronoUnit.MONTHS));
  }

  private static List<NewTask> tasks(int count) {
    return Collections.nCopies(count, TASK);
  }
}
