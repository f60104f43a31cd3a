package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.AssignmentResult.AlreadyAssigned;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Tests assignments with broken connections, missing tables, and processes that close or open at
 * once.
 */
@RotaTest
@PostgresVersions({15, 18})
@Timeout(120)
class AssignmentTroubleTest {

  /** How many transactions of assignments there are at once. */
  private static final int LANES = 2;

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void anAnswerThatWasLostIsFoundByAskingAgain() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    WorkerPool crawlers = rota.tenants().get("acme").assignments().workers("crawlers");
    crawlers.add(List.of(1L, 2L));
    ScriptedFault lost = faults.after("commit").byThisThread().loseAnswer();

    assertThatThrownBy(() -> crawlers.assign(7))
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e -> {
              assertThat(e.outcomeUnknown()).isTrue();
              assertThat(e)
                  .hasMessageContaining(
                      "assign in pool 'crawlers' of tenant 'acme' (1) for task 7");
            });
    assertThat(lost.isReached()).isTrue();
    AssignmentResult again = crawlers.assign(7);
    assertThat(again).isInstanceOf(AlreadyAssigned.class);
    assertThat(crawlers.release(((AlreadyAssigned) again).assignment())).isTrue();
    assertThat(crawlers.countFree()).isEqualTo(2);
  }

  @Test
  void aBrokenConnectionMakesNoAssignment() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    WorkerPool crawlers = rota.tenants().get("acme").assignments().workers("crawlers");
    crawlers.add(List.of(1L));
    faults.before("assign").byThisThread().fail();

    assertThatThrownBy(() -> crawlers.assign(7)).isInstanceOf(DatabaseException.class);
    assertThat(crawlers.findByTask(7)).isEmpty();
    assertThat(crawlers.assign(7).made()).isPresent();
  }

  @Test
  void callersThatShareATransactionDoNotShareTroubles() throws Exception {
    Faults faults = new Faults();
    ScriptedFault jam = faults.before("assign").hold();
    AtomicInteger mostTogether = new AtomicInteger();
    ThreadLocal<Integer> together = ThreadLocal.withInitial(() -> 0);
    faults
        .before("assign")
        .tell(
            call -> {
              together.set(together.get() + 1);
              mostTogether.accumulateAndGet(together.get(), Math::max);
            });
    faults.before("commit").tell(call -> together.set(0));
    Rota rota = fixture.observed(faults);
    WorkerPool whole = rota.tenants().get("acme").assignments().workers("whole");
    WorkerPool broken = rota.tenants().register("broken").assignments().workers("broken");
    whole.add(List.of(1L, 2L, 3L, 4L));
    fixture.execute("drop table rota_2.task_free_2");
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<AssignmentResult>> first = new ArrayList<>();
      for (long task = 1; task <= LANES; task++) {
        long asking = task;
        first.add(threads.submit(() -> whole.assign(asking)));
      }
      jam.awaitReached(LANES);
      List<Thread> waiting = new ArrayList<>();
      Future<AssignmentResult> healthy = waiting(threads, waiting, () -> whole.assign(3));
      Future<AssignmentResult> sick = waiting(threads, waiting, () -> broken.assign(3));
      Await.until(
          "both wait for a lane",
          () ->
              waiting.size() == 2
                  && waiting.stream().allMatch(t -> t.getState() == Thread.State.WAITING));
      jam.release();

      for (Future<AssignmentResult> each : first) {
        assertThat(each.get().made()).isPresent();
      }
      assertThat(healthy.get().made()).isPresent();
      assertThatThrownBy(sick::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(DatabaseException.class)
          .hasMessageContaining("assign in pool 'broken' of tenant 'broken' (2) for task 3:")
          .hasMessageContaining("task_free_2");
      assertThat(mostTogether).hasValueGreaterThan(1);
    } finally {
      threads.shutdownNow();
    }
  }

  private static Future<AssignmentResult> waiting(
      ExecutorService threads, List<Thread> waiting, Supplier<AssignmentResult> question) {
    return threads.submit(
        () -> {
          synchronized (waiting) {
            waiting.add(Thread.currentThread());
          }
          return question.get();
        });
  }

  @Test
  void whoClosesHandsBackWhatItHeld() {
    Rota leaving = fixture.another();
    WorkerPool theirs = leaving.tenants().get("acme").assignments().workers("crawlers");
    WorkerPool ours = acme.assignments().workers("crawlers");
    ours.add(List.of(1L, 2L, 3L));
    Assignment kept = ours.assign(1).made().orElseThrow();
    Assignment left = theirs.assign(2).made().orElseThrow();
    assertThat(theirs.assign(3).made()).isPresent();
    theirs.remove(List.of(left.worker()));
    assertThat(ours.countFree()).isZero();

    leaving.close();
    assertThat(ours.countFree()).isEqualTo(1);
    assertThat(ours.findByTask(1)).contains(kept);
    assertThat(ours.findByTask(2)).isEmpty();
    assertThatThrownBy(() -> theirs.assign(4)).isInstanceOf(RotaClosedException.class);
    assertThatThrownBy(() -> theirs.release(left)).isInstanceOf(RotaClosedException.class);
  }

  @Test
  void aTenantWhoseTablesAreGoneKeepsNoOtherFromGettingItsBack() throws SQLException {
    Rota leaving = fixture.another();
    for (String name : List.of("a", "b", "c", "d")) {
      Tenant tenant = fixture.rota().tenants().register(name);
      leaving.tenants().get(name).assignments().pairs("crews").assign(1, 2);
      assertThat(tenant.assignments().pairs("crews").findByTask(2)).isPresent();
    }
    fixture.execute("drop table rota_2.task_free_2, rota_4.task_free_4");
    leaving.close();
    for (String name : List.of("b", "d")) {
      PairPool crews = fixture.rota().tenants().get(name).assignments().pairs("crews");
      assertThat(crews.findByTask(2)).isEmpty();
    }
  }

  @Test
  void whoClosesSaysNothingOfATenantThatWasErased() throws SQLException {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.rota.assignment.internal.PoolRegistry");
    logger.addAppender(log);
    try (Rota rota = fixture.observed(StatementObserver.NONE, builder -> builder)) {
      rota.tenants().get("acme").assignments().workers("crawlers").add(List.of(1L));
      fixture.execute("drop schema rota_1 cascade");
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .isEmpty();
  }

  @Test
  void aDatabaseThatIsAwayDoesNotKeepItFromClosing() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    PairPool crews = rota.tenants().get("acme").assignments().pairs("crews");
    crews.assign(1, 2);
    faults.beforeAnyCall().always().fail();
    rota.close();
    assertThat(acme.assignments().pairs("crews").findByTask(2)).isPresent();
  }

  @Test
  void processesThatOpenAPoolAtOnceOpenTheSameOne() throws Exception {
    List<CompletableFuture<WorkerPool>> opening =
        IntStream.range(0, 6)
            .mapToObj(i -> fixture.another().tenants().get("acme"))
            .map(Tenant::assignments)
            .map(all -> InBackground.supply(() -> Again.whileLocked(() -> all.workers("new"))))
            .toList();
    for (CompletableFuture<WorkerPool> each : opening) {
      each.get();
    }
    assertThat(fixture.number("select count(*) from rota.assignment_pool")).isOne();
  }

  @Test
  void aTenantThatIsGoneGetsNoPool() throws SQLException {
    fixture.execute("drop schema rota_1 cascade; delete from rota.tenant");
    assertThatThrownBy(() -> acme.assignments().workers("crawlers"))
        .isInstanceOf(UnknownTenantException.class)
        .hasMessageContaining("acme");
  }

  @Test
  void aSchemaOfAnOlderVersionIsNamed() throws SQLException {
    fixture.execute("drop table rota.assignment_pool");
    assertThatThrownBy(() -> acme.assignments().workers("crawlers"))
        .isInstanceOf(SchemaMissingException.class)
        .hasMessageContaining("rota migrate");
  }

  @Test
  void theProcessIsListedAsAHolderFromTheFirstPoolOn() throws SQLException {
    assertThat(fixture.number("select count(*) from rota.worker")).isZero();
    PairPool crews = acme.assignments().pairs("crews");
    crews.assign(1, 2);
    assertThat(
            fixture.number(
                "select count(*) from rota_1.task_assignment_1 a"
                    + " join rota.worker w on w.id = a.holder"))
        .isOne();
  }
}
