package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch.SettleResult;
import dev.rota.control.TaskFilter;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests tasks that run while their segment of history is rewritten: they get their reported
 * outcomes.
 */
@RotaTest
@PostgresVersions({15, 18})
@Tag("exhaustive")
class RewrittenHistoryTest {

  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final int RUNNING = 40;
  private static final String PLACE =
      "select ctid from rota_1.task_hist_1_1 where state = 0 order by id limit 1";

  @Given private RotaFixture fixture;
  @Given private Rota rota;
  @Given private Tenant acme;

  @BeforeEach
  void open() throws SQLException {
    leaveDeadVersions();
  }

  /** So that a rewrite moves what comes after them. */
  private void leaveDeadVersions() throws SQLException {
    acme.enqueueAll(Collections.nCopies(600, TASK));
    for (int attempt = 1; attempt <= 3; attempt++) {
      try (Batch batch = acme.claim(600)) {
        for (Task task : attempt < 3 ? batch.tasks() : List.<Task>of()) {
          batch.fail(task, "not yet", Duration.ZERO);
        }
        assertThat(batch.settle().settled()).isEqualTo(600);
      }
      Waiting.intoRing(fixture, 1);
    }
  }

  private void rewrite(Rewrite rewrite) throws SQLException {
    List<String> before = fixture.texts(PLACE);
    rewrite.perform(fixture);
    assertThat(fixture.texts(PLACE)).as("the rows have moved").isNotEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void outcomesAreWritten(Rewrite rewrite) throws SQLException {
    acme.enqueueAll(Collections.nCopies(RUNNING, TASK));
    Batch batch = acme.claim(RUNNING);
    rewrite(rewrite);
    for (int i = 0; i < 10; i++) {
      batch.fail(batch.tasks().get(i), "again", Duration.ofHours(1));
      batch.dead(batch.tasks().get(10 + i), "no more");
      batch.release(batch.tasks().get(20 + i));
    }
    assertThat(batch.settle()).isEqualTo(new SettleResult(RUNNING, 0));
    assertCounts(
        Map.of(
            TaskState.WAITING, 10L,
            TaskState.FAILED, 1_210L,
            TaskState.DEAD, 10L,
            TaskState.RELEASED, 10L,
            TaskState.PENDING, 10L,
            TaskState.DONE, 610L));
  }

  @ParameterizedTest
  @EnumSource
  void tasksPassTheStagesOfTheirPipeline(Rewrite rewrite) throws SQLException {
    Pipeline docs = Pipeline.named("doc").stage("fetch").stage("parse").build();
    acme.enqueueAll(Collections.nCopies(RUNNING, docs.task("url")));
    Batch batch = acme.claim(RUNNING);
    rewrite(rewrite);
    for (Task task : batch.tasks()) {
      StageResult next = StageResult.next("page");
      batch.move(task, docs, task.id() % 2 == 0 ? next : next.after(Duration.ofHours(1)));
    }
    batch.settle();
    assertCounts(Map.of(TaskState.PENDING, 20L, TaskState.WAITING, 20L, TaskState.RUNNING, 0L));
    try (Batch parsing = acme.claim(RUNNING)) {
      assertThat(parsing.tasks()).hasSize(20).allMatch(task -> task.payload().equals("page"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsSettledBeforeTheRestIsNotRepeated(Rewrite rewrite) throws SQLException {
    acme.enqueueAll(Collections.nCopies(RUNNING, TASK));
    ClaimedBatch batch = claim();
    List<Outcome> done = batch.tasks().stream().limit(15).map(Outcome::done).toList();
    rewrite(rewrite);
    settle(new Settlement(batch, done, false));
    assertCounts(Map.of(TaskState.DONE, 615L, TaskState.RUNNING, 25L));
    rewrite.perform(fixture);
    // As when the answer was lost.
    settle(new Settlement(batch, done, false));
    rewrite.perform(fixture);
    assertThat(abandon(batch.id())).isEqualTo(25);
    assertCounts(Map.of(TaskState.DONE, 615L, TaskState.LOST, 25L, TaskState.PENDING, 25L));
  }

  @ParameterizedTest
  @EnumSource
  void whatADeadWorkerHeldReturns(Rewrite rewrite) throws SQLException {
    acme.enqueueAll(Collections.nCopies(2 * RUNNING, TASK));
    Batch dead = acme.claim(RUNNING);
    Batch living = acme.claim(RUNNING);
    rewrite(rewrite);
    assertThat(abandon(dead.id())).isEqualTo(RUNNING);
    assertCounts(Map.of(TaskState.LOST, 40L, TaskState.PENDING, 40L, TaskState.RUNNING, 40L));
    assertThat(living.settle()).isEqualTo(new SettleResult(RUNNING, 0));
    try (Batch again = acme.claim(100)) {
      assertThat(again.tasks()).hasSize(RUNNING).allMatch(task -> task.attempt() == 2);
      again.settle();
    }
  }

  @Test
  void oneScanFindsTheRestOfAllBatchesOfADeadWorker() throws SQLException {
    Faults faults = new Faults();
    rota = fixture.observed(faults);
    acme.enqueueAll(Collections.nCopies(5 * RUNNING, TASK));
    List<ClaimedBatch> batches = Stream.generate(this::claim).limit(5).toList();
    batches.forEach(batch -> settle(0, batch));
    assertThat(batches).allSatisfy(each -> assertThat(abandon(each.id())).isEqualTo(RUNNING - 1));
    assertThat(faults.count("find rows of batches")).isEqualTo(1);
    assertCounts(Map.of(TaskState.LOST, 195L, TaskState.PENDING, 195L, TaskState.RUNNING, 0L));
  }

  @Test
  void aScanThatIsTooOldIsNotTrusted() throws SQLException {
    acme.enqueueAll(Collections.nCopies(3 * RUNNING, TASK));
    List<ClaimedBatch> batches = Stream.generate(this::claim).limit(3).toList();
    batches.forEach(batch -> settle(0, batch));
    assertThat(abandon(batches.get(0).id())).isEqualTo(RUNNING - 1);
    settle(1, batches.get(1));
    assertThat(abandon(batches.get(1).id())).isEqualTo(RUNNING - 2);
    Rewrite.VACUUM_FULL.perform(fixture);
    assertThat(abandon(batches.get(2).id())).isEqualTo(RUNNING - 1);
    assertCounts(Map.of(TaskState.RUNNING, 0L, TaskState.PENDING, 116L));
  }

  @ParameterizedTest
  @EnumSource
  void tasksReturnToTheirLanes(Rewrite rewrite) throws SQLException {
    acme.enqueueAll(Collections.nCopies(20, TASK.priority(7)));
    acme.enqueueAll(Collections.nCopies(20, TASK));
    Batch batch = acme.claim(RUNNING);
    rewrite(rewrite);
    batch.close();
    try (Batch again = acme.claim(RUNNING)) {
      assertThat(again.tasks()).hasSize(RUNNING).allMatch(task -> task.attempt() == 1);
      assertThat(again.tasks().stream().filter(task -> task.priority() == 7)).hasSize(20);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatRunsTooLongIsTakenBack(Rewrite rewrite) throws SQLException {
    acme.enqueueAll(Collections.nCopies(RUNNING, TASK));
    Batch batch = acme.claim(RUNNING);
    rewrite(rewrite);
    assertThat(acme.control().requeueRunning(Duration.ZERO)).isEqualTo(RUNNING);
    assertThat(batch.settle()).isEqualTo(new SettleResult(0, RUNNING));
  }

  @ParameterizedTest
  @EnumSource
  void runningTasksAreAskedToEndAndDoNotReturn(Rewrite rewrite) throws SQLException {
    acme.enqueueAll(Collections.nCopies(RUNNING, TASK));
    Batch batch = acme.claim(RUNNING);
    rewrite(rewrite);
    long first = batch.tasks().get(0).id();
    assertThat(acme.control().requestCancel(TaskFilter.all().ids(List.of(first)), "stop"))
        .isEqualTo(1);
    rewrite.perform(fixture);
    assertThat(abandon(batch.id())).isEqualTo(RUNNING - 1);
    assertCounts(Map.of(TaskState.CANCELLED, 1L, TaskState.PENDING, 39L));
    assertThat(fixture.number("select count(*) from rota.cancel_request")).isZero();
  }

  /** Each handler writes down that it ran, in a table that Rota does not know. */
  @ParameterizedTest
  @EnumSource
  void handlersThatThrowAfterwardsRunAgain(Rewrite rewrite) throws Exception {
    fixture.execute("create table ran (task bigint, attempt integer)");
    CountDownLatch rewritten = new CountDownLatch(1);
    TaskHandler handler =
        task -> {
          note(task);
          if (task.attempt() == 1) {
            rewritten.await();
            throw new IllegalStateException("the first attempt fails");
          }
        };
    acme.enqueueAll(Collections.nCopies(RUNNING, TASK));
    Worker.Builder builder =
        fixture
            .another()
            .worker()
            .concurrency(RUNNING)
            .retry(RetryPolicy.fixed(10, Duration.ofMillis(1)))
            .handle("k", handler);
    try (Worker worker = builder.start()) {
      Await.until("all run", () -> fixture.number("select count(*) from ran"), RUNNING);
      rewrite(rewrite);
      rewritten.countDown();
      Await.until("all have failed", () -> worker.statistics().failed(), RUNNING);
      Await.until(
          "all run again",
          () -> {
            Waiting.intoRing(fixture, 1);
            return worker.statistics().done() == RUNNING;
          });
    }
    assertThat(fixture.texts("select count(*) || ' x ' || attempt from ran group by attempt"))
        .containsExactlyInAnyOrder("40 x 1", "40 x 2");
  }

  @Test
  void rowsThatAreGoneAreAnErrorAndTheBatchStaysOpen() throws SQLException {
    acme.enqueueAll(Collections.nCopies(RUNNING, TASK));
    Batch batch = acme.claim(RUNNING);
    List<Long> ids = batch.tasks().stream().map(Task::id).limit(3).toList();
    fixture.execute(
        "delete from rota_1.task_hist_1_1 where id in (%d, %d, %d)"
            .formatted(ids.get(0), ids.get(1), ids.get(2)));
    batch.tasks().forEach(task -> batch.fail(task, "again", Duration.ZERO));
    String[] named = {"tenant 'acme' (1)", "3 tasks of batch " + batch.id() + " have no row"};
    assertThatThrownBy(batch::settle).hasMessageContainingAll(named);
    assertThatThrownBy(() -> abandon(batch.id())).hasMessageContainingAll(named);
    assertThatThrownBy(() -> acme.control().requestCancel(TaskFilter.all(), "stop"))
        .hasMessageContainingAll(named);
    assertCounts(Map.of(TaskState.RUNNING, 37L, TaskState.PENDING, 0L, TaskState.WAITING, 0L));
    assertThat(fixture.number("select count(*) from rota.task_batch where ended = 0")).isEqualTo(1);
  }

  private void note(Task task) throws SQLException {
    try (Connection connection = fixture.database().dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into ran (task, attempt) values (?, ?)")) {
      insert.setLong(1, task.id());
      insert.setInt(2, task.attempt());
      insert.executeUpdate();
    }
  }

  private void assertCounts(Map<TaskState, Long> expected) {
    assertThat(acme.history().scanStates()).containsAllEntriesOf(expected);
  }

  private ClaimedBatch claim() {
    Kernel kernel = DefaultRota.kernelOf(rota);
    ClaimRequest request =
        new ClaimRequest(
            kernel.registry().get(acme.number()), RUNNING, ClaimRequest.ALL_SLOTS, true);
    return kernel.claimers().claimer(null, BatchEnd.OPEN).claim(List.of(request)).get(0).batch();
  }

  /** Writes the outcome of one task, while the batch stays open. */
  private void settle(int task, ClaimedBatch batch) {
    settle(new Settlement(batch, List.of(Outcome.done(batch.tasks().get(task))), false));
  }

  private void settle(Settlement settlement) {
    assertThat(DefaultRota.kernelOf(rota).settler().settle(List.of(settlement)).owned())
        .containsExactly(settlement.batch().id());
  }

  /** As the daemon does when the worker is dead. */
  private int abandon(long batch) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    return kernel
        .database()
        .transaction(
            "abandon",
            session -> {
              BatchLocation row =
                  LedgerRows.find(session, kernel.tables(), "where b.id = ?", batch).get(0);
              return kernel.batchReturn().abandon(session, row, "the holder is dead");
            });
  }
}
