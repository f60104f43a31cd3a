package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.control.TaskFilter;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.TaskGraph;
import dev.rota.history.HistoryFilter;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.schedule.Schedule;
import dev.rota.typed.TaskKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** Tests on each path of a task into a table what a quota refuses there, and what it lets pass. */
@RotaTest
@PostgresVersions({15, 18})
class QuotaPathsTest {

  private static final int QUOTA = 10;
  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  /** Calls that are tasks. */
  interface Mails {
    @TaskKind("mail")
    void send();
  }

  @BeforeEach
  void set() {
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.tenant("acme"), limits -> limits.maxPending(QUOTA));
  }

  @Test
  void aSingleTaskIsRefused() {
    acme.enqueueAll(tasks(QUOTA));
    assertRefused(() -> acme.enqueue(TASK), 1);
    assertRefused(() -> acme.enqueue(TASK.after(Duration.ofHours(1))), 1);
    assertRefused(() -> acme.enqueue(TASK, Duration.ofMillis(20)), 1);
    assertRefused(() -> acme.tasks(Mails.class).send(), 1);
    assertPending(QUOTA);
  }

  /** Its key is looked up after the room. */
  @Test
  void aTaskWithAKeyIsRefusedAsIfItWereNew() {
    acme.enqueue(TASK.withKey("there"));
    acme.enqueueAll(tasks(QUOTA - 1));
    assertRefused(() -> acme.enqueue(TASK.withKey("there")), 1);
    assertRefused(() -> acme.enqueueAll(List.of(TASK.withKey("there"), TASK.withKey("new"))), 2);
    assertPending(QUOTA);
  }

  @Test
  void aBulkIsStoredWholeOrNotAtAll() {
    acme.enqueueAll(tasks(QUOTA - 2));
    QuotaExceededException refusal =
        catchThrowableOfType(QuotaExceededException.class, () -> acme.enqueueAll(tasks(3)));
    assertThat(refusal.used()).isEqualTo(QUOTA - 2);
    assertThat(acme.enqueueAll(tasks(2))).hasSize(2);
    assertRefused(() -> acme.enqueueAll(tasks(1)), 1);
    assertThat(acme.enqueueAll(List.of())).isEmpty();
    assertPending(QUOTA);
  }

  @Test
  void asynchronousTasksOfOneCommitAreRefusedEachByItself() {
    Tenant other = fixture.tenant("other");
    int calls = 400;
    List<CompletableFuture<Long>> bounded =
        IntStream.range(0, calls).mapToObj(i -> acme.enqueueAsync(TASK)).toList();
    List<CompletableFuture<Long>> free =
        IntStream.range(0, calls).mapToObj(i -> other.enqueueAsync(TASK)).toList();
    assertThat(free).allSatisfy(future -> assertThat(future.join()).isPositive());
    long stored = bounded.stream().filter(QuotaPathsTest::isStored).count();
    assertPending(stored);
    // Two commits may be in flight.
    assertThat(stored).isBetween((long) QUOTA, 2L * QUOTA);
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> acme.enqueueAsync(TASK).join())
        .withCauseInstanceOf(QuotaExceededException.class);
  }

  private static boolean isStored(CompletableFuture<Long> future) {
    return future.handle((id, failure) -> failure == null).join();
  }

  @Test
  void theCallersTransactionCountsWhatItAddedAndGoesOnAfterARefusal() throws SQLException {
    Connection connection = fixture.begin();
    DSLContext context = DSL.using(connection, SQLDialect.POSTGRES);
    acme.enqueueAll(connection, tasks(5));
    acme.enqueue(context, TASK);
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.enqueueAll(context, tasks(6)))
        .satisfies(e -> assertThat(e.used()).isEqualTo(6));
    acme.enqueueAll(connection, tasks(4));
    assertRefused(() -> acme.enqueue(connection, TASK), 1);
    assertRefused(() -> acme.tasks(connection, Mails.class).send(), 1);
    connection.commit();
    assertPending(QUOTA);
  }

  @Test
  void theCallersTransactionSeesWhatOthersAddedMeanwhile() throws SQLException {
    Connection connection = fixture.begin();
    acme.enqueue(connection, TASK);
    acme.enqueueAll(tasks(QUOTA - 1));
    assertRefused(() -> acme.enqueue(connection, TASK), 1);
  }

  @Test
  void theSqlFunctionsAreRefusedWithDetailAndHint() throws SQLException {
    acme.enqueueAll(tasks(QUOTA));
    for (String call :
        List.of(
            "rota.enqueue('acme', 'k', '{}')",
            "rota.enqueue('acme', 'k', '{}', now())",
            "rota.enqueue('acme', 'k', '{}', null, 0)",
            "rota_1.enqueue('k', '{}')")) {
      PSQLException refusal =
          catchThrowableOfType(PSQLException.class, () -> fixture.execute("select " + call));
      assertThat(refusal.getSQLState()).isEqualTo("53400");
      var details = refusal.getServerErrorMessage();
      assertThat(details.getMessage()).isEqualTo("tenant 'acme' has too many pending tasks");
      assertThat(details.getDetail())
          .isEqualTo("max_pending allows 10, 10 are pending, the call adds 1.");
      assertThat(details.getHint())
          .isEqualTo(
              "Wait until workers have run some, or raise the quota: rota limit set 'tenant:acme'"
                  + " --max-pending N.");
    }
    assertPending(QUOTA);
    claimed(1).settle();
    fixture.execute("select rota.enqueue('acme', 'k', '{}')");
    assertPending(QUOTA);
  }

  /** Occurrences are stored: the tests of the daemon show that. */
  @Test
  void aScheduleThatIsRunByHandIsRefused() {
    acme.schedules().add(Schedule.cron("yearly", "0 0 1 1 *", TASK));
    acme.enqueueAll(tasks(QUOTA - 1));
    assertThat(acme.schedules().run("yearly")).isPositive();
    assertRefused(() -> acme.schedules().run("yearly"), 1);
    assertPending(QUOTA);
  }

  @Test
  void aGraphNeedsRoomForAllItsTasksAndItsLaterTasksAreStored() throws SQLException {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node first = builder.add(NewTask.of("first", "{}"));
    builder.add(TASK).dependsOn(first);
    TaskGraph graph = builder.build();
    EnqueuedGraph stored = acme.graphs().enqueue(graph);
    acme.enqueueAll(tasks(QUOTA - 1));
    Connection connection = fixture.begin();
    assertRefused(() -> acme.graphs().enqueue(graph), 2);
    assertRefused(() -> acme.graphs().enqueue(connection, graph), 2);
    assertThat(acme.graphs().list(10)).hasSize(1);
    Batch batch = claimed(1);
    assertThat(batch.tasks().get(0).kind()).isEqualTo("first");
    acme.enqueue(TASK);
    assertThat(batch.settle().lost()).isZero();
    assertThat(acme.graphs().find(stored.id())).isPresent();
    assertPending(QUOTA + 1);
  }

  @Test
  void thePipelineNeedsRoomToBeginAndItsStagesAreStored() {
    Pipeline pipeline = Pipeline.named("p").stage("a").stage("b").build();
    acme.enqueue(pipeline.task("{}"));
    Batch batch = claimed(1);
    acme.enqueueAll(tasks(QUOTA));
    assertRefused(() -> acme.enqueue(pipeline.task("{}")), 1);
    batch.move(batch.tasks().get(0), pipeline, StageResult.next());
    assertThat(batch.settle().lost()).isZero();
    assertPending(QUOTA + 1);
  }

  @Test
  void redrivenTasksAreStored() {
    acme.enqueueAll(tasks(2));
    Batch batch = claimed(2);
    batch.tasks().forEach(task -> batch.dead(task, "no use"));
    acme.enqueueAll(tasks(QUOTA));
    assertThat(batch.settle().lost()).isZero();
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(2);
    assertPending(QUOTA + 2);
  }

  /** A page of a replay is 1,000 tasks. */
  @Test
  void aReplayIsRefusedPageByPage() {
    int page = 1_000;
    allow(2 * page);
    acme.enqueueAll(tasks(2 * page));
    claimed(2 * page).settle();
    allow(page + QUOTA);
    Replay replay = Replay.of(HistoryFilter.all()).once("again");
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.control().replay(replay))
        .satisfies(e -> assertThat(e.used()).isEqualTo(page));
    assertPending(page);
    allow(2 * page);
    assertThat(acme.control().replay(replay).tasks()).isEqualTo(2 * page);
    assertPending(2 * page);
  }

  @Test
  void retriesAndReleasedTasksAreStored() {
    acme.enqueueAll(tasks(QUOTA));
    Batch batch = claimed(QUOTA);
    acme.enqueueAll(tasks(QUOTA));
    batch.fail(batch.tasks().get(0), "no luck", Duration.ZERO);
    batch.fail(batch.tasks().get(1), "no luck", Duration.ofHours(1));
    batch.tasks().subList(2, QUOTA).forEach(batch::release);
    assertThat(batch.settle().lost()).isZero();
    assertPending(2 * QUOTA);
  }

  @Test
  void tasksThatChangeTheirPriorityAreStoredAndCountOnce() {
    acme.addLane(7);
    acme.enqueueAll(tasks(QUOTA));
    assertThat(acme.control().changePriority(TaskFilter.all(), 7)).isEqualTo(QUOTA);
    assertRefused(() -> acme.enqueue(TASK.priority(7)), 1);
    assertPending(QUOTA);
  }

  private static void assertRefused(ThrowingCallable enqueue, int tasks) {
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(enqueue)
        .withMessage(
            "tenant 'acme' (1) has 10 of at most 10 pending tasks, and no room for %d more; wait"
                + " until workers have run some, or raise its quota with Limits.maxPending or rota"
                + " limit set --max-pending",
            tasks)
        .satisfies(
            e -> {
              assertThat(e.tenant()).isEqualTo("acme");
              assertThat(e.limit()).isEqualTo("maxPending");
              assertThat(e.allowed()).isEqualTo(QUOTA);
              assertThat(e.used()).isEqualTo(QUOTA);
              assertThat(e.retryAfter()).isBetween(Duration.ofMillis(100), Duration.ofSeconds(10));
            });
  }

  /** Counts the rows, and compares what a refusal tells if the tenant is full. */
  private void assertPending(long expected) {
    try {
      assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isEqualTo(expected);
      assertThat(fixture.number("select pending from rota.room(1)")).isEqualTo(expected);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Batch claimed(int count) {
    Batch batch = acme.claim(count);
    assertThat(batch.tasks()).hasSize(count);
    return batch;
  }

  private void allow(long tasks) {
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.tenant("acme"), limits -> limits.maxPending(tasks));
  }

  private static List<NewTask> tasks(int count) {
    return Collections.nCopies(count, TASK);
  }
}
