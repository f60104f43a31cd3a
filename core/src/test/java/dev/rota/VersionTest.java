package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that tasks run again after a newer version came, on the oldest and the newest server. */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
class VersionTest {

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private static NewTask document(long version) {
    return NewTask.of("index", "version " + version).withKey(TaskKey.versioned("doc", version));
  }

  @Test
  void aNewerVersionReplacesThePayloadOfAPendingTask() {
    long id = acme.enqueue(document(3));
    assertThat(acme.enqueue(document(5))).isEqualTo(id);
    assertThat(acme.enqueue(document(4))).isEqualTo(id);
    assertThat(acme.enqueue(document(5).withKey(TaskKey.versioned("doc", 5)))).isEqualTo(id);
    assertRuns(id, "version 5");
    assertThat(acme.history().scanAttempts(id))
        .singleElement()
        .extracting(Attempt::payload)
        .isEqualTo("version 5");
    assertThat(acme.claim(10).tasks()).isEmpty();
  }

  @Test
  void aNewerVersionRunsOnceMoreAfterTheOneThatIsRunning() {
    long id = acme.enqueue(document(1));
    try (Batch batch = acme.claim(10)) {
      assertThat(acme.enqueue(document(2))).isEqualTo(id);
      assertThat(acme.enqueue(document(3))).isEqualTo(id);
      assertThat(acme.claim(10).tasks()).as("never twice at once").isEmpty();
      batch.settle();
    }
    assertRuns(id, "version 3");
    assertThat(acme.claim(10).tasks()).isEmpty();
  }

  @Test
  void anOlderOrEqualVersionChangesNothingEvenWhenItIsDone() {
    long id = acme.enqueue(document(7));
    assertRuns(id, "version 7");
    assertThat(acme.enqueueAll(List.of(document(7), document(6)))).containsExactly(id, id);
    assertThat(acme.claim(10).tasks()).isEmpty();
    assertThat(acme.enqueue(document(8))).isEqualTo(id);
    assertRuns(id, "version 8");
  }

  @Test
  void aNewerVersionEndsTheWaitForARetry() {
    long id = acme.enqueue(document(1));
    try (Batch batch = acme.claim(10)) {
      batch.fail(batch.tasks().get(0), "no", Duration.ofHours(1));
      batch.settle();
    }
    acme.enqueue(document(1));
    assertThat(acme.claim(10).tasks()).isEmpty();
    acme.enqueue(document(2));
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("version 2");
      assertThat(batch.tasks()).extracting(Task::attempt).containsExactly(1);
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(id);
    }
  }

  @Test
  @Tag("exhaustive")
  void aDeadTaskRunsAgainWithANewerVersionOrByARedrive() {
    long id = acme.enqueue(document(1));
    kill();
    acme.enqueue(document(1));
    assertThat(acme.claim(10).tasks()).isEmpty();
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(1);
    acme.enqueue(document(2));
    assertRuns(id, "version 2");
    acme.enqueue(document(3));
    kill();
    acme.enqueue(document(4));
    assertThat(acme.control().redrive(Redrive.all())).as("version 4 is pending").isZero();
    assertRuns(id, "version 4");
  }

  @Test
  void aRedriveRunsNoPayloadThatANewerRunHasFollowed() {
    long id = acme.enqueue(document(3));
    kill();
    acme.enqueue(document(4));
    assertRuns(id, "version 4");
    assertThat(acme.control().redrive(Redrive.all())).as("version 4 is done").isZero();
    acme.enqueue(document(5));
    kill();
    acme.enqueue(document(6));
    assertThat(acme.control().cancel(TaskFilter.all(), "unwanted")).isEqualTo(1);
    assertThat(acme.control().redrive(Redrive.all())).as("version 6 is cancelled").isZero();
    acme.enqueue(document(7));
    kill();
    assertThat(acme.control().redrive(Redrive.all())).as("the last run").isEqualTo(1);
    assertRuns(id, "version 7");
    assertThat(acme.control().redrive(Redrive.all())).as("version 7 is done").isZero();
    assertThat(acme.claim(10).tasks()).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void aBatchThatWasHandedBackRunsTheNewestVersion() {
    long id = acme.enqueue(document(1));
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).hasSize(1);
      acme.enqueue(document(2));
    }
    assertRuns(id, "version 2");
    assertThat(acme.claim(10).tasks()).isEmpty();
  }

  @Test
  void aCancelledTaskRunsAgainOnlyWithANewerVersion() {
    long id = acme.enqueue(document(2));
    acme.enqueue(document(3));
    assertThat(acme.control().cancel(TaskFilter.all().key("doc"), "unwanted")).isEqualTo(1);
    acme.enqueue(document(3));
    assertThat(acme.claim(10).tasks()).isEmpty();
    acme.enqueue(document(4));
    assertRuns(id, "version 4");
  }

  @Test
  void aCallersRollbackTakesTheVersionBack() throws SQLException {
    long id = acme.enqueue(document(1));
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      acme.enqueue(connection, document(2));
      connection.rollback();
    }
    assertRuns(id, "version 1");
  }

  @Test
  @Tag("exhaustive")
  void anOpenTransactionHoldsUpTheSettleOfItsTaskAndOfNoOther() throws Exception {
    acme.enqueue(document(1));
    long other = acme.enqueue(NewTask.of("index", "other"));
    try (Connection connection = fixture.database().connect();
        Worker worker = fixture.rota().worker().handle("index", task -> {}).batchSize(1).start()) {
      connection.setAutoCommit(false);
      acme.enqueue(connection, document(2));
      Await.until(
          "the other is done",
          () -> acme.history().scanAttempts(other).get(0).state() == TaskState.DONE);
      connection.commit();
      Await.until("both versions are done", () -> worker.statistics().done(), 3);
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 3L)
        .containsEntry(TaskState.LOST, 0L);
  }

  @Test
  void aRunEndsWithoutTheLockOfAKeyThatAnotherTaskHasByNow() throws Exception {
    long id = acme.enqueue(document(1));
    try (Batch batch = acme.claim(10);
        Connection connection = fixture.database().connect()) {
      fixture.execute("update rota_1.task_key_1 set task_id = task_id + 1");
      connection.setAutoCommit(false);
      assertThat(TestDatabase.texts(connection, "select key from rota_1.task_key_1 for update"))
          .containsExactly("doc");
      batch.settle();
    }
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::state)
        .containsExactly(TaskState.DONE);
  }

  @Test
  void eachRunHasThePriorityOfTheVersionThatCausedIt() {
    acme.enqueue(document(1).priority(5));
    try (Batch batch = acme.claim(10)) {
      acme.enqueue(document(2).priority(-5));
      batch.fail(batch.tasks().get(0), "no", Duration.ofHours(1));
      batch.settle();
    }
    acme.enqueue(document(3).priority(-5));
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks())
          .extracting(Task::priority)
          .as("it kept its lane")
          .containsExactly(5);
      acme.enqueue(document(4).priority(-5));
      batch.settle();
    }
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(-5);
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("version 4");
      batch.settle();
    }
  }

  @Test
  void ofOneListTheNewestVersionCounts() {
    List<Long> ids = acme.enqueueAll(List.of(document(1), document(3), document(2)));
    assertThat(ids).containsOnly(ids.get(0));
    assertRuns(ids.get(0), "version 3");
  }

  @Test
  void timesAreVersionsAsWell() {
    Instant noon = Instant.parse("2026-01-01T12:00:00Z");
    NewTask task = NewTask.of("index", "noon");
    long id = acme.enqueue(task.withKey(TaskKey.versioned("doc", noon)));
    acme.enqueue(
        NewTask.of("index", "later").withKey(TaskKey.versioned("doc", noon.plusMillis(1))));
    acme.enqueue(
        NewTask.of("index", "before").withKey(TaskKey.versioned("doc", noon.minusMillis(1))));
    assertRuns(id, "later");
  }

  @Test
  void aKeyBelongsToOneKind() {
    acme.enqueue(document(1));
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(
            () -> acme.enqueue(NewTask.of("mail", "x").withKey(TaskKey.versioned("doc", 2))))
        .withMessageContaining("key 'doc' of tenant 'acme' (1) belongs to a task of kind index");
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueue(document(2).withParent(1)))
        .withMessageContaining("parent");
  }

  private void kill() {
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).hasSize(1);
      batch.dead(batch.tasks().get(0), "no");
      batch.settle();
    }
  }

  private void assertRuns(long id, String payload) {
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(id);
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly(payload);
      batch.settle();
    }
  }
}
