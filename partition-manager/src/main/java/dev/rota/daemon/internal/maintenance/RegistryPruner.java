package dev.rota.daemon.internal.maintenance;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jooq.Name;

/**
 * Removes rows of segments that were dropped long ago, expired statistics, and cancel requests of
 * tasks that have ended. It keeps the first two for tenants under legal hold. Used by one thread.
 */
public final class RegistryPruner implements MaintenanceTask {

  private static final Sql FORGET_STATISTICS = Sql.named("forget_statistics");

  private static final Sql FORGET_SEGMENTS = Sql.named("forget_segments");

  private static final Sql LOOK_FOR_ANY_CANCEL_REQUEST = Sql.named("look_for_any_cancel_request");
  private static final Sql CLEAN_CANCEL_REQUESTS = Sql.named("clean_cancel_requests");

  private static final Sql FORGET_KIND_STATISTICS = Sql.named("forget_kind_statistics");
  private static final Sql FORGET_ERRORS = Sql.named("forget_errors");
  private static final Sql FORGET_ERRORS_OF_TENANTS = Sql.named("forget_errors_of_tenants");

  private static final long INTERVAL = TimeUnit.HOURS.toNanos(1);

  /** How long the rows of dropped segments are kept: as {@link #FORGET_SEGMENTS} says. */
  private static final Duration KEEP_SEGMENTS = Duration.ofDays(30);

  /** The rows that one step deletes. */
  private static final int ROWS_TOGETHER = 10_000;

  private final LeaderSession leader;
  private final RegistryTables tables;
  private final Duration keepStatistics;
  private final double workShare;
  private final ClockGuard clock;
  private long cleanedAt = System.nanoTime() - INTERVAL;

  public RegistryPruner(
      LeaderSession leader, RegistryTables tables, DaemonConfig settings, ClockGuard clock) {
    this.leader = leader;
    this.tables = tables;
    this.keepStatistics = settings.retention().statistics();
    this.workShare = settings.pace().workShare();
    this.clock = clock;
  }

  @Override
  public String name() {
    return "clean the registry";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    leader.transaction("clean cancel requests", this::cleanRequests);
    if (startedAt - cleanedAt >= INTERVAL && leader.transaction(name(), this::trustsTheClock)) {
      for (BoundStatement<Integer> expired : expired()) {
        if (leader.transaction(name(), session -> session.run(expired)) == ROWS_TOGETHER) {
          return Backoff.afterWork(startedAt, workShare);
        }
      }
      leader.transaction(name(), session -> session.run(oldSegments()));
      cleanedAt = System.nanoTime();
    }
    return Duration.ofNanos(Backoff.jittered(INTERVAL / 60));
  }

  private boolean trustsTheClock(Session session) throws SQLException {
    boolean longer = keepStatistics.compareTo(KEEP_SEGMENTS) > 0;
    return clock.trusts(session, longer ? keepStatistics : KEEP_SEGMENTS);
  }

  /**
   * Removes requests. Most were removed when their batches ended; those of tasks that succeeded are
   * left.
   */
  private int cleanRequests(Session session) throws SQLException {
    String any = LOOK_FOR_ANY_CANCEL_REQUEST.on("requests", tables.cancelRequests());
    if (session
        .run(BoundStatement.query(LOOK_FOR_ANY_CANCEL_REQUEST.call(), any, row -> true))
        .isEmpty()) {
      return 0;
    }
    return session.run(
        BoundStatement.update(
            CLEAN_CANCEL_REQUESTS.call(),
            CLEAN_CANCEL_REQUESTS.on(
                "requests", tables.cancelRequests(), "ledger", tables.ledgerView())));
  }

  /** Deletions of expired counters, each of some rows. */
  private List<BoundStatement<Integer>> expired() {
    return List.of(
        forget(
            FORGET_STATISTICS,
            Map.of("statistics", tables.statistics(), "tenants", tables.tenants())),
        forget(FORGET_KIND_STATISTICS, Map.of("kind_statistics", tables.kindStatistics())),
        forget(FORGET_ERRORS, Map.of("errors", tables.errors())),
        forget(
            FORGET_ERRORS_OF_TENANTS,
            Map.of("tenant_errors", tables.tenantErrors(), "tenants", tables.tenants())));
  }

  private BoundStatement<Integer> forget(Sql statement, Map<String, Name> places) {
    return BoundStatement.update(
        statement.call(), statement.on(places), keepStatistics.toMillis(), ROWS_TOGETHER);
  }

  private BoundStatement<Integer> oldSegments() {
    return BoundStatement.update(
        FORGET_SEGMENTS.call(),
        FORGET_SEGMENTS.on("segments", tables.segments(), "tenants", tables.tenants()));
  }
}
