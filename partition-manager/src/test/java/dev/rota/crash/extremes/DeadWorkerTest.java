package dev.rota.crash.extremes;

import static dev.rota.processes.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.partition.RotationDaemon;
import dev.rota.processes.JavaProcess;
import dev.rota.processes.WorkerProcess;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How soon the tasks of a worker that is dead, or as good as dead, run again. */
@CrashTest
class DeadWorkerTest {

  private static final int ROUNDS = CrashRun.size(5, 40);
  private static final int HELD = 4;
  private static final long LEASE_MILLIS = 2_000;
  private static final long BOUND_MILLIS = LEASE_MILLIS + 5_000;

  private final List<Long> millis = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(strings = {"killed", "frozen"})
  void itsTasksRunAgainSoonAfterItsLease(String fate) throws Exception {
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      database.execute(
          "create table effect"
              + " (task bigint, attempt int, process bigint, at timestamptz default now())");
      rota.migrate();
      Tenant acme = rota.tenants().register("acme");
      try (RotationDaemon daemon =
          RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start()) {
        JavaProcess next = startWorker(database);
        try {
          for (int round = 0; round < ROUNDS; round++) {
            next = replace(next, fate.equals("frozen"), database, acme);
          }
        } finally {
          next.close();
        }
        assertThat(daemon.isLeading()).isTrue();
      }
      assertThat(acme.counts())
          .containsEntry(TaskState.DONE, (long) ROUNDS * HELD)
          .containsEntry(TaskState.LOST, (long) ROUNDS * HELD)
          .containsEntry(TaskState.RUNNING, 0L)
          .containsEntry(TaskState.PENDING, 0L);
    }
    CrashRun.record("tasks-of-a-" + fate + "-worker", Figures.ofMillis(millis));
    assertThat(Figures.most(millis)).as(millis.toString()).isLessThan(BOUND_MILLIS);
  }

  /** Lets a worker die while it holds tasks; the other one, which takes over, is returned. */
  private JavaProcess replace(
      JavaProcess victim, boolean frozen, TestDatabase database, Tenant acme) throws Exception {
    try (Connection holder = database.connect()) {
      execute(holder, "select pg_advisory_lock(" + WorkerProcess.HELD_LOCK + ")");
      List<Long> ids = acme.enqueueAll(Collections.nCopies(HELD, NewTask.of("effect", "hold")));
      until("all run", () -> runs(database, ids) == HELD);
      JavaProcess other = startWorker(database);
      String struckAt = text(database, "select clock_timestamp()");
      if (frozen) {
        victim.freeze();
      } else {
        victim.kill();
      }
      until("all run again", () -> runs(database, ids) == 2 * HELD);
      String lateness =
          "select ceil(extract(epoch from max(at) - '" + struckAt + "') * 1000) from effect";
      millis.add(Long.parseLong(text(database, lateness)));
      long before = acme.counts().get(TaskState.DONE);
      execute(holder, "select pg_advisory_unlock_all()");
      until("they are done", () -> acme.counts().get(TaskState.DONE) == before + HELD);
      if (frozen) {
        victim.wake();
        until("it finds them lost", () -> victim.ask("stats").contains("lost=" + HELD));
      }
      victim.close();
      return other;
    }
  }

  private static JavaProcess startWorker(TestDatabase database) throws Exception {
    return JavaProcess.start(WorkerProcess.class, database.jdbcUrl(), Long.toString(LEASE_MILLIS));
  }

  private static long runs(TestDatabase database, List<Long> ids) throws SQLException {
    String list = ids.toString().replace('[', '(').replace(']', ')');
    return Long.parseLong(text(database, "select count(*) from effect where task in " + list));
  }

  private static String text(TestDatabase database, String query) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
