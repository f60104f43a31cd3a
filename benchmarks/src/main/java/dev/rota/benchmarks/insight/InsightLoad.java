package dev.rota.benchmarks.insight;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.schedule.Schedule;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Fills a database as a day of many tenants does. Each has tables, a backlog, segments in the
 * registry, and errors. There are statistics, schedules, workers and open batches, and the history
 * of one tenant.
 *
 * @param tenants how many tenants
 * @param attempts the attempts in the history of the first one, a thousandth of them dead
 * @param schedules how many schedules the first tenants have
 */
public record InsightLoad(int tenants, long attempts, int schedules) {

  /** The tenant with the history. */
  public static final String TENANT = "tenant-000001";

  private static final int PENDING = 5;
  private static final int THREADS = 4;

  private static final String HISTORY =
      """
      insert into rota_1.task_hist_1_1
             (id, batch_id, created_at, finished_at, attempt, state, kind, payload, error)
      select n, n / 100, now() - (%1$d - n) * interval '1 ms',
             case when n %% 1000 = 0 then now() end, 1, case when n %% 1000 = 0 then 3 else 0 end,
             'kind-' || n %% 30, '{"order": ' || n || '}',
             case when n %% 1000 = 0 then 'java.lang.IllegalStateException: no stock of ' || n end
        from generate_series(1, %1$d) n""";

  private static final List<String> REGISTRY =
      List.of(
          """
          insert into rota.segment (tenant, seq, opened_at, sealed_at)
          select t, s, now() - s * interval '1 hour', now() - s * interval '1 hour'
            from generate_series(2, %1$d) t, generate_series(2, 25) s""",
          """
          insert into rota.kind_statistic
          select date_trunc('hour', now()) - h * interval '1 hour', 1000, 10, 1, 0, 5000000, 1000,
                 9000000, '{1,2,3,400,500,90,4}', '{1,1,1,1,1,900,95}', 'kind-' || k
            from generate_series(0, 167) h, generate_series(1, 30) k""",
          """
          insert into rota.statistic
          select t, date_trunc('hour', now()) - h * interval '1 hour', 50, 1, 0, 0, 250000, 50, 450000,
                 'kind-' || k
            from generate_series(1, %1$d) t, generate_series(0, 23) h,
                 unnest(array[1, 2 + t %% 14, 16 + t %% 14]) k
           order by h desc, random()""",
          """
          insert into rota.usage (tenant, hour, attempts, storage_byte_hours)
          select t, date_trunc('hour', now()) - h * interval '1 hour', 150, 9000000 - h * 10000
            from generate_series(1, %1$d) t, generate_series(1, 48) h
           order by h desc, random()""",
          """
          insert into rota.error_statistic
          select date_trunc('hour', now()) - h * interval '1 hour', f, 10, 1, now(), f, 1, 'kind-' || k,
                 'java.lang.IllegalStateException: cause ' || f || ' of #'
            from generate_series(0, 167) h, generate_series(1, 30) k, generate_series(1, 20) f""",
          """
          insert into rota.tenant_error
          select t, date_trunc('hour', now()) - h * interval '1 hour', f, 10, 1, now(), f, 'kind-' || f
            from generate_series(1, %1$d) t, generate_series(0, 23) h, generate_series(1, 3) f""",
          """
          insert into rota.worker (id, host, lease, started_at, heartbeat_at)
          select -w, 'host-' || w || ':1', interval '1 day', now(), now()
            from generate_series(1, 200) w""",
          """
          insert into rota.task_batch_1 (id, worker, claimed_at, first_block, last_block, tenant, segment,
                                         tasks)
          select -b, -1 - b %% 200, now(), 0, 0, 1 + b %% %1$d, 1, 50 from generate_series(1, 2000) b""");

  private static final List<String> UPKEEP =
      List.of(
          "vacuum analyze rota.segment",
          "vacuum analyze rota.tenant",
          "vacuum analyze rota.kind_statistic",
          "vacuum analyze rota.statistic",
          "vacuum analyze rota.usage",
          "vacuum analyze rota.error_statistic",
          "vacuum analyze rota.tenant_error",
          "vacuum analyze rota.schedule",
          "checkpoint");

  /**
   * The load of so many tenants, of which a thousand have a schedule.
   *
   * @param tenants how many tenants, at least one
   * @param attempts the attempts of the first one
   * @return the load
   */
  public static InsightLoad of(int tenants, long attempts) {
    return new InsightLoad(tenants, attempts, Math.min(tenants, 1_000));
  }

  /**
   * Fills a database that has no schema of Rota.
   *
   * @param database the database
   * @throws SQLException if it refuses
   */
  public void fill(CommandDatabase database) throws SQLException {
    try (Rota rota = database.rotaBuilder().build()) {
      rota.admin().migrate();
      List<String> names =
          IntStream.rangeClosed(1, tenants).mapToObj("tenant-%06d"::formatted).toList();
      enqueue(rota.tenants().registerAll(names));
      rota.tenants().get(TENANT).claim(1).close();
      for (String name : names.subList(0, schedules)) {
        NewTask report = NewTask.of("report", "{}");
        rota.tenants()
            .get(name)
            .schedules()
            .add(Schedule.every("hourly", Duration.ofHours(1), report));
      }
    }
    try (Connection connection = DriverManager.getConnection(database.jdbcUrl());
        Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(HISTORY.formatted(attempts));
      for (String sql : REGISTRY) {
        unused = statement.execute(sql.formatted(tenants));
      }
      for (String sql : UPKEEP) {
        unused = statement.execute(sql);
      }
    }
  }

  /** Gives each tenant its tables and a backlog, from several threads. */
  private static void enqueue(List<Tenant> all) {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<NewTask> tasks = Collections.nCopies(PENDING, NewTask.of("kind-1", "{}"));
      List<? extends Future<?>> running =
          all.stream().map(tenant -> executor.submit(() -> tenant.enqueueAll(tasks))).toList();
      for (Future<?> each : running) {
        join(each);
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private static void join(Future<?> running) {
    try {
      Object unused = running.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException("a tenant got no tables", e);
    }
  }
}
