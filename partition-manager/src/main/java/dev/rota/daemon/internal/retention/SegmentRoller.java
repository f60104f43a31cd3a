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
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Seals segments of history that are old or large enough, and opens the next ones, one in each
 * step. Used by one thread.
 */
public final class SegmentRoller implements MaintenanceTask, Consumer<List<RingStatus>> {

  /** A segment of this size is sealed without waiting for the period to end. */
  private static final long LARGE = 1L << 30;

  private final LeaderSession leader;
  private final TenantRegistry registry;
  private final DaemonConfig settings;
  private final DaemonCounters counters;
  private final TenantDdl ddl;
  private final SegmentRegistry segments;
  private final FailureTracker<RingId> failures = new FailureTracker<>("open a segment for");
  private final DueQueue due = new DueQueue(failures::has, failures::mayTry);

  public SegmentRoller(
      LeaderSession leader,
      TenantRegistry registry,
      DaemonConfig settings,
      DaemonCounters counters) {
    this.leader = leader;
    this.registry = registry;
    this.settings = settings;
    this.counters = counters;
    this.ddl = new TenantDdl(registry.tables());
    this.segments = new SegmentRegistry(registry.tables());
  }

  @Override
  public String name() {
    return "open segments of history";
  }

  /** Accepts a new survey. */
  @Override
  public void accept(List<RingStatus> statuses) {
    Set<RingId> tenants =
        due.renew(
            statuses.stream()
                .filter(standing -> standing.isOfLane0() && isDue(standing.segment()))
                .toList());
    failures.retain(tenants);
  }

  @Override
  public Duration run() throws SQLException {
    Optional<RingStatus> next = due.take();
    if (next.isEmpty()) {
      return settings.pace().tick();
    }
    long startedAt = System.nanoTime();
    TenantRef tenant = next.get().entry().tenant();
    failures.attempt(next.get().id(), tenant.label(), () -> open(tenant));
    return Backoff.afterWork(startedAt, settings.pace().workShare());
  }

  private boolean isDue(RingStatus.Segment segment) {
    if (segment.bytes() == 0) {
      return false;
    }
    return segment.overdue()
        || segment.bytes() >= LARGE
        || (segment.periodOver() && segment.worthIt());
  }

  private void open(TenantRef tenant) throws SQLException {
    int opened =
        leader.transaction(
            "open a segment for " + tenant.label(), session -> open(session, tenant));
    tenant.learn(tenant.state().writingTo(opened));
    counters.segmentsOpened.incrementAndGet();
  }

  private int open(Session session, TenantRef tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(registry.tables()));
    int sealed = segments.lockCurrent(session, tenant.number());
    int opened = sealed + 1;
    session.execute("create segment", List.of(ddl.createSegment(tenant.tables(), opened)));
    segments.succeed(session, tenant.number(), sealed, opened);
    List<Integer> kept = segments.kept(session, tenant.number());
    session.execute("renew history view", List.of(ddl.historyView(tenant.tables(), kept)));
    return opened;
  }
}
