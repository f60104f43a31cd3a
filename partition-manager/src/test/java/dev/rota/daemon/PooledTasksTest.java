package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.TenantInfo;
import dev.rota.Worker;
import dev.rota.history.History;
import dev.rota.testing.Await;
import dev.rota.testing.PgBouncer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests producers and workers behind a PgBouncer in transaction mode, and a daemon that is not: no
 * task is lost, and none settled twice.
 */
@RotaTest
@Tag("exhaustive")
class PooledTasksTest {

  private static final int TENANTS = 10;
  private static final int PRODUCERS = 4;
  private static final int AT_ONCE = 250;
  private static final int SINGLE = 20;

  /** Every so many tasks fail once, and come back through the daemon. */
  private static final int FAILING = 50;

  @TempDir private Path folder;
  @Given private DaemonFixture fixture;

  private final Set<Long> ran = ConcurrentHashMap.newKeySet();
  private final List<Tenant> tenants = new ArrayList<>();
  private PgBouncer pooler;

  @Test
  void tasksRun() throws Exception {
    runThrough(5_000, "");
  }

  /** An application that sets the URL for a pooler that knows no names. */
  @Test
  void tasksRunWithoutPreparedStatements() throws Exception {
    runThrough(5_000, "&prepareThreshold=0");
  }

  @Tag("long")
  @Test
  void hundredThousandTasksRun() throws Exception {
    runThrough(100_000, "");
  }

  private void runThrough(int tasks, String options) throws Exception {
    pooler = fixture.closeLater(PgBouncer.start(fixture.database(), folder, "transaction"));
    RotationDaemon daemon = fixture.daemon(settings -> settings);
    Await.until("the daemon leads", daemon::isLeading);
    try (HikariDataSource pool = pool(options);
        Rota rota = Rota.builder(pool).build()) {
      IntStream.range(0, TENANTS).forEach(i -> tenants.add(rota.tenants().register("t" + i)));
      try (Worker worker =
          rota.worker()
              .handle("k", this::handle)
              .retry(RetryPolicy.fixed(2, Duration.ofMillis(10)))
              .start()) {
        Set<Long> acknowledged = produce(rota, pool, tasks);
        assertThat(acknowledged).hasSize(tasks);
        Await.until("all have run", () -> ran.size(), tasks);
        assertThat(ran).isEqualTo(acknowledged);
        assertThat(worker.statistics().lost()).isZero();
      }
    }
    long done = fixture.rota().tenants().list().stream().mapToLong(this::done).sum();
    assertThat(done).isEqualTo(tasks);
    assertThat(daemon.isLeading()).isTrue();
  }

  private void handle(Task task) {
    if (task.id() % FAILING == 0 && task.attempt() == 1) {
      throw new IllegalStateException("once");
    }
    assertThat(ran.add(task.id())).isTrue();
  }

  private long done(TenantInfo tenant) {
    History history = fixture.rota().tenants().get(tenant.name()).history();
    return history.scanStates().getOrDefault(TaskState.DONE, 0L);
  }

  private Set<Long> produce(Rota rota, HikariDataSource pool, int tasks) throws Exception {
    Set<Long> ids = new HashSet<>();
    ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
    try {
      List<Future<List<Long>>> rounds = new ArrayList<>();
      for (int i = 0; i < tasks / AT_ONCE; i++) {
        Tenant tenant = rota.tenants().get("t" + i % TENANTS);
        rounds.add(threads.submit(() -> round(tenant, pool)));
      }
      for (Future<List<Long>> round : rounds) {
        ids.addAll(round.get(2, TimeUnit.MINUTES));
      }
    } finally {
      threads.shutdownNow();
    }
    return ids;
  }

  /** Enqueues in each way. */
  private static List<Long> round(Tenant tenant, HikariDataSource pool) throws SQLException {
    NewTask task = NewTask.of("k", "{}");
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < SINGLE; i++) {
      ids.add(tenant.enqueue(task));
    }
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      ids.add(tenant.enqueue(connection, task));
      connection.commit();
    }
    ids.addAll(tenant.enqueueAll(DaemonFixture.tasks("k", AT_ONCE - ids.size())));
    return ids;
  }

  private HikariDataSource pool(String options) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(pooler.jdbcUrl() + options);
    config.setMaximumPoolSize(8);
    return new HikariDataSource(config);
  }
}
