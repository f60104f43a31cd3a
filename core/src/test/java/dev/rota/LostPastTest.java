package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch.SettleResult;
import dev.rota.internal.DefaultRota;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.RewritingDataSource;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Restores an older backup, or promotes a lagging standby, while processes of the lost past live
 * on. The backup is a copy of the database, to which their data source then leads, on a server that
 * was started at another time.
 */
@Tag("exhaustive")
class LostPastTest {

  private static final int TASKS = 40;
  private static final String TWICE =
      "select count(*) - count(distinct id) from rota_1.task_init_1_0";

  private static final String USED = "select sum(used) from rota.allowance";
  private static final long CHUNK = 1_000;

  private static final String LANES = "select cardinality(priorities) from rota.tenant";

  private TestDatabase past;
  private TestDatabase present;
  private RewritingDataSource survivors;
  private final List<Rota> rotas = new ArrayList<>();

  @BeforeEach
  void backUp() throws SQLException {
    past = TestDatabase.create();
    try (Rota rota = Rota.connect(past.jdbcUrl())) {
      rota.admin().migrate();
      rota.tenants().register("acme").enqueueAll(tasks(TASKS));
    }
    past.execute("create table effect (task bigint, attempt int)");
    present = past.copy();
    survivors = new RewritingDataSource(past.dataSource());
  }

  @AfterEach
  void close() {
    try {
      rotas.forEach(Rota::close);
    } finally {
      past.close();
      present.close();
    }
  }

  @Test
  void aSurvivorSettlesNoBatchOfAnotherWorker() throws SQLException {
    Tenant lost = survivor(builder -> builder).tenants().get("acme");
    Batch batch = lost.claim(TASKS);
    restore();
    Batch present = newcomer(builder -> builder).tenants().get("acme").claim(TASKS);
    assertThat(present.id()).as("the number comes again").isEqualTo(batch.id());

    assertThat(batch.settle()).isEqualTo(new SettleResult(0, TASKS));

    present.tasks().forEach(task -> present.dead(task, "broken"));
    assertThat(present.settle()).isEqualTo(new SettleResult(TASKS, 0));
    assertThat(lost.history().scanStates())
        .containsEntry(TaskState.DEAD, (long) TASKS)
        .containsEntry(TaskState.DONE, 0L);
  }

  @Test
  void aSurvivorTakesNoBatchOfAnotherWorkerForNobodys() throws Exception {
    Duration lease = Duration.ofSeconds(1);
    Tenant lost = survivor(builder -> builder.lease(lease)).tenants().get("acme");
    Batch batch = lost.claim(1);
    restore();
    CountDownLatch goOn = new CountDownLatch(1);
    Rota rota = newcomer(builder -> builder.lease(lease));
    try (Worker worker =
            rota.worker()
                .handle(
                    "k",
                    task -> {
                      present.execute(
                          "insert into effect values (" + task.id() + ", " + task.attempt() + ")");
                      goOn.await();
                    })
                .concurrency(TASKS)
                .start();
        AutoCloseable unused = goOn::countDown) {
      Await.until("all run", () -> present.number("select count(*) from effect"), TASKS);
      String survivor = "select count(*) from rota.worker where started_at < heartbeat_at";
      // Its look for batches of its own that no thread has comes with every fifth heartbeat.
      Await.until("both live", () -> present.number(survivor), 2);
      String age = "select min(extract(epoch from heartbeat_at - started_at)) > 3 from rota.worker";
      Await.until("both have looked", () -> present.texts(age).get(0).equals("t"));
      goOn.countDown();
      Await.until("all are done", () -> worker.statistics().done(), TASKS);
    }
    assertThat(batch.settle()).isEqualTo(new SettleResult(0, 1));
    assertThat(present.texts("select count(*) || ' ' || max(attempt) from effect"))
        .containsExactly(TASKS + " 1");
  }

  @Test
  void noIdBelongsToTwoTasks() throws Exception {
    Tenant lost = survivor(builder -> builder).tenants().get("acme");
    List<Long> before = lost.enqueueAll(tasks(10));
    restore();
    List<Long> after = new ArrayList<>(lost.enqueueAll(tasks(10)));
    after.add(lost.enqueue(tasks(1).get(0)));
    after.add(lost.enqueueAsync(tasks(1).get(0)).get());
    after.addAll(newcomer(builder -> builder).tenants().get("acme").enqueueAll(tasks(100)));
    after.addAll(before);
    assertThat(after).doesNotHaveDuplicates();
    assertThat(present.number(TWICE)).isZero();
  }

  @Test
  void aProducerWhoseTransactionsAreTheCallersNoticesByItsRegistry() throws Exception {
    Rota rota = survivor(builder -> builder);
    Tenant lost = rota.tenants().get("acme");
    lost.enqueueAll(tasks(10));
    restore();
    DefaultRota.kernelOf(rota).registry().refresh();
    try (Connection callers = survivors.getConnection()) {
      callers.setAutoCommit(false);
      lost.enqueueAll(callers, tasks(10));
      callers.commit();
    }
    newcomer(builder -> builder).tenants().get("acme").enqueueAll(tasks(100));
    assertThat(present.number(TWICE)).isZero();
  }

  @Test
  void aDumpThatIsRestoredIntoTheRunningServerIsNoticedToo() throws Exception {
    Rota rota = survivor(builder -> builder);
    Tenant lost = rota.tenants().get("acme");
    DefaultRota.kernelOf(rota).registry().refresh();
    lost.enqueueAll(tasks(10));
    survivors.lead(present.dataSource());
    DefaultRota.kernelOf(rota).registry().refresh();
    lost.enqueueAll(tasks(10));
    newcomer(builder -> builder).tenants().get("acme").enqueueAll(tasks(100));
    assertThat(present.number(TWICE)).isZero();
  }

  @Test
  void noNumberBelongsToTwoBatches() throws Exception {
    Tenant lost = survivor(builder -> builder).tenants().get("acme");
    lost.claim(1);
    restore();
    Tenant found = newcomer(builder -> builder).tenants().get("acme");
    List<Batch> batches = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      batches.add(found.claim(2));
      batches.add(lost.claim(2));
    }
    assertThat(batches).extracting(Batch::id).doesNotHaveDuplicates();
    for (Batch batch : batches) {
      assertThat(batch.settle()).isEqualTo(new SettleResult(2, 0));
    }
    String workers =
        "select count(distinct worker) from rota.task_batch b"
            + " where exists (select from rota.worker w where w.id = b.worker)";
    assertThat(present.number(workers)).as("both are registered").isEqualTo(2);
  }

  @Test
  void aLaneThatOnlyTheLostPastHadIsMadeAgain() throws Exception {
    Rota rota = survivor(builder -> builder);
    Tenant lost = rota.tenants().get("acme");
    NewTask urgent = NewTask.of("urgent", "{}").priority(7);
    lost.enqueue(urgent);
    restore();
    assertThat(present.number(LANES)).as("lanes of the backup").isOne();

    lost.enqueueAll(List.of(urgent, urgent.after(Duration.ofHours(1))));
    lost.enqueueAll(List.of(urgent, urgent.after(Duration.ofHours(1))));
    lost.enqueue(urgent);
    try (Connection callers = survivors.getConnection()) {
      lost.enqueue(callers, urgent);
    }

    assertThat(present.number("select count(*) from rota_1.task_init_1 where kind = 'urgent'"))
        .isEqualTo(6);
    assertThat(present.number(LANES)).isEqualTo(2);
    Tenant found = newcomer(builder -> builder).tenants().get("acme");
    assertThat(found.claim(3).tasks()).extracting(Task::priority).containsOnly(7);
  }

  /** Its counters of insertions are those of the lost past: here as many as in the present. */
  @Test
  void aWorkerOfTheLostPastClaimsThoughALaneIsGone() throws Exception {
    Rota rota = survivor(builder -> builder);
    Tenant lost = rota.tenants().get("acme");
    lost.addLane(7);
    try (Worker worker = rota.worker().handle("other", task -> {}).start()) {
      lost.enqueue(NewTask.of("other", "{}").priority(7));
      Await.until("the worker runs", () -> worker.statistics().done(), 1);
      restore();
      newcomer(builder -> builder)
          .tenants()
          .get("acme")
          .enqueueAll(Collections.nCopies(TASKS, NewTask.of("other", "{}")));
      Await.until("all are done", () -> worker.statistics().done(), 1L + TASKS);
    }
  }

  @Test
  void tablesOfFeaturesThatOnlyTheLostPastHadAreMadeAgain() throws Exception {
    Tenant lost = survivor(builder -> builder).tenants().get("acme");
    NewTask keyed = NewTask.of("k", "{}").withKey(TaskKey.untilSettled("once"));
    lost.enqueue(keyed);
    lost.assignments().tasks("pool of the lost past");
    restore();
    lost.enqueue(tasks(1).get(0));
    newcomer(builder -> builder).tenants().get("acme").assignments().tasks("another pool");

    lost.enqueue(keyed);
    lost.assignments().tasks("pool of the lost past");

    assertThat(present.number("select count(*) from rota_1.task_key_1")).isOne();
    assertThat(present.texts("select name from rota.assignment_pool order by number"))
        .containsExactly("another pool", "pool of the lost past");
  }

  @Test
  void aTenantOfTheLostPastIsNotTakenForTheOneThatHasItsNumber() throws Exception {
    Rota rota = survivor(builder -> builder);
    Tenant zeta = rota.tenants().register("zeta");
    zeta.enqueueAll(tasks(10));
    restore();
    Tenant omega = newcomer(builder -> builder).tenants().register("omega");
    assertThat(omega.number()).as("the number comes again").isEqualTo(zeta.number());
    omega.enqueueAll(tasks(10));

    for (ThrowingCallable use : usesOf(zeta)) {
      assertThatThrownBy(use)
          .isInstanceOf(UnknownTenantException.class)
          .hasMessageContaining("'zeta'")
          .hasMessageContaining("Tenants.register(name)");
    }

    assertThat(present.number("select count(*) from rota_2.task_init_2")).isEqualTo(10);
    assertThat(rota.tenants().find("zeta")).isEmpty();
    assertThat(rota.tenants().get("omega").claim(10).tasks()).hasSize(10);
  }

  /** The first of them meets the other history within its transaction. */
  private List<ThrowingCallable> usesOf(Tenant tenant) {
    NewTask task = tasks(1).get(0);
    return List.of(
        () -> tenant.claim(1),
        () -> tenant.enqueueAll(tasks(1)),
        () -> tenant.enqueue(task),
        () -> tenant.enqueue(task.withKey(TaskKey.untilSettled("once"))),
        () -> {
          try (Connection callers = survivors.getConnection()) {
            tenant.enqueue(callers, task);
          }
        },
        () -> tenant.history().scanStates());
  }

  @Test
  void payloadsThatWereLeasedInTheLostPastAreVoid() throws Exception {
    Rota rota = survivor(builder -> builder);
    Tenant lost = rota.tenants().get("acme");
    Rota idle = survivor(builder -> builder);
    allowPayloads(rota);
    lost.enqueue(tasks(1).get(0));
    idle.tenants().get("acme").enqueue(tasks(1).get(0));
    assertThat(past.number(USED)).as("both have leased").isEqualTo(2 * CHUNK);
    restore();
    Rota found = newcomer(builder -> builder);
    allowPayloads(found);
    found.tenants().get("acme").enqueue(tasks(1).get(0));
    assertThat(present.number(USED)).isEqualTo(CHUNK);
    idle.close();
    assertThat(present.number(USED)).as("of the lost past").isEqualTo(CHUNK);

    DefaultRota.kernelOf(rota).registry().refresh();
    lost.enqueue(tasks(1).get(0));

    assertThat(present.number(USED)).as("the survivor leases anew").isEqualTo(2 * CHUNK);
    rota.close();
    assertThat(present.number(USED)).as("less what it did not use").isEqualTo(CHUNK + 2);
  }

  private static void allowPayloads(Rota rota) {
    rota.controls()
        .changeLimits(
            Scope.tenant("acme"), limits -> limits.maxPayload(100 * CHUNK, ChronoUnit.MONTHS));
  }

  @Test
  void aServerThatWasOnlyStartedAnewLeavesBatchesToTheirWorkers() throws Exception {
    Tenant acme = survivor(builder -> builder).tenants().get("acme");
    Batch batch = acme.claim(TASKS / 2);
    survivors.change(LostPastTest::startedAtAnotherTime);
    Batch next = acme.claim(TASKS / 2);
    assertThat(batch.settle()).isEqualTo(new SettleResult(TASKS / 2, 0));
    assertThat(next.settle()).isEqualTo(new SettleResult(TASKS / 2, 0));
    assertThat(past.number("select count(distinct worker) from rota.task_batch")).isEqualTo(1);
  }

  private static List<NewTask> tasks(int count) {
    return Collections.nCopies(count, NewTask.of("k", "{}"));
  }

  private static String startedAtAnotherTime(String text) {
    return text.replace(
        "pg_postmaster_start_time()", "(pg_postmaster_start_time() - interval '1 hour')");
  }

  private void restore() {
    survivors.lead(present.dataSource());
    survivors.change(LostPastTest::startedAtAnotherTime);
  }

  private Rota survivor(UnaryOperator<Rota.Builder> settings) {
    return open(settings.apply(Rota.builder(survivors)));
  }

  private Rota newcomer(UnaryOperator<Rota.Builder> settings) {
    return open(settings.apply(Rota.builder(present.dataSource())));
  }

  private Rota open(Rota.Builder builder) {
    Rota rota = builder.build();
    rotas.add(rota);
    return rota;
  }
}
