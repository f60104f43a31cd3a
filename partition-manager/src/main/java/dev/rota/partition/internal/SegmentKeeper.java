package dev.rota.partition.internal;

import dev.rota.internal.TenantHandle;
import dev.rota.internal.TenantRegistry;
import dev.rota.internal.db.RoleSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.TenantDdl;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Seals segments of history that are worth it and opens the next ones, one a step. Used by one
 * thread.
 */
final class SegmentKeeper implements Duty, Consumer<List<Standing>> {

  /** A segment of this size is sealed without waiting for the period to end. */
  private static final long LARGE = 1L << 30;

  private final Mandate mandate;
  private final TenantRegistry registry;
  private final DaemonSettings settings;
  private final Tally tally;
  private final TenantDdl ddl;
  private final SegmentRegister register;
  private final Troubles<RingId> troubles = new Troubles<>("open a segment for");
  private final DueList due = new DueList(troubles::has, troubles::mayTry);

  SegmentKeeper(Mandate mandate, TenantRegistry registry, DaemonSettings settings, Tally tally) {
    this.mandate = mandate;
    this.registry = registry;
    this.settings = settings;
    this.tally = tally;
    this.ddl = new TenantDdl(registry.tables());
    this.register = new SegmentRegister(registry.tables());
  }

  @Override
  public String name() {
    return "open segments of history";
  }

  /** Takes a new survey. */
  @Override
  public void accept(List<Standing> standings) {
    Set<RingId> tenants =
        due.renew(
            standings.stream()
                .filter(standing -> standing.isOfLane0() && isDue(standing.segment()))
                .toList());
    troubles.retain(tenants);
  }

  @Override
  public long perform() throws SQLException {
    Optional<Standing> next = due.take();
    if (next.isEmpty()) {
      return settings.tick().toNanos();
    }
    long startedAt = System.nanoTime();
    TenantHandle tenant = next.get().entry().tenant();
    troubles.attempt(next.get().id(), tenant.label(), () -> open(tenant));
    return Pauses.afterWork(startedAt, settings.workShare());
  }

  private boolean isDue(Standing.Segment segment) {
    if (segment.bytes() == 0) {
      return false;
    }
    return segment.overdue()
        || segment.bytes() >= LARGE
        || (segment.periodOver() && segment.worthIt());
  }

  private void open(TenantHandle tenant) throws SQLException {
    int opened =
        mandate.transaction(
            "open a segment for " + tenant.label(), session -> open(session, tenant));
    registry.learn(tenant.state().writingTo(opened));
    tally.segmentsOpened.incrementAndGet();
  }

  private int open(Session session, TenantHandle tenant) throws SQLException {
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
