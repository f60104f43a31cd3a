package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.Batch.SettleResult;
import dev.rota.control.TaskFilter;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.settle.Settler;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Tests that a failure at one tenant, or of one batch, does not affect the batches of others. */
@RotaTest
@PostgresVersions({15, 18})
class TroubledTenantTest {

  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final int TASKS = 1_800;

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant broken;

  /** What becomes of the tables of the second tenant while its tasks run. */
  enum Trouble {
    WAIT_TABLE_DROPPED("drop table rota_2.task_wait_2 cascade"),
    SEGMENT_DROPPED("drop table rota_2.task_hist_2_1 cascade"),
    SEGMENT_RENAMED("alter table rota_2.task_hist_2_1 rename to lost"),
    ERASED("drop schema rota_2 cascade; delete from rota.tenant where number = 2");

    private final String statements;

    Trouble(String statements) {
      this.statements = statements;
    }

    void happen(RotaFixture fixture) throws SQLException {
      for (String statement : statements.split(";", -1)) {
        fixture.execute(statement);
      }
    }
  }

  @BeforeEach
  void open() throws SQLException {
    fixture.execute("create table ran (tenant text, task bigint)");
  }

  /** Each handler writes down that it ran, in a table that Rota does not know. */
  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void noTaskOfAnotherTenantRunsTwice(Trouble trouble) throws Exception {
    CountDownLatch happened = new CountDownLatch(1);
    CountDownLatch failing = new CountDownLatch(20);
    TaskHandler handler =
        task -> {
          note(task);
          if (task.tenant().equals("broken") && task.attempt() == 1) {
            happened.await();
            failing.countDown();
            throw new IllegalStateException("it fails, which is to be written");
          }
        };
    acme.enqueueAll(Collections.nCopies(TASKS, TASK));
    broken.enqueueAll(Collections.nCopies(20, TASK));
    Rota rota = fixture.observed(faults, builder -> builder.lease(Duration.ofSeconds(1)));
    ScriptedFault settle = faults.before("close batches").byOtherThreads().hold();
    Worker.Builder builder = rota.worker().concurrency(40).batchSize(20).handle("k", handler);
    try (Worker unused = builder.start()) {
      Await.until(
          "many run, and none is settled",
          () ->
              number("select count(*) from ran where tenant = 'acme'") >= 100
                  && number("select count(*) from ran where tenant = 'broken'") == 20);
      trouble.happen(fixture);
      happened.countDown();
      assertThat(failing.await(30, TimeUnit.SECONDS)).isTrue();
      settle.awaitReached();
      settle.release();
      Await.atLeast(
          "all of acme have run",
          Await.LONG,
          () -> number("select count(*) from ran where tenant = 'acme'"),
          TASKS);
      Await.until(
          "all batches of acme have ended",
          Await.LONG,
          () -> number("select count(*) from rota.task_batch where tenant = 1 and ended = 0"),
          0);
    }
    assertThat(number("select count(*) from rota.task_batch where tenant = 1 and ended <> 1"))
        .as("batches of acme that were not settled")
        .isZero();
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, (long) TASKS);
    assertThat(
            number("select count(*) from (select from ran where tenant = 'acme' group by task) r"))
        .isEqualTo(number("select count(*) from ran where tenant = 'acme'"))
        .isEqualTo(TASKS);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void itsOwnSettleTellsUnlessItIsErased(Trouble trouble) throws SQLException {
    acme.enqueue(TASK);
    broken.enqueue(TASK);
    Settler settler = kernel().settler();
    Settlement good = failing(acme);
    Settlement bad = failing(broken);
    trouble.happen(fixture);
    if (trouble == Trouble.ERASED) {
      assertThat(settler.settle(List.of(good, bad)).owned()).containsExactly(good.batch().id());
      assertThat(acme.history().scanStates()).containsEntry(TaskState.WAITING, 1L);
    } else {
      assertThatThrownBy(() -> settler.settle(List.of(bad)))
          .isInstanceOf(DatabaseException.class)
          .hasMessageContainingAll("tenant 'broken' (2)", "\"rota_2.task_");
      assertThat(number("select count(*) from rota.task_batch where ended = 0")).isEqualTo(2);
    }
  }

  @Test
  void withoutItsSegmentOfTheLedgerABatchWasClosedByOthers() throws SQLException {
    acme.enqueue(TASK);
    Settlement settlement = failing(acme);
    fixture.execute("drop table rota.task_batch_1 cascade");
    assertThat(kernel().settler().settle(List.of(settlement)).owned()).isEmpty();
    assertThat(number("select count(*) from rota_1.task_wait_1")).isZero();
  }

  @Test
  void aBatchThatCannotBeReturnedLeavesNoOtherBehind() throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ProcessLease.class);
    logger.addAppender(log);
    try {
      returnBesideTrouble();
    } finally {
      logger.detachAppender(log);
    }
    List<String> warnings =
        List.copyOf(log.list).stream()
            .filter(event -> event.getLevel().levelStr.equals("WARN"))
            .map(ILoggingEvent::getFormattedMessage)
            .toList();
    assertThat(warnings).singleElement().asString().contains("return batch", "of tenant 2");
    assertThat(warnings).noneMatch(warning -> warning.contains("heartbeat"));
  }

  private void returnBesideTrouble() throws Exception {
    broken.enqueueAll(Collections.nCopies(10, TASK));
    acme.enqueueAll(Collections.nCopies(500, TASK));
    Rota rota = fixture.another(builder -> builder.lease(Duration.ofSeconds(1)));
    List<Batch> lost = new ArrayList<>(List.of(rota.tenants().get("broken").claim(10)));
    for (int i = 0; i < 5; i++) {
      lost.add(rota.tenants().get("acme").claim(100));
    }
    Trouble.SEGMENT_DROPPED.happen(fixture);
    lost.forEach(batch -> DefaultRota.kernelOf(rota).lease().drop(batch.id()));
    Await.until(
        "the others are back", () -> number("select count(*) from rota_1.task_init_1_0"), 500);
    String beat = fixture.texts("select max(heartbeat_at) from rota.worker").get(0);
    Await.until(
        "heartbeats go on",
        () -> !fixture.texts("select max(heartbeat_at) from rota.worker").get(0).equals(beat));
  }

  @Test
  void oneBatchInTroubleStopsNeitherTakingBackNorCancelling() throws SQLException {
    acme.enqueueAll(Collections.nCopies(30, TASK));
    Batch incomplete = acme.claim(10);
    Batch taken = acme.claim(10);
    fixture.execute(
        "delete from rota_1.task_hist_1_1 where id = " + incomplete.tasks().get(0).id());
    String missing = "1 tasks of batch " + incomplete.id() + " have no row";
    assertThatThrownBy(() -> acme.control().requestCancel(TaskFilter.all(), "stop"))
        .hasMessageContaining(missing);
    assertThat(number("select count(*) from rota.cancel_request where batch = " + taken.id()))
        .isEqualTo(10);
    assertThatThrownBy(() -> acme.control().requeueRunning(Duration.ZERO))
        .hasMessageContaining(missing);
    assertThat(taken.settle()).isEqualTo(new SettleResult(0, 10));
  }

  private Settlement failing(Tenant tenant) {
    ClaimRequest request =
        new ClaimRequest(
            kernel().registry().get(tenant.number()), 10, ClaimRequest.ALL_SLOTS, true);
    List<ClaimResult> claims =
        kernel().claimers().claimer(null, BatchEnd.OPEN).claim(List.of(request));
    ClaimedBatch batch = claims.get(0).batch();
    IllegalStateException error = new IllegalStateException("it fails");
    List<Outcome> outcomes =
        batch.tasks().stream()
            .map(task -> Outcome.failed(task, error, "", RetryPolicy.defaults()))
            .toList();
    return new Settlement(batch, outcomes, true);
  }

  private Kernel kernel() {
    return DefaultRota.kernelOf(fixture.rota());
  }

  private long number(String sql) throws SQLException {
    return fixture.number(sql);
  }

  private void note(Task task) throws SQLException {
    fixture.texts(
        "insert into ran values ('%s', %d) returning task".formatted(task.tenant(), task.id()));
  }
}
