package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.ClientProgram;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the logical backup of {@code docs/operations.md}: a dump packs rows anew, so that no batch
 * is where the ledger has it.
 */
@Tag("exhaustive")
class DumpRestoreTest {

  private static final int SERVER = 15;
  private static final int FAILED = 600;
  private static final int RUNNING = 40;
  private static final Duration LEASE = Duration.ofSeconds(2);

  private DaemonFixture before;
  private DaemonFixture after;

  @BeforeEach
  void open() {
    before = new DaemonFixture(SERVER);
    after = new DaemonFixture(TestDatabase.onVersion(SERVER));
  }

  @AfterEach
  void close() throws Exception {
    try {
      before.close();
    } finally {
      after.close();
    }
  }

  @Test
  void whatRanWhenTheDumpWasMadeRunsAgain() throws Exception {
    ClientProgram dump = ClientProgram.forServer(SERVER, "pg_dump");
    ClientProgram psql = ClientProgram.forServer(SERVER, "psql");
    Tenant acme = before.rota().tenants().register("acme");
    failTwice(acme);
    acme.enqueueAll(tasks("later", RUNNING));
    Rota doomed = before.another(builder -> builder.lease(LEASE));
    Batch running = doomed.tenants().get("acme").claim(RUNNING);
    assertThat(running.tasks()).hasSize(RUNNING);

    ClientProgram.pipe(
        dump.command(before.database()),
        psql.command(after.database(), "--quiet", "--set=ON_ERROR_STOP=1"));

    after.execute("create table effect (task bigint)");
    after.daemon(settings -> settings);
    Tenant restored = after.rota().tenants().get("acme");
    try (Worker worker = after.rota().worker().handle("later", task -> note(task.id())).start()) {
      Await.until(
          "all tasks are settled",
          Await.LONG,
          () ->
              restored.history().scanStates().getOrDefault(TaskState.DONE, 0L) == RUNNING
                  && restored.history().scanStates().get(TaskState.RUNNING) == 0);
      assertThat(worker.statistics().lost()).isZero();
    }
    assertThat(after.texts("select task::text from effect"))
        .containsExactlyInAnyOrderElementsOf(
            running.tasks().stream().map(task -> Long.toString(task.id())).toList());
    assertThat(restored.history().scanStates())
        .containsEntry(TaskState.LOST, (long) RUNNING)
        .containsEntry(TaskState.DEAD, (long) FAILED);
  }

  /** A dump makes the TOAST tables, and then says that no column of the slots uses them. */
  @Test
  void aRestoredTenantTakesItsFirstLargePayload() throws Exception {
    ClientProgram dump = ClientProgram.forServer(SERVER, "pg_dump");
    ClientProgram psql = ClientProgram.forServer(SERVER, "psql");
    before.rota().tenants().registerAll(List.of("acme", "globex"));
    NewTask large = NewTask.of("k", "x".repeat(7_001));
    long wide = before.tenant("globex").enqueue(large);

    ClientProgram.pipe(
        dump.command(before.database()),
        psql.command(after.database(), "--quiet", "--set=ON_ERROR_STOP=1"));

    long narrow = after.rota().tenants().get("acme").enqueue(large);
    assertThat(after.rota().tenants().get("acme").claim(9).tasks())
        .extracting(Task::id)
        .containsExactly(narrow);
    long another = after.rota().tenants().get("globex").enqueue(large);
    assertThat(after.rota().tenants().get("globex").claim(9).tasks())
        .extracting(Task::id)
        .containsExactlyInAnyOrder(wide, another);
  }

  /** Leaves dead versions of their rows in front of those that are claimed later. */
  private void failTwice(Tenant acme) throws Exception {
    acme.enqueueAll(tasks("broken", FAILED));
    RetryPolicy twice = RetryPolicy.exponential(2, Duration.ofMillis(1), Duration.ofMillis(1));
    try (RotationDaemon daemon =
            before.daemon(settings -> settings.rotateEvery(Duration.ofHours(1)));
        Worker worker =
            before
                .another()
                .worker()
                .handle(
                    "broken",
                    task -> {
                      throw new IllegalStateException("broken");
                    })
                .retry(twice)
                .start()) {
      Await.until("the daemon leads", daemon::isLeading);
      Await.until(
          "all are dead",
          Await.LONG,
          () -> acme.history().scanStates().getOrDefault(TaskState.DEAD, 0L),
          FAILED);
      assertThat(worker.statistics().lost()).isZero();
    }
  }

  private void note(long task) throws SQLException {
    try (Connection connection = after.database().connect();
        PreparedStatement statement =
            connection.prepareStatement("insert into effect values (?)")) {
      statement.setLong(1, task);
      statement.executeUpdate();
    }
  }
}
