package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PartialFailureException;
import dev.rota.RetryAfterException;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a hundred thousand delayed tasks, and as many retried ones, with workers free. None begins
 * before its time by the clock of the database. The test prints their lateness.
 */
@Tag("long")
@Timeout(300)
@RotaTest
class WaitLatenessTest {

  private static final Logger log = LoggerFactory.getLogger(WaitLatenessTest.class);
  private static final int TENANTS = 50;
  private static final int TASKS = 100_000;
  private static final long SPREAD_MICROS = TimeUnit.SECONDS.toMicros(30);
  private static final long HEAD_START_MICROS = TimeUnit.SECONDS.toMicros(15);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int RETRIED = 2;

  private final SplittableRandom random = new SplittableRandom(20_261_122);
  private final Map<Long, Long> dueAt = new ConcurrentHashMap<>();
  private final Map<Long, Long> begunAt = new ConcurrentHashMap<>();
  private final ThreadLocal<PreparedStatement> clocks = ThreadLocal.withInitial(this::clock);

  @Given private DaemonFixture fixture;
  private List<Tenant> tenants;

  @BeforeEach
  void open() {
    tenants =
        fixture
            .rota()
            .tenants()
            .registerAll(IntStream.range(0, TENANTS).mapToObj(i -> "t" + i).toList());
    fixture.daemon(settings -> settings.rotateEvery(Duration.ofDays(7)));
  }

  @Test
  void ofDelayedTasksNoneIsEarly() throws Exception {
    for (Tenant tenant : tenants) {
      tenant.enqueueAll(
          IntStream.range(0, TASKS / TENANTS)
              .mapToObj(i -> NewTask.of("k", "{}").after(randomPause()))
              .toList());
    }
    readDueTimes();
    try (Worker worker = worker()) {
      Await.until("all ran", PATIENCE, () -> begunAt.size() == TASKS);
      assertThat(worker.statistics().failed()).isZero();
    }
    report("delayed");
  }

  @Test
  void ofRetriedTasksNoneIsEarly() throws Exception {
    for (Tenant tenant : tenants) {
      tenant.enqueueAll(DaemonFixture.tasks("k", TASKS / TENANTS));
    }
    try (Worker worker = retryingWorker()) {
      Await.until("all failed once", PATIENCE, () -> worker.statistics().failed() >= TASKS);
      readDueTimes();
      Await.until("all ran again", PATIENCE, () -> begunAt.size() == TASKS);
    }
    report("retried");
  }

  private synchronized Duration randomPause() {
    return Duration.of(HEAD_START_MICROS + random.nextLong(SPREAD_MICROS), ChronoUnit.MICROS);
  }

  private Worker worker() {
    return fixture
        .another(builder -> builder.poolSize(12))
        .worker()
        .handleBatch("k", this::noteBeginning)
        .concurrency(8)
        .start();
  }

  private Worker retryingWorker() {
    return fixture
        .another(builder -> builder.poolSize(12))
        .worker()
        .handleBatch("k", this::failAtFirst)
        .concurrency(8)
        .start();
  }

  private void failAtFirst(List<Task> tasks) throws PartialFailureException {
    List<Task> again = new ArrayList<>();
    Map<Long, Throwable> failures = new HashMap<>();
    long now = now();
    for (Task task : tasks) {
      if (task.attempt() == RETRIED) {
        again.add(task);
      } else {
        Duration pause = randomPause();
        dueAt.put(task.id(), now + TimeUnit.NANOSECONDS.toMicros(pause.toNanos()));
        failures.put(task.id(), new RetryAfterException(pause, "not yet"));
      }
    }
    noteBeginning(again);
    if (!failures.isEmpty()) {
      throw new PartialFailureException(failures);
    }
  }

  private void noteBeginning(List<Task> tasks) {
    long now = now();
    tasks.forEach(task -> begunAt.put(task.id(), now));
  }

  /**
   * What the clock of the database says, in microseconds. Each thread keeps a connection: to open
   * one for each batch would take more of the machine than the tasks do.
   */
  private long now() {
    try (ResultSet row = clocks.get().executeQuery()) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private PreparedStatement clock() {
    try {
      return fixture
          .closeLater(fixture.database().connect())
          .prepareStatement("select (extract(epoch from clock_timestamp()) * 1000000)::bigint");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Takes the exact times from the tasks that wait. */
  private void readDueTimes() throws SQLException {
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      for (Tenant tenant : tenants) {
        try (ResultSet rows =
            statement.executeQuery(
                "select id, (extract(epoch from run_at) * 1000000)::bigint from "
                    + DaemonFixture.waiting(tenant))) {
          while (rows.next()) {
            dueAt.put(rows.getLong(1), rows.getLong(2));
          }
        }
      }
    }
  }

  private void report(String what) {
    assertThat(dueAt).hasSize(TASKS);
    long[] late =
        begunAt.entrySet().stream()
            .mapToLong(begun -> begun.getValue() - dueAt.get(begun.getKey()))
            .sorted()
            .toArray();
    log.warn(
        "lateness of {} {} tasks when their handler began, in milliseconds: p50 {}, p99 {}, most {}",
        late.length,
        what,
        millis(late[TASKS / 2]),
        millis(late[TASKS / 100 * 99]),
        millis(late[TASKS - 1]));
    assertThat(late[0]).as("the earliest, in microseconds after its time").isNotNegative();
  }

  private static long millis(long micros) {
    return TimeUnit.MICROSECONDS.toMillis(micros);
  }
}
