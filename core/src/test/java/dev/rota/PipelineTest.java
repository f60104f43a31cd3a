package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rota.Batch.SettleResult;
import dev.rota.control.TaskFilter;
import dev.rota.graph.TaskGraph;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.pipeline.StageVisit;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.Faults.Moment;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a task passes the stages of a pipeline, and is always at one of them. */
@RotaTest
@PostgresVersions({15, 18})
class PipelineTest {

  private static final Pipeline DOCS =
      Pipeline.named("doc").stage("fetch").stage("parse").stage("ocr").stage("index").build();

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.observed(faults, builder -> builder.payloadLimit(1_000));
    acme = rota.tenants().register("acme");
  }

  @Test
  void aTaskPassesItsStagesInOrder() throws Exception {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    long parent = acme.enqueue(NewTask.of("other", "{}"));
    try (Worker worker =
        rota.worker()
            .stage(DOCS, "fetch", task -> logged(seen, task, StageResult.next("page")))
            .stage(DOCS, "parse", task -> logged(seen, task, StageResult.next()))
            .stage(DOCS, "ocr", task -> logged(seen, task, StageResult.next("words")))
            .stage(DOCS, "index", task -> logged(seen, task, StageResult.finish()))
            .start()) {
      long id = acme.enqueue(DOCS.task("url").withParent(parent));
      Await.until("all stages done", () -> worker.statistics().done(), 4);
      String common = " " + id + " 1 " + parent;
      assertThat(seen)
          .containsExactly(
              "doc/fetch url" + common,
              "doc/parse page" + common,
              "doc/ocr page" + common,
              "doc/index words" + common);
      List<StageVisit> way = DOCS.way(acme.history().scanAttempts(id));
      assertThat(way).extracting(StageVisit::stage).containsExactlyElementsOf(DOCS.stages());
      assertThat(way).extracting(StageVisit::state).containsOnly(TaskState.DONE);
      for (int i = 1; i < way.size(); i++) {
        assertThat(way.get(i - 1).endedAt()).contains(way.get(i).enteredAt());
      }
    }
  }

  @Test
  void aTaskBranchesAndComesBack() throws Exception {
    long id = acme.enqueue(DOCS.taskAt("parse", "scan"));
    pass(StageResult.moveTo("ocr"));
    pass(StageResult.moveTo("parse", "text"));
    pass(StageResult.moveTo("parse"));
    pass(StageResult.moveTo("index"));
    pass(StageResult.finish());
    assertThat(DOCS.way(acme.history().scanAttempts(id)))
        .extracting(StageVisit::stage)
        .containsExactly("parse", "ocr", "parse", "parse", "index");
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::payload)
        .containsExactly("scan", "scan", "text", "text", "text");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void attemptsBeginAnewAtEachStage() throws Exception {
    long id = acme.enqueue(DOCS.task("{}"));
    Batch failing = acme.claim(1);
    failing.fail(failing.tasks().get(0), "not there yet", Duration.ZERO);
    failing.settle();
    Waiting.intoRing(fixture, 1);
    pass(StageResult.next());
    assertThat(DOCS.way(acme.history().scanAttempts(id)).toString())
        .contains("fetch")
        .contains("parse");
    List<StageVisit> way = DOCS.way(acme.history().scanAttempts(id));
    assertThat(way.get(0).attempts()).extracting(Attempt::number).containsExactly(1, 2);
    assertThat(way.get(0).attempts().get(0).error()).contains("not there yet");
    assertThat(way.get(1).state()).isEqualTo(TaskState.PENDING);
    assertThat(way.get(1).endedAt()).isEmpty();
    assertThat(acme.claim(1).tasks()).extracting(Task::attempt).containsExactly(1);
  }

  @Test
  void aTaskMayWaitForItsStage() throws Exception {
    long id = acme.enqueue(DOCS.task("{}"));
    pass(StageResult.next("later").after(Duration.ofHours(2).plusNanos(1)));
    assertThat(acme.claim(1).tasks()).isEmpty();
    assertThat(fixture.texts("select run_at - created_at from rota_1.task_wait_1"))
        .containsExactly("02:00:00.000001");
    Attempt waiting = acme.history().scanAttempts(id).get(1);
    assertThat(waiting.state()).isEqualTo(TaskState.WAITING);
    Waiting.intoRing(fixture, 1);
    Task there = acme.claim(1).tasks().get(0);
    assertThat(there.kind() + " " + there.payload()).isEqualTo("doc/parse later");
    assertThat(there.attempt()).isEqualTo(1);
  }

  /** Of a task that has a key with a trait. */
  @ParameterizedTest
  @ValueSource(longs = {0, 3600})
  void whatGoesWithTheTaskGoesAlong(long seconds) throws Exception {
    TaskKey key = TaskKey.keptFor("k", Duration.ofHours(1));
    acme.enqueue(DOCS.task("{}").withParent(77).withKey(key));
    pass(StageResult.next().after(Duration.ofSeconds(seconds)));
    String table = seconds == 0 ? "task_init_1_0" : "task_wait_1";
    assertThat(fixture.texts("select key || traits || parent_id || attempt from rota_1." + table))
        .containsExactly("k2770");
  }

  @Test
  void aResultThatCannotBeFollowedEndsTheTask() throws Exception {
    try (Worker worker =
        rota.worker()
            .stage(DOCS, "fetch", task -> StageResult.moveTo("prase"))
            .stage(DOCS, "parse", task -> nothing())
            .stage(DOCS, "ocr", task -> StageResult.next("x".repeat(1_001)))
            .stage(DOCS, "index", task -> StageResult.next())
            .start()) {
      for (String stage : DOCS.stages()) {
        acme.enqueue(DOCS.taskAt(stage, "{}"));
      }
      Await.until("all dead", () -> worker.statistics().dead(), 4);
    }
    assertThat(fixture.texts("select error from rota_1.task_hist_1 order by id"))
        .containsExactly(
            "done, but cannot continue: pipeline 'doc' has no stage 'prase'; its stages are"
                + " [fetch, parse, ocr, index]",
            "done, but cannot continue: stage 'parse' returned null instead of a StageResult",
            "done, but cannot continue: payload has 1001 bytes; the limit is 1000"
                + " (Rota.Builder.payloadLimit): store it elsewhere and enqueue a reference",
            "done, but cannot continue: stage 'index' is the last of its pipeline and has no next"
                + " one; use StageResult.finish(), or name a stage with moveTo");
  }

  @Test
  void aBatchRefusesWhatCannotBeFollowed() {
    acme.enqueueAll(List.of(DOCS.taskAt("index", "{}"), NewTask.of("doc/other", "{}")));
    Batch batch = acme.claim(2);
    Task last = batch.tasks().get(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> batch.move(last, DOCS, StageResult.next()))
        .withMessageContaining("is the last of its pipeline");
    assertThatThrownBy(() -> batch.move(last, DOCS, StageResult.moveTo("ocr", "x".repeat(1_001))))
        .isInstanceOf(InvalidTaskException.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> batch.move(batch.tasks().get(1), DOCS, StageResult.next()))
        .withMessageContaining("is at no stage of Pipeline[doc: fetch, parse, ocr, index]");
    batch.move(last, DOCS, StageResult.finish());
    assertThat(batch.settle()).isEqualTo(new SettleResult(2, 0));
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 2L);
  }

  @Test
  void aKeyIsHeldUntilTheLastStageEnds() throws Exception {
    NewTask document = DOCS.task("{}").withKey("d-1");
    long id = acme.enqueue(document);
    pass(StageResult.moveTo("index"));
    assertThat(acme.enqueue(document)).isEqualTo(id);
    pass(StageResult.finish());
    assertThat(acme.enqueue(document)).isNotEqualTo(id);
    acme.enqueue(DOCS.task("{}").withKey(TaskKey.versioned("d-2", 1)));
    Batch batch = acme.claim(2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> batch.move(batch.tasks().get(1), DOCS, StageResult.next()))
        .withMessageContaining("its key has a version");
    batch.settle();
  }

  @Test
  void aTaskKeepsItsPriority() throws Exception {
    long id = acme.enqueue(DOCS.task("{}").priority(5));
    pass(StageResult.next());
    pass(StageResult.next().after(Duration.ofHours(1)));
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::priority)
        .containsExactly(5, 5, 5);
    assertThat(fixture.texts("select lane from rota_1.task_wait_1")).containsExactly("1");
  }

  @Test
  void aNodeOfAGraphEndsWithItsLastStage() {
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node document = graph.add(DOCS.task("{}"));
    graph.add(NewTask.of("report", "{}")).dependsOn(document);
    acme.graphs().enqueue(graph.build());
    pass(StageResult.moveTo("index"));
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 1L);
    pass(StageResult.finish());
    assertThat(acme.claim(2).tasks()).extracting(Task::kind).containsExactly("report");
  }

  @Test
  void aTaskThatWasAskedToEndDoesNotGoOn() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    long id = acme.enqueue(DOCS.task("{}"));
    try (Worker worker =
        rota.worker()
            .stage(
                DOCS,
                "fetch",
                task -> {
                  assertThat(release.await(40, TimeUnit.SECONDS)).isTrue();
                  return StageResult.next();
                })
            .start()) {
      Await.until("it runs", () -> worker.statistics().claimed(), 1);
      assertThat(acme.control().requestCancel(TaskFilter.all().ids(List.of(id)), "enough"))
          .isEqualTo(1);
      release.countDown();
      Await.until("it ended", () -> count("doc/fetch", TaskState.CANCELLED), 1);
      worker.close();
      assertThat(worker.statistics().done()).isZero();
    }
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::error)
        .containsExactly(Optional.of("enough"));
  }

  @Test
  void theMoveOfALostLeaseIsDropped() throws Exception {
    long id = acme.enqueue(DOCS.task("{}"));
    Batch zombie = acme.claim(1);
    zombie.move(zombie.tasks().get(0), DOCS, StageResult.next());
    abandonOpenBatches();
    assertThat(zombie.settle()).isEqualTo(new SettleResult(0, 1));
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::kind, Attempt::state)
        .containsExactly(tuple("doc/fetch", TaskState.LOST), tuple("doc/fetch", TaskState.PENDING));
  }

  @ParameterizedTest
  @CsvSource({"AFTER, move", "BEFORE, move delayed", "AFTER, commit"})
  @Tag("exhaustive")
  void settlingAgainAfterALostConnectionMovesOnce(Moment moment, String call) throws SQLException {
    acme.enqueueAll(Collections.nCopies(3, DOCS.task("{}")));
    Batch batch = acme.claim(3);
    batch.move(batch.tasks().get(0), DOCS, StageResult.next());
    batch.move(batch.tasks().get(1), DOCS, StageResult.next().after(Duration.ofHours(1)));
    ScriptedFault broken = faults.at(moment, call).byThisThread().fail();
    assertThatThrownBy(batch::settle).isInstanceOf(DatabaseException.class);
    assertThat(broken.isReached()).isTrue();
    assertThat(batch.settle()).isEqualTo(new SettleResult(3, 0));
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 3L)
        .containsEntry(TaskState.PENDING, 1L)
        .containsEntry(TaskState.WAITING, 1L);
  }

  /** The answer to the first commit behind a move is lost; the worker settles again. */
  @Test
  void aWorkerWhoseSettleLosesItsAnswerMovesOnce() throws Exception {
    Faults answers = new Faults();
    ScriptedFault lost = answers.after("commit").inTransactionOf("move").loseAnswer();
    Rota other = fixture.observed(answers, builder -> builder);
    List<Long> ids = acme.enqueueAll(Collections.nCopies(20, DOCS.task("{}")));
    try (Worker worker =
        other
            .worker()
            .stage(DOCS, "fetch", task -> StageResult.moveTo("index"))
            .stage(DOCS, "index", task -> StageResult.finish())
            .start()) {
      Await.until("all are through", () -> count("doc/index", TaskState.DONE), 20);
      Await.until("all counted", () -> worker.statistics().done(), 40);
    }
    assertThat(lost.isReached()).isTrue();
    for (long id : ids) {
      assertThat(acme.history().scanAttempts(id))
          .extracting(Attempt::kind)
          .containsExactly("doc/fetch", "doc/index");
    }
  }

  @Test
  void whoPassedDoesNotWaitForTheRestOfItsBatch() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    acme.enqueueAll(Collections.nCopies(10, DOCS.task("{}")));
    long slowest = acme.enqueue(DOCS.task("slow"));
    try (Worker worker =
        rota.worker()
            .concurrency(3)
            .stage(
                DOCS,
                "fetch",
                task -> {
                  if (task.payload().equals("slow")) {
                    assertThat(release.await(40, TimeUnit.SECONDS)).isTrue();
                  }
                  return StageResult.moveTo("index");
                })
            .stage(DOCS, "index", task -> StageResult.finish())
            .start()) {
      Await.until("ten are through", () -> count("doc/index", TaskState.DONE), 10);
      assertThat(acme.history().scanAttempts(slowest).get(0).state()).isEqualTo(TaskState.RUNNING);
      release.countDown();
      Await.until("all are", () -> worker.statistics().done(), 22);
    } finally {
      release.countDown();
    }
  }

  @Test
  void inATransactionTheMoveCommitsWithWhatTheHandlerWrote() throws Exception {
    fixture.execute("create table effect (id bigint, kind text)");
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .retry(RetryPolicy.never())
            .stageInTransaction(DOCS, "fetch", (task, c) -> written(c, task, StageResult.next("p")))
            .stageInTransaction(DOCS, "parse", (task, c) -> written(c, task, StageResult.next()))
            .stageInTransaction(DOCS, "ocr", (task, c) -> written(c, task, broken(task)))
            .stageInTransaction(DOCS, "index", (task, c) -> written(c, task, StageResult.finish()))
            .start()) {
      acme.enqueue(DOCS.task("good"));
      acme.enqueue(DOCS.taskAt("ocr", "throw"));
      acme.enqueue(DOCS.taskAt("ocr", "nowhere"));
      Await.until("all ended", () -> worker.statistics().dead(), 2);
      Await.until("one is through", () -> worker.statistics().done(), 4);
    }
    assertThat(fixture.texts("select kind from effect"))
        .containsExactly("doc/fetch", "doc/parse", "doc/ocr", "doc/index");
  }

  @Test
  void stagesNeedAModeThatSettles() {
    Worker.Builder forgetful =
        rota.worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .stage(DOCS, "fetch", task -> StageResult.next());
    assertThatIllegalStateException()
        .isThrownBy(forgetful::start)
        .withMessageContaining("stages of a pipeline need delivery LEASED or TRANSACTIONAL");
    Worker.Builder mixed =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .stage(DOCS, "fetch", task -> StageResult.next());
    assertThatIllegalStateException()
        .isThrownBy(mixed::start)
        .withMessageContaining("stageInTransaction");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().stage(DOCS, "load", task -> StageResult.next()))
        .withMessageContaining("pipeline 'doc' has no stage 'load'");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                rota.worker()
                    .handle("doc/fetch", task -> {})
                    .stage(DOCS, "fetch", task -> StageResult.next()))
        .withMessageContaining("kind 'doc/fetch' has a handler already");
  }

  private void pass(StageResult result) {
    try (Batch batch = acme.claim(1)) {
      batch.move(batch.tasks().get(0), DOCS, result);
      batch.settle();
    }
  }

  private static StageResult logged(Queue<String> log, Task task, StageResult result) {
    log.add(
        task.kind()
            + " "
            + task.payload()
            + " "
            + task.id()
            + " "
            + task.attempt()
            + " "
            + task.parentId().orElse(0));
    return result;
  }

  private static StageResult written(Connection connection, Task task, StageResult result)
      throws SQLException {
    try (var insert = connection.prepareStatement("insert into effect values (?, ?)")) {
      insert.setLong(1, task.id());
      insert.setString(2, task.kind());
      insert.executeUpdate();
    }
    if (task.payload().equals("throw")) {
      throw new IllegalStateException("after it wrote");
    }
    return result;
  }

  private static StageResult broken(Task task) {
    return task.payload().equals("nowhere") ? StageResult.moveTo("nowhere") : StageResult.next();
  }

  /** What a careless handler returns. */
  @SuppressWarnings("NullAway")
  private static StageResult nothing() {
    return null;
  }

  private long count(String kind, TaskState state) throws SQLException {
    return fixture.number(
        "select count(*) from rota_1.task_hist_1 where kind = '"
            + kind
            + "' and state = '"
            + state.name().toLowerCase(Locale.ROOT)
            + "'");
  }

  /** As the daemon does when it thinks that the worker is dead. */
  private void abandonOpenBatches() {
    Kernel kernel = DefaultRota.kernelOf(rota);
    kernel
        .database()
        .run(
            "abandon",
            session -> {
              for (BatchLocation batch :
                  LedgerRows.find(session, kernel.tables(), "where b.closed_at is null")) {
                kernel.batchReturn().abandon(session, batch, "the holder is dead");
              }
            });
  }
}
