package dev.rota.benchmarks.rivals;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler with one-time tasks, without priorities, on a pool that rewrites its batches of
 * inserts. Tasks are fetched by lock-and-fetch with 20 threads and the limits 4 and 20, as in the
 * project's own benchmark. On two cores nothing was faster: neither smaller fetches, nor 10 threads
 * that fetch up to 1,000 tasks, nor 50 or 100 threads.
 *
 * <p>The table is analyzed after it was filled, before the measurement.
 */
final class DbScheduler implements Contender {

  /** The table of the project's documentation for PostgreSQL. */
  private static final String[] TABLE = {
    """
    create table scheduled_tasks (
      task_name text not null, task_instance text not null, task_data bytea,
      execution_time timestamptz not null, picked boolean not null, picked_by text,
      last_success timestamptz, last_failure timestamptz, consecutive_failures int,
      last_heartbeat timestamptz, version bigint not null, priority smallint,
      primary key (task_name, task_instance))""",
    "create index on scheduled_tasks (execution_time)",
    "create index on scheduled_tasks (last_heartbeat)",
  };

  private static final int THREADS = 20;
  private static final long LOOK_NANOS = 1_000_000;

  private final String url;
  private final RivalWorkload workload;
  private final String payload;
  private final HikariDataSource pool;
  private final OneTimeTask<String> task;
  private final SchedulerClient client;
  private final AtomicLong lastId = new AtomicLong();
  private final AtomicLong done = new AtomicLong();
  private @Nullable Scheduler scheduler;

  /** Creates the contender in a new database. */
  DbScheduler(String url, RivalWorkload workload) throws SQLException {
    this.url = url;
    this.workload = workload;
    this.payload = workload.payloadText();
    Jdbc.execute(url, TABLE);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Jdbc.with(url, "reWriteBatchedInserts=true"));
    config.setMaximumPoolSize(40);
    this.pool = new HikariDataSource(config);
    this.task =
        Tasks.oneTime(RivalWorkload.KIND, String.class)
            .execute((instance, context) -> done.incrementAndGet());
    this.client = SchedulerClient.Builder.create(pool, task).build();
  }

  @Override
  public RivalProducer producer() {
    return this::schedule;
  }

  private void schedule(int tenant, int tasks) {
    long first = lastId.getAndAdd(tasks) + 1;
    Instant now = Instant.now();
    if (tasks == 1) {
      if (!client.scheduleIfNotExists(instance(tenant, first), now)) {
        throw new IllegalStateException("task " + first + " exists already");
      }
      return;
    }
    List<TaskInstance<?>> instances = new ArrayList<>(tasks);
    for (int i = 0; i < tasks; i++) {
      instances.add(instance(tenant, first + i));
    }
    client.scheduleBatch(instances, now);
  }

  private TaskInstance<String> instance(int tenant, long id) {
    return task.instance(tenant + "-" + id, payload);
  }

  @Override
  public void fill(int tasks) throws Exception {
    stop();
    Filling.fill(this, workload.tenants(), tasks);
    Jdbc.execute(url, "analyze scheduled_tasks");
  }

  @Override
  public void drain(int tasks) throws SQLException {
    long goal = done.get() + tasks;
    start();
    Deadline.await("the end of all tasks", () -> done.get() >= goal);
    // A task is deleted after its handler has returned.
    while (Jdbc.number(url, "select count(*) from scheduled_tasks") > 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private void start() {
    Scheduler started =
        Scheduler.create(pool, task)
            .threads(THREADS)
            .pollUsingLockAndFetch(4.0, 20.0)
            .pollingInterval(Duration.ofMillis(10))
            .build();
    started.start();
    scheduler = started;
  }

  private void stop() {
    if (scheduler != null) {
      scheduler.stop();
      scheduler = null;
    }
  }

  /** Counts tasks. The table deletes done tasks, so only the handler has counted them. */
  @Override
  public Census census() throws SQLException {
    return new Census(Jdbc.number(url, "select count(*) from scheduled_tasks"), done.get());
  }

  @Override
  public void close() {
    stop();
    pool.close();
  }
}
