package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that tasks with keys are added once, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class KeyTest {

  private static final NewTask ORDER = NewTask.of("order", "{}").withKey("order-7");
  private static final RetryPolicy TWICE = RetryPolicy.of(2, attempt -> Duration.ofHours(1));

  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.retry(TWICE));
    acme = rota.tenants().register("acme");
  }

  @Test
  void theSameKeyAddsNothingUntilItsTaskHasEnded() throws SQLException {
    long first = acme.enqueue(ORDER);
    assertThat(acme.enqueue(ORDER)).as("while pending").isEqualTo(first);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(first);
      assertThat(acme.enqueue(ORDER)).as("while running").isEqualTo(first);
      batch.fail(batch.tasks().get(0), "no", Duration.ofHours(1));
      batch.settle();
    }
    assertThat(acme.enqueue(ORDER)).as("while waiting for a retry").isEqualTo(first);
    Waiting.intoRing(fixture, acme.number());
    try (Batch batch = acme.claim(10)) {
      batch.settle();
    }
    assertThat(acme.enqueue(ORDER)).as("when done").isGreaterThan(first);
    assertThat(acme.history().scanAttempts(first))
        .allMatch(attempt -> "order-7".equals(attempt.key().orElse("")));
  }

  @Test
  void deadAndCancelledTasksFreeTheirKeys() {
    long first = acme.enqueue(ORDER);
    try (Batch batch = acme.claim(10)) {
      batch.dead(batch.tasks().get(0), "no");
      batch.settle();
    }
    long second = acme.enqueue(ORDER);
    assertThat(second).isNotEqualTo(first);
    assertThat(acme.control().cancel(TaskFilter.all().key("another"), "unwanted")).isZero();
    assertThat(acme.control().cancel(TaskFilter.all().key("order-7"), "unwanted")).isEqualTo(1);
    assertThat(acme.enqueue(ORDER)).isNotIn(first, second);
  }

  @Test
  void aDelayedTaskHoldsItsKeyAsWell() {
    long first = acme.enqueue(ORDER.after(Duration.ofHours(1)));
    assertThat(acme.enqueue(ORDER)).isEqualTo(first);
    assertThat(acme.control().cancel(TaskFilter.all(), "unwanted")).isEqualTo(1);
    assertThat(acme.enqueue(ORDER)).isNotEqualTo(first);
  }

  @Test
  void aKeyMayOutliveItsTask() throws SQLException {
    NewTask kept = NewTask.of("k", "{}").withKey(TaskKey.keptFor("daily", Duration.ofDays(1)));
    long first = acme.enqueue(kept);
    settleAll();
    assertThat(acme.enqueue(kept)).isEqualTo(first);
    fixture.execute("update rota_1.task_key_1 set free_at = now() - interval '1 second'");
    long second = acme.enqueue(kept);
    assertThat(second).isNotEqualTo(first);
    fixture.execute("update rota_1.task_key_1 set free_at = now() - interval '1 second'");
    assertThat(acme.enqueue(kept)).as("over, but its task has not ended").isEqualTo(second);
    settleAll();
    assertThat(fixture.number("select count(*) from rota_1.task_key_1")).isZero();
  }

  @Test
  void listsMayMixTasksWithKeysAndWithout() {
    long known = acme.enqueue(ORDER);
    NewTask plain = NewTask.of("plain", "{}");
    NewTask other = plain.withKey("other");
    List<Long> ids = acme.enqueueAll(List.of(plain, ORDER, other, plain, other));
    assertThat(ids.get(1)).isEqualTo(known);
    assertThat(ids.get(4)).isEqualTo(ids.get(2));
    assertThat(new HashSet<>(ids)).hasSize(4);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks())
          .extracting(Task::id)
          .containsExactlyInAnyOrderElementsOf(Set.copyOf(ids));
      batch.settle();
    }
  }

  @Test
  void aCallersRollbackFreesTheKey() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      long gone = acme.enqueue(connection, ORDER);
      assertThat(acme.enqueue(connection, ORDER)).isEqualTo(gone);
      connection.rollback();
      long stored = acme.enqueue(connection, ORDER);
      connection.commit();
      assertThat(stored).isNotEqualTo(gone);
      assertThat(acme.enqueue(ORDER)).isEqualTo(stored);
    }
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 1L);
  }

  @Test
  void anEnqueueWaitsForATransactionThatIsTakingTheKey() throws Exception {
    acme.enqueue(ORDER.withKey("makes the table"));
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      long first = acme.enqueue(connection, ORDER);
      CompletableFuture<Long> second = acme.enqueueAsync(ORDER);
      fixture.awaitBlocked(1);
      assertThat(acme.enqueue(NewTask.of("plain", "{}"))).as("does not wait").isPositive();
      connection.commit();
      assertThat(second.get()).isEqualTo(first);
    }
  }

  @Test
  void ofManyProducersOneAddsTheTask() throws Exception {
    Rota another = fixture.another(builder -> builder);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<List<Long>>> answers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Tenant tenant = (i % 2 == 0 ? rota : another).tenants().get("acme");
      answers.add(threads.submit(() -> addTwoHundredKeys(tenant)));
    }
    Set<List<Long>> different = new HashSet<>();
    for (Future<List<Long>> answer : answers) {
      different.add(answer.get());
    }
    threads.shutdown();
    assertThat(different).hasSize(1);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 200L);
  }

  @Test
  void twoProducersOfManyChunksDoNotWaitForEachOther() throws Exception {
    acme.enqueue(ORDER.withKey("makes the table"));
    List<NewTask> fromMiddle = keyed("m", 5_000);
    fromMiddle.add(ORDER.withKey("a0"));
    List<NewTask> fromStart = keyed("a", 5_000);
    fromStart.add(ORDER.withKey("m0"));
    Faults faults = new Faults();
    ScriptedFault secondChunk = faults.before("take keys").from(2).hold();
    Tenant held = fixture.observed(faults).tenants().get("acme");
    CompletableFuture<List<Long>> first = InBackground.supply(() -> held.enqueueAll(fromMiddle));
    secondChunk.awaitReached();
    CompletableFuture<List<Long>> second = InBackground.supply(() -> acme.enqueueAll(fromStart));
    fixture.awaitBlocked(1);
    secondChunk.release();
    List<Long> ids = first.get();
    assertThat(second.get().get(0)).isEqualTo(ids.get(5_000));
    assertThat(second.get().get(5_000)).isEqualTo(ids.get(0));
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 10_001L);
  }

  private static List<NewTask> keyed(String prefix, int count) {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(ORDER.withKey(prefix + i));
    }
    return tasks;
  }

  @Test
  @Tag("exhaustive")
  void manyChunksAddEachTaskOnceAndReturnIdsInTheOrderOfTheList() throws SQLException {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < 11_000; i++) {
      TaskKey key = TaskKey.versioned("key " + i % 7_000, i);
      tasks.add(i % 3 == 0 ? NewTask.of("plain", "" + i) : NewTask.of("k", "" + i).withKey(key));
    }
    List<Long> ids = acme.enqueueAll(tasks);
    Map<String, Long> byKey = new HashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      String name = tasks.get(i).key().map(TaskKey::text).orElse("plain " + i);
      assertThat(byKey.merge(name, ids.get(i), (one, other) -> one)).isEqualTo(ids.get(i));
    }
    assertThat(new HashSet<>(ids)).hasSameSizeAs(byKey.keySet());
    assertThat(fixture.texts("select id from rota_1.task_init_1").stream().map(Long::valueOf))
        .containsExactlyInAnyOrderElementsOf(new HashSet<>(ids));
  }

  private static List<Long> addTwoHundredKeys(Tenant tenant) {
    // The first ones find no table for keys, and all but one of them have to wait for its making.
    Again.whileLocked(() -> tenant.enqueue(NewTask.of("k", "{}").withKey("single-0")));
    List<CompletableFuture<Long>> ids = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ids.add(tenant.enqueueAsync(NewTask.of("k", "{}").withKey("single-" + i)));
    }
    List<NewTask> bulk = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      bulk.add(NewTask.of("k", "{}").withKey("bulk-" + i));
    }
    // Each in an order of its own, in which they must not wait for each other.
    Collections.shuffle(bulk);
    List<Long> all = new ArrayList<>(ids.stream().map(CompletableFuture::join).toList());
    Map<String, Long> found = new java.util.TreeMap<>();
    List<Long> stored = tenant.enqueueAll(bulk);
    for (int i = 0; i < bulk.size(); i++) {
      found.put(bulk.get(i).key().orElseThrow().text(), stored.get(i));
    }
    all.addAll(found.values());
    return all;
  }

  @Test
  void aRedrivenTaskHasItsKeyAgainUnlessAnotherHasIt() {
    long first = acme.enqueue(ORDER);
    long second = acme.enqueue(ORDER.withKey("order-8"));
    try (Batch batch = acme.claim(10)) {
      batch.tasks().forEach(task -> batch.dead(task, "no"));
      batch.settle();
    }
    long newer = acme.enqueue(ORDER.withKey("order-8"));
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(1);
    assertThat(acme.enqueue(ORDER)).isEqualTo(first);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactlyInAnyOrder(first, newer);
      batch.settle();
    }
    assertThat(acme.control().redrive(Redrive.all())).as("the key is free again").isEqualTo(1);
    assertThat(acme.enqueue(ORDER.withKey("order-8"))).isEqualTo(second);
  }

  @Test
  void fireAndForgetFreesKeysAsItClaims() throws Exception {
    acme.enqueue(ORDER);
    try (Worker worker =
        rota.worker().handle("order", task -> {}).delivery(DeliveryMode.FIRE_AND_FORGET).start()) {
      Await.until("done", () -> worker.statistics().done(), 1);
    }
    assertThat(fixture.number("select count(*) from rota_1.task_key_1")).isZero();
  }

  @Test
  void aHandlersTransactionFreesTheKeyWithItsWrites() throws Exception {
    acme.enqueue(ORDER);
    try (Worker worker =
        rota.worker()
            .handleInTransaction("order", (task, connection) -> {})
            .delivery(DeliveryMode.TRANSACTIONAL)
            .start()) {
      Await.until("done", () -> worker.statistics().done(), 1);
    }
    assertThat(fixture.number("select count(*) from rota_1.task_key_1")).isZero();
  }

  @Test
  void impossibleKeysAreRefused() {
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueue(ORDER.withKey("")))
        .withMessageContaining("key has 0 bytes");
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueueAll(List.of(ORDER, ORDER.withKey("x".repeat(501)))))
        .withMessageContaining("task 1 of the list: key has 501 bytes");
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueue(ORDER.withKey("a\0b")))
        .withMessageContaining("NUL");
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueue(ORDER.withKey(TaskKey.keptFor("k", Duration.ZERO))))
        .withMessageContaining("key is kept for PT0S");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void theTableOfKeysIsMadeWhenTheFirstKeyComes() throws SQLException {
    String tables = "select count(*) from pg_class where relname = 'task_key_1'";
    acme.enqueue(NewTask.of("plain", "{}"));
    settleAll();
    assertThat(fixture.number(tables)).isZero();
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      acme.enqueue(connection, ORDER);
      connection.rollback();
    }
    assertThat(fixture.number(tables)).as("not in the caller's transaction").isEqualTo(1);
  }

  private void settleAll() {
    try (Batch batch = acme.claim(1_000)) {
      batch.settle();
    }
  }
}
