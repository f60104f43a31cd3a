package dev.rota.benchmarks.insight;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.history.History;
import dev.rota.history.HistoryFilter;
import dev.rota.history.RecentAttempts;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.Insight;
import dev.rota.insight.ScheduleQuery;
import dev.rota.insight.TenantQuery;
import dev.rota.insight.TenantQuery.Order;
import dev.rota.internal.RotaBuilder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Calls each read many times, one after the other. Used by one thread. */
final class InsightTrial {

  private static final Duration BUDGET = Duration.ofMillis(20);

  /** Longer than a sample is shared. Each look at the clock skips it. */
  private static final long A_WHILE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);

  private static final int SHOWN = 10;
  private static final HistoryFilter PAGE = HistoryFilter.all().limit(50);
  private static final String INDEX =
      """
      create index on rota_1.task_hist_1_1 using brin (id);
      analyze rota_1.task_hist_1_1 (id);
      create index on rota_1.task_hist_1_1 (state) where state > 1""";

  private final CommandDatabase database;
  private final InsightTimes times;

  InsightTrial(CommandDatabase database, InsightTimes times) {
    this.database = database;
    this.times = times;
  }

  InsightTimes run() throws SQLException {
    Instant now = Instant.now();
    try (Rota rota = database.rotaBuilder().build()) {
      across(rota.insight(), ErrorQuery.between(now.minus(Duration.ofDays(1)), now));
      renewals();
      history(rota.tenants().get(InsightLoad.TENANT).history());
    }
    return times;
  }

  private void across(Insight insight, ErrorQuery errors) {
    times.measure("overview", insight::overview);
    times.measure(
        "tenants, by flow",
        () -> insight.tenants(TenantQuery.all().orderedBy(Order.CLAIMED).page(0, 50)));
    times.measure("tenants, searched", () -> insight.tenants(TenantQuery.all().containing("99")));
    times.measure("kinds of a day", () -> insight.kinds(errors.from(), errors.to()));
    times.measure(
        "tenants of a kind", () -> insight.tenantsOf("kind-1", errors.from(), errors.to(), SHOWN));
    times.measure("workers", insight::workers);
    times.measure("running", () -> insight.running(100));
    times.measure("errors of a day", () -> insight.errors(errors));
    times.measure("errors of a tenant", () -> insight.errors(errors.tenant(InsightLoad.TENANT)));
    times.measure("schedules", () -> insight.schedules(ScheduleQuery.all()));
    times.measure("storage", insight::storage);
  }

  /** The sample that all callers share for a second, made anew each time. */
  private void renewals() {
    AtomicLong skipped = new AtomicLong();
    LongSupplier clock = () -> System.nanoTime() + skipped.addAndGet(A_WHILE_NANOS);
    try (Rota rota = RotaBuilder.nanoTime(database.rotaBuilder(), clock).build()) {
      times.measure("a new sample of all tenants", () -> rota.insight().tenants(TenantQuery.all()));
    }
  }

  private void history(History history) throws SQLException {
    times.measure("newest 50 attempts", () -> history.recent(PAGE, BUDGET));
    RecentAttempts first = history.recent(PAGE, BUDGET);
    String cursor = first.nextCursor().orElseThrow();
    times.measure("the next 50", () -> history.recent(PAGE.after(cursor), BUDGET));
    HistoryFilter dead = PAGE.states(TaskState.DEAD);
    times.measure("newest 50 dead", () -> history.recent(dead, BUDGET));
    HistoryFilter none = PAGE.kind("none");
    times.measure("a look for what there is not", () -> history.recent(none, BUDGET));
    index();
    times.measure("newest 50 dead, sealed", () -> history.recent(dead, BUDGET));
    times.measure("a task by its id, sealed", () -> history.scanAttempts(1_000));
  }

  /** As the daemon does once a segment is sealed. */
  private void index() throws SQLException {
    try (Connection connection = DriverManager.getConnection(database.jdbcUrl());
        Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(INDEX);
    }
  }
}
