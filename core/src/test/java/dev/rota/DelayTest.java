package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.history.HistoryFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tests delayed tasks, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class DelayTest {

  private static final NewTask NOW = NewTask.of("k", "now");
  private static final Duration HOUR = Duration.ofHours(1);

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aDelayIsCountedFromItsTransactionByTheDatabase() throws SQLException {
    long id = acme.enqueue(NewTask.of("k", "later").withParent(7).after(Duration.ofMillis(90_001)));
    assertThat(
            fixture.texts(
                "select run_at - created_at || ' ' || parent_id || ' ' || payload"
                    + " from rota_1.task_wait_1 where id = "
                    + id))
        .containsExactly("00:01:30.001 7 later");
    assertCounts(0, 1);
  }

  @Test
  void aTimeIsKeptToTheMicrosecondAndNeverRoundedDown() throws SQLException {
    acme.enqueue(NOW.runAt(Instant.parse("2249-12-31T23:59:59.123456Z")));
    acme.enqueue(NOW.runAt(Instant.parse("1700-01-01T00:00:00.000001001Z")));
    assertThat(
            fixture.texts(
                "select run_at at time zone 'UTC' from rota_1.task_wait_1 order by run_at"))
        .containsExactly("1700-01-01 00:00:00.000002", "2249-12-31 23:59:59.123456");
  }

  @Test
  void theLastWordCounts() throws SQLException {
    acme.enqueue(NOW.after(HOUR).runAt(Instant.parse("2100-01-01T00:00:00Z")));
    acme.enqueue(NOW.runAt(Instant.parse("2100-01-01T00:00:00Z")).after(HOUR));
    assertThat(
            fixture.texts(
                "select run_at > '2099-01-01' from rota_1.task_wait_1 order by run_at desc"))
        .containsExactly("t", "f");
  }

  @Test
  void aListMayHoldBothAndKeepsItsOrder() {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < 12_001; i++) {
      NewTask task = NewTask.of("k", Integer.toString(i));
      tasks.add(i % 3 == 0 ? task.after(HOUR) : task);
    }
    List<Long> ids = acme.enqueueAll(tasks);
    assertThat(ids).hasSize(12_001).doesNotHaveDuplicates();
    assertCounts(8_000, 4_001);
    for (int i : new int[] {0, 1, 2, 6_000, 12_000}) {
      assertThat(acme.history().scanAttempts(ids.get(i)))
          .extracting(Attempt::payload)
          .containsExactly(Integer.toString(i));
    }
  }

  @Test
  void singleTasksOfAllKindsShareCommits() {
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      futures.add(acme.enqueueAsync(i % 2 == 0 ? NOW : NOW.after(HOUR)));
    }
    assertThat(futures.stream().map(CompletableFuture::join).distinct()).hasSize(300);
    assertCounts(150, 150);
  }

  @Test
  void aWaitingTaskTellsUntilWhen() {
    Instant time = Instant.parse("2200-02-03T04:05:06Z");
    assertThat(acme.history().scanAttempts(acme.enqueue(NOW.runAt(time))))
        .singleElement()
        .satisfies(
            attempt -> {
              assertThat(attempt.state()).isEqualTo(TaskState.WAITING);
              assertThat(attempt.number()).isEqualTo(1);
              assertThat(attempt.runAt()).contains(time);
            });
    assertThat(acme.history().scanAttempts(acme.enqueue(NOW)).get(0).runAt()).isEmpty();
    acme.claim(1).settle();
    assertThat(acme.history().page(HistoryFilter.all()).attempts().get(0).runAt()).isEmpty();
  }

  @Test
  void aRollbackOfTheCallerLeavesNothing() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      acme.enqueue(connection, NOW.after(HOUR));
      acme.enqueueAll(connection, List.of(NOW, NOW.after(HOUR)));
      connection.rollback();
      assertCounts(0, 0);
      acme.enqueueAll(connection, List.of(NOW, NOW.after(HOUR)));
      connection.commit();
    }
    assertCounts(1, 1);
  }

  @Test
  void timesAndDelaysHaveLimits() {
    refused("delay is PT-0.000000001S; allowed are zero", t -> t.after(Duration.ofNanos(-1)));
    refused("delay is", t -> t.after(Duration.ofDays(36_501)));
    refused(
        "runAt is 1699-12-31T23:59:59Z; allowed are",
        t -> t.runAt(Instant.parse("1699-12-31T23:59:59Z")));
    refused("runAt is", t -> t.runAt(Instant.MAX));
    assertCounts(0, 0);
    acme.enqueue(NOW.after(Duration.ofDays(36_500)));
    acme.enqueue(NOW.after(Duration.ZERO));
    assertCounts(0, 2);
  }

  private void refused(String message, UnaryOperator<NewTask> wish) {
    List<NewTask> tasks = List.of(NOW, wish.apply(NOW));
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueueAll(tasks))
        .withMessageContaining("task 1 of the list: " + message)
        .satisfies(e -> assertThat(message).startsWith(e.field()));
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueueAsync(tasks.get(1)))
        .withMessageStartingWith(message);
  }

  private void assertCounts(long pending, long waiting) {
    Map<TaskState, Long> counts = acme.history().scanStates();
    assertThat(counts)
        .containsEntry(TaskState.PENDING, pending)
        .containsEntry(TaskState.WAITING, waiting);
  }
}
