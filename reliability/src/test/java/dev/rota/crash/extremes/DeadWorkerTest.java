package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.daemon.RotationDaemon;
import dev.rota.processes.JavaProcess;
import dev.rota.processes.WorkerProcess;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Measures how soon the tasks of a dead or frozen worker run again. */
@Alone
@CrashTest
class DeadWorkerTest {

  private static final int ROUNDS = CrashRun.size(5, 40);
  private static final int HELD = 4;
  private static final long LEASE_MILLIS = 2_000;
  private static final long BOUND_MILLIS = LEASE_MILLIS + 5_000;

  private static final int LOCK_NAMESPACE = 0x726F7461;
  private static final String GATES_BEHIND_A_LOCK =
      """
      select count(*) from pg_stat_activity as session
       where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0
         and exists (select from pg_locks where pg_locks.pid = session.pid and granted
                        and locktype = 'advisory' and objsubid = 2)""";

  private final List<Long> millis = new ArrayList<>();
  private String struckAt = "";

  private enum Fate {
    KILLED,
    FROZEN,
    /**
     * With the gate of its tenant, from which no other worker can claim until the server ends that.
     */
    FROZEN_IN_A_CLAIM;

    String inWords() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  @ParameterizedTest
  @EnumSource
  void itsTasksRunAgainSoonAfterItsLease(Fate fate) throws Exception {
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.connect(database.jdbcUrl())) {
      database.execute(
          "create table effect"
              + " (task bigint, attempt int, process bigint, at timestamptz default now())");
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      try (RotationDaemon daemon =
          RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start()) {
        JavaProcess next = startWorker(database);
        try {
          for (int round = 0; round < ROUNDS; round++) {
            next = replace(next, fate, database, acme);
          }
        } finally {
          next.close();
        }
        assertThat(daemon.isLeading()).isTrue();
      }
      assertThat(acme.history().scanStates())
          .containsEntry(TaskState.DONE, (long) ROUNDS * (HELD + claimedAtLast(fate)))
          .containsEntry(TaskState.LOST, (long) ROUNDS * HELD)
          .containsEntry(TaskState.RUNNING, 0L)
          .containsEntry(TaskState.PENDING, 0L);
    }
    CrashRun.record("tasks-of-a-worker-" + fate.inWords(), Figures.ofMillis(millis));
    assertThat(Figures.most(millis)).as(millis.toString()).isLessThan(BOUND_MILLIS);
  }

  /** Lets a worker die while it holds tasks; the other one, which takes over, is returned. */
  private JavaProcess replace(JavaProcess victim, Fate fate, TestDatabase database, Tenant acme)
      throws Exception {
    long done = acme.history().scanStates().get(TaskState.DONE) + HELD + claimedAtLast(fate);
    try (Connection holder = database.connect()) {
      execute(holder, "select pg_advisory_lock(" + WorkerProcess.HELD_LOCK + ")");
      List<Long> ids = acme.enqueueAll(Collections.nCopies(HELD, NewTask.of("effect", "hold")));
      Await.until("all run", () -> runs(database, ids), HELD);
      JavaProcess other = strike(victim, fate, database, acme);
      Await.until("all run again", () -> runs(database, ids) == 2 * HELD);
      String lateness =
          "select ceil(extract(epoch from max(at) - '" + struckAt + "') * 1000) from effect";
      millis.add(database.number(lateness));
      execute(holder, "select pg_advisory_unlock_all()");
      Await.until("they are done", () -> acme.history().scanStates().get(TaskState.DONE), done);
      if (fate != Fate.KILLED) {
        victim.wake();
        Await.until("it finds them lost", () -> victim.ask("stats").contains("lost=" + HELD));
      }
      victim.close();
      return other;
    }
  }

  private JavaProcess strike(JavaProcess victim, Fate fate, TestDatabase database, Tenant acme)
      throws Exception {
    if (fate == Fate.FROZEN_IN_A_CLAIM) {
      return freezeInAClaim(victim, database, acme);
    }
    JavaProcess other = startWorker(database);
    struckAt = now(database);
    if (fate == Fate.FROZEN) {
      victim.freeze();
    } else {
      victim.kill();
    }
    return other;
  }

  /** Stops it while the server does its claim, which waits for a row and then has the gate. */
  private JavaProcess freezeInAClaim(JavaProcess victim, TestDatabase database, Tenant acme)
      throws Exception {
    try (Connection locker = database.connect()) {
      locker.setAutoCommit(false);
      try (Connection gate = database.connect()) {
        execute(gate, "select pg_advisory_lock(" + LOCK_NAMESPACE + ", " + acme.number() + ")");
        long id = acme.enqueue(NewTask.of("effect", "no hold"));
        for (int slot = 0; slot < 3; slot++) {
          String ring = "rota_1.task_init_1_" + slot;
          execute(locker, "select from " + ring + " where id = " + id + " for update");
        }
      }
      Await.until("it claims", () -> database.number(GATES_BEHIND_A_LOCK), 1);
      struckAt = now(database);
      victim.freeze();
      locker.rollback();
    }
    return startWorker(database);
  }

  private static int claimedAtLast(Fate fate) {
    return fate == Fate.FROZEN_IN_A_CLAIM ? 1 : 0;
  }

  private static String now(TestDatabase database) throws SQLException {
    return database.texts("select clock_timestamp()").get(0);
  }

  private static JavaProcess startWorker(TestDatabase database) throws Exception {
    return JavaProcess.start(WorkerProcess.class, database.jdbcUrl(), Long.toString(LEASE_MILLIS));
  }

  private static long runs(TestDatabase database, List<Long> ids) throws SQLException {
    String list = ids.toString().replace('[', '(').replace(']', ')');
    return database.number("select count(*) from effect where task in " + list);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
