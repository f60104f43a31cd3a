package dev.rota.daemon.internal.retention;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.rotation.RingSurvey.DueQueue;
import dev.rota.daemon.internal.rotation.RingSurvey.RingId;
import dev.rota.daemon.internal.rotation.RingSurvey.RingStatus;
import dev.rota.internal.db.Session;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Seals segments of history that are old or large enough, and opens the next ones, one in each
 * step. Used by one thread.
 */
public final class SegmentRoller implements MaintenanceTask {

  private final LeaderSession leader;
  private final RegistryTables tables;
  private final DaemonConfig.Pace pace;
  private final DaemonCounters counters;
  private final TenantDdl ddl;
  private final SegmentRegistry segments;
  private final FailureTracker<RingId> failures = new FailureTracker<>("open a segment for");
  private final DueQueue due =
      new DueQueue(RingStatus::hasDueSegment, failures::has, failures::mayTry, failures::retain);

  public SegmentRoller(
      LeaderSession leader, RegistryTables tables, DaemonConfig settings, DaemonCounters counters) {
    this.leader = leader;
    this.tables = tables;
    this.pace = settings.pace();
    this.counters = counters;
    this.ddl = new TenantDdl(tables);
    this.segments = new SegmentRegistry(tables);
  }

  @Override
  public String name() {
    return "open segments of history";
  }

  /** The tenants whose segments are due. */
  public DueQueue due() {
    return due;
  }

  @Override
  public Duration run() throws SQLException {
    Optional<RingStatus> next = due.take();
    if (next.isEmpty()) {
      return pace.tick();
    }
    long startedAt = System.nanoTime();
    TenantRef tenant = next.get().entry().tenant();
    failures.attempt(next.get().id(), tenant.label(), () -> open(tenant));
    return Backoff.afterWork(startedAt, pace.workShare());
  }

  private void open(TenantRef tenant) throws SQLException {
    int opened =
        leader.transaction(
            "open a segment for " + tenant.label(), session -> open(session, tenant));
    tenant.learn(tenant.state().writingTo(opened));
    counters.segmentsOpened.incrementAndGet();
  }

  private int open(Session session, TenantRef tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(tables));
    int sealed = segments.lockCurrent(session, tenant.number());
    int opened = sealed + 1;
    session.execute("create segment", List.of(ddl.createSegment(tenant.tables(), opened)));
    segments.succeed(session, tenant.number(), sealed, opened);
    List<Integer> kept = segments.kept(session, tenant.number());
    session.execute("renew history view", List.of(ddl.historyView(tenant.tables(), kept)));
    return opened;
  }
}
