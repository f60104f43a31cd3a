package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.daemon.internal.rotation.RingSurvey.RingId;
import dev.rota.daemon.internal.rotation.RingSurvey.TableSizes;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Finds rings with row versions so old that PostgreSQL would soon have to freeze them. Autovacuum
 * is off for rings, but PostgreSQL starts one against wraparound, at twice this age by default.
 * Used by one thread.
 */
public final class XidAgeMonitor implements MaintenanceTask {

  private static final Sql AGED_TABLES = Sql.named("aged_tables");

  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final long OLD = 100_000_000;

  private final LeaderSession leader;
  private final TenantCatalog catalog;
  private final TableSizes sizes;
  private final Set<RingId> aged;

  /**
   * Creates the monitor.
   *
   * @param aged the rings that have to be rotated because of their age. Empty tables do not count:
   *     they have no row versions
   */
  public XidAgeMonitor(LeaderSession leader, TenantCatalog catalog, Set<RingId> aged) {
    this.leader = leader;
    this.catalog = catalog;
    this.aged = aged;
    this.sizes = new TableSizes(leader);
  }

  @Override
  public String name() {
    return "look for old row versions";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    aged.clear();
    aged.addAll(look());
    return Backoff.betweenLooks(INTERVAL, startedAt);
  }

  private Set<RingId> look() throws SQLException {
    long[] slots =
        catalog.all().stream()
            .flatMapToLong(entry -> entry.slots().stream().mapToLong(Long::longValue))
            .toArray();
    List<Long> tables =
        leader.transaction(
            name(),
            session ->
                session.run(BoundStatement.query(AGED_TABLES, row -> row.getLong(1), slots, OLD)));
    if (tables.isEmpty()) {
      return Set.of();
    }
    return ringsOf(sizes.read(tables.stream().flatMapToLong(LongStream::of).toArray()));
  }

  private Set<RingId> ringsOf(Map<Long, Long> bytes) {
    Set<RingId> filled = new HashSet<>();
    for (TenantCatalog.Entry entry : catalog.all()) {
      for (int slot = 0; slot < entry.slots().size(); slot++) {
        if (bytes.getOrDefault(entry.slots().get(slot), 0L) > 0) {
          filled.add(new RingId(entry.number(), PriorityLanes.of(slot)));
        }
      }
    }
    return filled;
  }
}
