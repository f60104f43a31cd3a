package dev.rota.daemon.internal.retention;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.rotation.DueQueue;
import dev.rota.daemon.internal.rotation.RingId;
import dev.rota.daemon.internal.rotation.RingStatus;
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

  private final LeaderSession mandate;
  private final TenantRegistry registry;
  private final DaemonConfig settings;
  private final DaemonCounters tally;
  private final TenantDdl ddl;
  private final SegmentRegistry register;
  private final FailureTracker<RingId> troubles = new FailureTracker<>("open a segment for");
  private final DueQueue due = new DueQueue(troubles::has, troubles::mayTry);

  public SegmentRoller(
      LeaderSession mandate, TenantRegistry registry, DaemonConfig settings, DaemonCounters tally) {
    this.mandate = mandate;
    this.registry = registry;
    this.settings = settings;
    this.tally = tally;
    this.ddl = new TenantDdl(registry.tables());
    this.register = new SegmentRegistry(registry.tables());
  }

  @Override
  public String name() {
    return "open segments of history";
  }

  /** Accepts a new survey. */
  @Override
  public void accept(List<RingStatus> standings) {
    Set<RingId> tenants =
        due.renew(
            standings.stream()
                .filter(standing -> standing.isOfLane0() && isDue(standing.segment()))
                .toList());
    troubles.retain(tenants);
  }

  @Override
  public Duration run() throws SQLException {
    Optional<RingStatus> next = due.take();
    if (next.isEmpty()) {
      return settings.pace().tick();
    }
    long startedAt = System.nanoTime();
    TenantRef tenant = next.get().entry().tenant();
    troubles.attempt(next.get().id(), tenant.label(), () -> open(tenant));
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
        mandate.transaction(
            "open a segment for " + tenant.label(), session -> open(session, tenant));
    registry.learn(tenant.state().writingTo(opened));
    tally.segmentsOpened.incrementAndGet();
  }

  private int open(Session session, TenantRef tenant) throws SQLException {
    session.run(RoleSql.actAsKeeper(registry.tables()));
    int sealed = register.lockCurrent(session, tenant.number());
    int opened = sealed + 1;
    session.execute("create segment", List.of(ddl.createSegment(tenant.tables(), opened)));
    register.succeed(session, tenant.number(), sealed, opened);
    List<Integer> kept = register.kept(session, tenant.number());
    session.execute("renew history view", List.of(ddl.historyView(tenant.tables(), kept)));
    return opened;
  }
}
