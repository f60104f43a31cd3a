package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests reads of single tasks, and the counts by state. */
@RotaTest
class ReadingTest {

  private static final NewTask TASK = NewTask.of("k", "{\"n\":1}");

  @Given private static RotaFixture fixture;
  private static int count;
  private Tenant tenant;

  @BeforeEach
  void register() {
    tenant = fixture.rota().tenants().register("tenant " + ++count);
  }

  @Test
  void aTaskIsFollowedThroughAllItsAttempts() throws SQLException {
    long id = tenant.enqueue(TASK);
    assertStates(id, TaskState.PENDING);
    try (Batch batch = tenant.claim(1)) {
      assertStates(id, TaskState.RUNNING);
      batch.fail(batch.tasks().get(0), "first error", Duration.ofHours(1));
      batch.settle();
    }
    assertStates(id, TaskState.FAILED, TaskState.WAITING);
    promote();
    assertStates(id, TaskState.FAILED, TaskState.PENDING);
    try (Batch batch = tenant.claim(1)) {
      batch.release(batch.tasks().get(0));
      batch.settle();
    }
    assertStates(id, TaskState.FAILED, TaskState.RELEASED, TaskState.PENDING);
    try (Batch batch = tenant.claim(1)) {
      batch.settle();
    }
    assertStates(id, TaskState.FAILED, TaskState.RELEASED, TaskState.DONE);

    List<Attempt> attempts = tenant.history().scanAttempts(id);
    assertThat(attempts).extracting(Attempt::number).containsExactly(1, 2, 2);
    assertThat(attempts)
        .allSatisfy(
            attempt -> {
              assertThat(attempt.taskId()).isEqualTo(id);
              assertThat(attempt.kind()).isEqualTo("k");
              assertThat(attempt.payload()).isEqualTo("{\"n\":1}");
              assertThat(attempt.createdAt()).isEqualTo(attempts.get(0).createdAt());
              assertThat(attempt.claimedAt()).isPresent();
              assertThat(attempt.finishedAt().orElseThrow())
                  .isAfterOrEqualTo(attempt.claimedAt().orElseThrow());
            });
    assertThat(attempts.get(0).error()).contains("first error");
    assertThat(attempts.get(2).error()).isEmpty();
  }

  @Test
  void anAttemptThatHasNotBegunTellsItsNumberAndNoTimes() throws SQLException {
    long id = tenant.enqueue(TASK);
    try (Batch batch = tenant.claim(1)) {
      batch.fail(batch.tasks().get(0), "error", Duration.ofHours(1));
      batch.settle();
    }
    assertThat(tenant.history().scanAttempts(id).get(1))
        .satisfies(
            waiting -> {
              assertThat(waiting.number()).isEqualTo(2);
              assertThat(waiting.claimedAt()).isEmpty();
              assertThat(waiting.finishedAt()).isEmpty();
              assertThat(waiting.error()).isEmpty();
            });
  }

  @Test
  void anUnknownTaskHasNoAttempts() {
    assertThat(tenant.history().scanAttempts(-1)).isEmpty();
    assertThat(tenant.history().scanAttempts(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void everyStateIsCounted() throws SQLException {
    assertThat(tenant.history().scanStates())
        .containsOnlyKeys(TaskState.values())
        .allSatisfy(this::isZero);
    tenant.enqueueAll(java.util.Collections.nCopies(10, TASK));
    try (Batch batch = tenant.claim(4)) {
      List<Task> tasks = batch.tasks();
      batch.fail(tasks.get(0), "again", Duration.ofHours(1));
      batch.dead(tasks.get(1), "never");
      batch.release(tasks.get(2));
      batch.settle();
    }
    Batch running = tenant.claim(2);
    int number = tenant.number();
    fixture.execute(
        """
        insert into rota_%1$d.task_hist_%1$d_1 (id, created_at, attempt, state, kind, payload)
        values (-1, now(), 1, 4, 'k', ''), (-2, now(), 1, 5, 'k', ''), (-3, now(), 1, 5, 'k', '')"""
            .formatted(number));
    assertThat(tenant.history().scanStates())
        .containsEntry(TaskState.PENDING, 5L)
        .containsEntry(TaskState.WAITING, 1L)
        .containsEntry(TaskState.RUNNING, 2L)
        .containsEntry(TaskState.DONE, 1L)
        .containsEntry(TaskState.FAILED, 1L)
        .containsEntry(TaskState.DEAD, 1L)
        .containsEntry(TaskState.CANCELLED, 1L)
        .containsEntry(TaskState.LOST, 2L)
        .containsEntry(TaskState.RELEASED, 1L);
    running.close();
  }

  @Test
  void viewsTellTheSameInSql() throws SQLException {
    long done = tenant.enqueue(TASK);
    long dead = tenant.enqueue(TASK);
    long failed = tenant.enqueue(TASK);
    try (Batch batch = tenant.claim(3)) {
      batch.dead(batch.tasks().get(1), "broken");
      batch.fail(batch.tasks().get(2), "again", Duration.ofHours(1));
      batch.settle();
    }
    long running = tenant.enqueue(TASK.withParent(done));
    Batch batch = tenant.claim(1);
    long pending = tenant.enqueue(TASK);
    String row = "select concat_ws(' ', id, state, attempt, kind, payload, parent_id, error) from ";
    String order = " order by id, attempt";
    assertThat(fixture.texts(row + view("task_hist") + order))
        .containsExactly(
            done + " done 1 k {\"n\":1}",
            dead + " dead 1 k {\"n\":1} broken",
            failed + " failed 1 k {\"n\":1} again",
            running + " running 1 k {\"n\":1} " + done);
    assertThat(
            fixture.texts(
                "select id || ' ' || state || ' ' || attempt || ' ' || (run_at is not null) from "
                    + view("task_init")
                    + order))
        .containsExactly(failed + " waiting 1 true", pending + " pending 0 false");
    assertThat(
            fixture.texts(
                "select id from "
                    + view("task_hist")
                    + " where claimed_at is null or batch_id is null or segment <> 1"
                    + " or worker is null or (finished_at is null) <> (state = 'running')"))
        .isEmpty();
    batch.close();
  }

  @Test
  void withoutItsLedgerASettledTaskIsStillDone() throws SQLException {
    long done = tenant.enqueue(TASK);
    tenant.claim(1).settle();
    long dead = tenant.enqueue(TASK);
    try (Batch batch = tenant.claim(1)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.settle();
    }
    fixture.execute("delete from rota.task_batch_1 where tenant = " + tenant.number());
    assertThat(tenant.history().scanAttempts(done))
        .singleElement()
        .satisfies(
            attempt -> {
              assertThat(attempt.state()).isEqualTo(TaskState.DONE);
              assertThat(attempt.claimedAt()).isEmpty();
              assertThat(attempt.finishedAt()).isEmpty();
            });
    assertThat(tenant.history().scanAttempts(dead).get(0).finishedAt()).isPresent();
    assertStates(dead, TaskState.DEAD);
    assertThat(tenant.history().scanStates())
        .containsEntry(TaskState.DONE, 1L)
        .containsEntry(TaskState.DEAD, 1L);
  }

  @Test
  void aTaskThatIsClaimedWhileItIsReadForIsSeenOnce() {
    Faults faults = new Faults();
    Tenant reader = fixture.observed(faults).tenants().get(tenant.name());
    long id = tenant.enqueue(TASK);
    faults.after("jooq").run(() -> tenant.claim(1).settle());
    assertThat(reader.history().scanAttempts(id)).hasSize(1);
    tenant.enqueue(TASK);
    faults.after("jooq").run(() -> tenant.claim(1).settle());
    assertThat(reader.history().scanStates().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(2);
  }

  private void isZero(TaskState state, Long number) {
    assertThat(number).as(state.name()).isZero();
  }

  private void assertStates(long id, TaskState... states) {
    assertThat(tenant.history().scanAttempts(id))
        .extracting(Attempt::state)
        .containsExactly(states);
  }

  private String view(String name) {
    return "rota_%1$d.%2$s_%1$d".formatted(tenant.number(), name);
  }

  private void promote() throws SQLException {
    fixture.execute(
        """
        with due as (delete from rota_%1$d.task_wait_%1$d
          returning id, created_at, parent_id, attempt, kind, payload)
        insert into rota_%1$d.task_init_%1$d_0 (id, created_at, parent_id, attempt, kind, payload)
        select * from due"""
            .formatted(tenant.number()));
  }
}
