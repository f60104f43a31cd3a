package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch.SettleResult;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the outcomes of a batch's tasks. */
@RotaTest
class SettleTest {

  private static final int ERROR_BYTES = 4_096;

  @Given private RotaFixture fixture;
  private Tenant acme;

  @BeforeEach
  void open() {
    RetryPolicy policy = RetryPolicy.of(3, attempt -> Duration.ofMinutes(attempt));
    Rota rota = fixture.another(builder -> builder.retry(policy));
    acme = rota.tenants().register("acme");
  }

  @Test
  void whatWasNotReportedIsDone() {
    Batch batch = claimed(4);
    assertThat(batch.settle()).isEqualTo(new SettleResult(4, 0));
    assertCounts(Map.of(TaskState.DONE, 4L));
  }

  @Test
  void aFailedTaskWaitsAsLongAsThePolicySays() throws SQLException {
    Batch batch = claimed(2);
    Task failed = batch.tasks().get(0);
    batch.fail(failed, new IllegalStateException("no", new SQLException("because")));
    batch.settle();

    assertCounts(Map.of(TaskState.DONE, 1L, TaskState.FAILED, 1L, TaskState.WAITING, 1L));
    assertThat(
            fixture.texts(
                "select w.run_at - h.finished_at from rota_1.task_wait_1 w"
                    + " join rota_1.task_hist_1_1 h on h.id = w.id"))
        .containsExactly("00:01:00");
    assertThat(acme.history().scanAttempts(failed.id()).get(0).error())
        .contains("java.lang.IllegalStateException: no\ncaused by java.sql.SQLException: because");
  }

  @Test
  void aTaskIsDeadAfterTheLastAttempt() throws SQLException {
    long id = acme.enqueue(NewTask.of("k", "{}"));
    for (int attempt = 1; attempt <= 3; attempt++) {
      Batch batch = acme.claim(1);
      assertThat(batch.tasks()).extracting(Task::attempt).containsExactly(attempt);
      batch.fail(batch.tasks().get(0), new IllegalStateException("attempt " + attempt));
      batch.settle();
      Waiting.intoRing(fixture, acme.number());
    }
    assertThat(acme.claim(1).tasks()).isEmpty();
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::state)
        .containsExactly(TaskState.FAILED, TaskState.FAILED, TaskState.DEAD);
  }

  @Test
  void aPauseMayBeGivenForOneTask() throws SQLException {
    Batch batch = claimed(1);
    assertThatThrownBy(() -> batch.fail(batch.tasks().get(0), "no", Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pause is PT-0.001S");
    batch.fail(batch.tasks().get(0), "later", Duration.ofMillis(1_500));
    batch.settle();
    assertThat(
            fixture.texts(
                "select w.run_at - h.finished_at from rota_1.task_wait_1 w"
                    + " join rota_1.task_hist_1_1 h on h.id = w.id and h.error = 'later'"))
        .containsExactly("00:00:01.5");
  }

  @Test
  void aPauseBeyondAllTimesIsAVeryLongOne() throws SQLException {
    Batch batch = claimed(1);
    batch.fail(batch.tasks().get(0), "never", Duration.ofSeconds(Long.MAX_VALUE));
    batch.settle();
    assertThat(fixture.texts("select run_at > now() + '99 years' from rota_1.task_wait_1"))
        .containsExactly("t");
  }

  @Test
  void aKilledTaskIsDeadAtOnce() {
    Batch batch = claimed(1);
    batch.dead(batch.tasks().get(0), "poison");
    batch.settle();
    assertCounts(Map.of(TaskState.DEAD, 1L));
    assertThat(acme.history().scanAttempts(batch.tasks().get(0).id()).get(0).error())
        .contains("poison");
  }

  @Test
  void aReleasedTaskIsAsItWasBefore() throws SQLException {
    String row = "select row(id, created_at, parent_id, attempt, kind, payload)::text from ";
    acme.enqueue(NewTask.of("k", "{}").withParent(7));
    List<String> before = fixture.texts(row + "rota_1.task_init_1_0");
    Batch batch = acme.claim(1);
    batch.release(batch.tasks().get(0));
    assertThat(batch.settle()).isEqualTo(new SettleResult(1, 0));
    assertThat(fixture.texts(row + "rota_1.task_init_1_0")).isEqualTo(before);
    assertCounts(Map.of(TaskState.RELEASED, 1L, TaskState.PENDING, 1L));
    assertThat(acme.claim(1).tasks()).extracting(Task::attempt).containsExactly(1);
  }

  @Test
  void closingABatchThatWasNotSettledHandsEverythingBack() {
    Batch batch = claimed(3);
    batch.dead(batch.tasks().get(0), "reported in vain");
    batch.close();
    batch.close();
    assertCounts(Map.of(TaskState.RELEASED, 3L, TaskState.PENDING, 3L));
    assertThat(acme.claim(10).tasks()).extracting(Task::attempt).containsOnly(1).hasSize(3);
    assertThatThrownBy(batch::settle)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("was closed");
    assertThatThrownBy(() -> batch.release(batch.tasks().get(0)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void settlingTwiceChangesNothing() {
    Batch batch = claimed(2);
    batch.fail(batch.tasks().get(0), "once", Duration.ZERO);
    SettleResult first = batch.settle();
    assertThat(batch.settle()).isSameAs(first);
    batch.close();
    assertCounts(Map.of(TaskState.DONE, 1L, TaskState.FAILED, 1L, TaskState.WAITING, 1L));
    assertThatThrownBy(() -> batch.dead(batch.tasks().get(1), "too late"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("was settled already");
  }

  @Test
  void theLastReportOfATaskCounts() {
    Batch batch = claimed(1);
    batch.release(batch.tasks().get(0));
    batch.fail(batch.tasks().get(0), "retry", Duration.ZERO);
    batch.dead(batch.tasks().get(0), "dead");
    batch.settle();
    assertCounts(Map.of(TaskState.DEAD, 1L));
  }

  @Test
  void aTaskOfAnotherBatchIsRefused() {
    Batch one = claimed(1);
    Batch other = claimed(1);
    Task foreign = other.tasks().get(0);
    assertThatThrownBy(() -> one.dead(foreign, "not mine"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("task " + foreign.id())
        .hasMessageContaining("is not a task of batch " + one.id());
  }

  @Test
  void anEmptyBatchSettlesNothing() throws SQLException {
    try (Batch batch = acme.claim(5)) {
      assertThat(batch.id()).isZero();
      assertThat(batch.settle()).isEqualTo(new SettleResult(0, 0));
    }
    assertThat(fixture.number("select count(*) from rota.task_batch")).isZero();
  }

  @Test
  void errorTextsAreCutBetweenCharacters() {
    assertThat(storedError("é".repeat(5_000))).isEqualTo("é".repeat(ERROR_BYTES / 2));
    assertThat(storedError("x" + "é".repeat(5_000))).isEqualTo("x" + "é".repeat(2_047));
    assertThat(storedError("xy" + "😀".repeat(5_000))).isEqualTo("xy" + "😀".repeat(1_023));
    assertThat(storedError("y".repeat(4_095) + "€")).isEqualTo("y".repeat(4_095));
    assertThat(storedError("z".repeat(ERROR_BYTES))).hasSize(ERROR_BYTES);
  }

  @Test
  void errorTextsMayHoldWhatPostgresqlCannotStore() {
    assertThat(storedError("a\0b")).isEqualTo("a\uFFFDb");
    assertThat(storedError("a\uD83Db")).isEqualTo("a?b");
    assertThat(storedError("")).isEmpty();
  }

  @Test
  void longErrorsGoInSeveralStatements() {
    long tasks = 2_100;
    acme.enqueueAll(Collections.nCopies((int) tasks, NewTask.of("k", "{}")));
    Faults faults = new Faults();
    Batch batch = fixture.observed(faults).tenants().get("acme").claim((int) tasks);
    assertThat(batch.tasks()).hasSize((int) tasks);
    batch.tasks().forEach(task -> batch.fail(task, "x".repeat(ERROR_BYTES), Duration.ofHours(1)));
    batch.settle();
    assertThat(faults.count("retry")).isEqualTo(2);
    assertCounts(Map.of(TaskState.FAILED, tasks, TaskState.WAITING, tasks));
  }

  private String storedError(String error) {
    Batch batch = claimed(1);
    batch.dead(batch.tasks().get(0), error);
    batch.settle();
    return acme.history().scanAttempts(batch.tasks().get(0).id()).get(0).error().orElseThrow();
  }

  private Batch claimed(int tasks) {
    acme.enqueueAll(Collections.nCopies(tasks, NewTask.of("k", "{}")));
    Batch batch = acme.claim(tasks);
    assertThat(batch.tasks()).hasSize(tasks);
    return batch;
  }

  private void assertCounts(Map<TaskState, Long> expected) {
    Map<TaskState, Long> counts = acme.history().scanStates();
    counts.values().removeIf(count -> count == 0);
    assertThat(counts).isEqualTo(expected);
  }
}
