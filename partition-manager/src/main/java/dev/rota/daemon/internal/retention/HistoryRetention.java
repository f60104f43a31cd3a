package dev.rota.daemon.internal.retention;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Drops expired segments of history that are not archived, one after the other, and only when every
 * batch in them is closed. It counts large ones in steps before, so that other tasks have their
 * turns. The number is for information only, and a row that a redrive moves meanwhile may be
 * counted twice. Used by one thread.
 */
public final class HistoryRetention implements MaintenanceTask {

  private static final Sql FIND_RETIRABLE_SEGMENTS = Sql.named("find_retirable_segments");

  private static final String COUNTING = "count a segment of ";

  private final LeaderSession leader;
  private final RegistryTables rota;
  private final TenantCatalog catalog;
  private final ClockGuard clock;
  private final Duration keep;
  private final double workShare;
  private final DaemonCounters counters;
  private final boolean archives;
  private final SegmentDropper drop;
  private final FailureTracker<Integer> failures = new FailureTracker<>("drop a segment of");
  private final Deque<Segment> due = new ArrayDeque<>();
  private @Nullable SegmentChecksum count;

  private record Segment(int tenant, int seq) {}

  /** What it shares with other tasks of the leader. */
  public record Parts(TenantCatalog catalog, ClockGuard clock) {}

  public HistoryRetention(
      LeaderSession leader,
      RegistryTables rota,
      Parts parts,
      DaemonConfig settings,
      DaemonCounters counters) {
    this.leader = leader;
    this.rota = rota;
    this.catalog = parts.catalog;
    this.clock = parts.clock;
    this.keep = settings.retention().history();
    this.workShare = settings.pace().workShare();
    this.counters = counters;
    this.archives = settings.archive().isPresent();
    this.drop = new SegmentDropper(rota);
  }

  @Override
  public String name() {
    return "drop old segments of history";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    if (due.isEmpty()) {
      due.addAll(look());
      return due.isEmpty() ? Backoff.betweenLooks(interval(), startedAt) : Duration.ZERO;
    }
    Segment next = due.getFirst();
    TenantCatalog.Entry entry = catalog.find(next.tenant());
    if (entry == null || !advance(entry.tenant(), next.seq())) {
      due.removeFirst();
      count = null;
    }
    return Backoff.afterWork(startedAt, workShare);
  }

  /**
   * Runs one step: counts, or drops once little is left to count. Returns whether another step
   * follows.
   */
  private boolean advance(TenantRef tenant, int seq) {
    SegmentChecksum present =
        count == null ? new SegmentChecksum(tenant.tables().segment(seq)) : count;
    count = present;
    AtomicBoolean counting = new AtomicBoolean();
    failures.attempt(
        tenant.number(),
        tenant.label(),
        () -> {
          counting.set(leader.lengthyTransaction(COUNTING + tenant.label(), present::advance));
          if (!counting.get()) {
            retire(tenant, seq, present);
          }
        });
    return counting.get();
  }

  private Duration interval() {
    return Backoff.part(keep, 20, Duration.ofMillis(250), Duration.ofMinutes(1));
  }

  private List<Segment> look() throws SQLException {
    int[] avoided = failures.avoided().stream().mapToInt(Integer::intValue).toArray();
    return leader.transaction(
        name(),
        session ->
            session.run(
                BoundStatement.query(
                    FIND_RETIRABLE_SEGMENTS.call(),
                    FIND_RETIRABLE_SEGMENTS.on(
                        Map.of(
                            "segments", rota.segments(),
                            "tenants", rota.tenants(),
                            "ledger", rota.ledgerView())),
                    row -> new Segment(row.getInt(1), row.getInt(2)),
                    keep.toMillis(),
                    clock.trustedFor(session).toMillis(),
                    avoided,
                    archives)));
  }

  private void retire(TenantRef tenant, int seq, SegmentChecksum counted) throws SQLException {
    boolean dropped =
        leader.lengthyTransaction(
            "drop a segment of " + tenant.label(),
            session ->
                drop.run(
                    session,
                    tenant.tables(),
                    seq,
                    look -> OptionalLong.of(counted.finish(look).rows())));
    if (dropped) {
      counters.segmentsDropped.incrementAndGet();
    }
  }
}
