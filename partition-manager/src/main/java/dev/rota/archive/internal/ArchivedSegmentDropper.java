package dev.rota.archive.internal;

import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.retention.SegmentChecksum;
import dev.rota.daemon.internal.retention.SegmentDropper;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jooq.Name;
import org.slf4j.Logger;

/**
 * Drops archived segments whose time is over, one in each step: it reads the object once more, and
 * sums the rows under the lock. If they changed since, the segment is archived again. Used by one
 * thread.
 */
final class ArchivedSegmentDropper extends ArchiveTask<ArchiveManifest.Entry> {

  private static final Logger log = Logs.of(ArchivedSegmentDropper.class);

  private final LeaderSession leader;
  private final TenantRegistry registry;
  private final OwnedStore store;
  private final ArchiverParts parts;
  private final DaemonCounters counters;
  private final SegmentDropper drop;
  private final SegmentFailures troubles;

  ArchivedSegmentDropper(
      LeaderSession leader,
      TenantRegistry registry,
      OwnedStore store,
      ArchiverParts parts,
      DaemonCounters counters) {
    super(
        leader,
        parts.pace(),
        Backoff.part(
            parts.settings().retention().history(),
            20,
            Duration.ofMillis(250),
            Duration.ofMinutes(1)));
    this.leader = leader;
    this.registry = registry;
    this.store = store;
    this.parts = parts;
    this.counters = counters;
    this.drop = new SegmentDropper(registry.tables());
    this.troubles =
        new SegmentFailures(
            leader, registry, parts.manifest(), parts.counters(), "drop the archived");
  }

  @Override
  public String name() {
    return "drop archived segments of history";
  }

  @Override
  List<ArchiveManifest.Entry> look(Session session) throws SQLException {
    return parts
        .manifest()
        .droppable(session, parts.settings().retention().history(), troubles.avoided());
  }

  @Override
  void act(ArchiveManifest.Entry entry) {
    troubles.attempt(entry.segment(), entry.key(), () -> retire(entry));
  }

  private void retire(ArchiveManifest.Entry entry) throws IOException, SQLException {
    store.take();
    store.check(entry);
    TenantRef tenant = registry.get(entry.segment().tenant());
    AtomicBoolean changed = new AtomicBoolean();
    boolean dropped =
        leader.lengthyTransaction(
            "drop an archived segment of " + tenant.label(),
            session -> drop(session, tenant.tables(), entry, changed));
    if (dropped) {
      counters.segmentsDropped.incrementAndGet();
    } else if (changed.get()) {
      archiveAgain(entry, tenant);
    }
  }

  /**
   * Drops a segment. A session that would change a row between sums and drop waits for the lock,
   * and then finds no table.
   */
  private boolean drop(
      Session session, TenantTables tenant, ArchiveManifest.Entry entry, AtomicBoolean changed)
      throws SQLException {
    Name segment = tenant.segment(entry.segment().seq());
    drop.lock(session, segment);
    SegmentChecksum.Sums found = new SegmentChecksum(segment).finish(session);
    return drop.run(
        session, tenant, entry.segment().seq(), last -> look(last, entry, found, changed));
  }

  private OptionalLong look(
      Session session,
      ArchiveManifest.Entry entry,
      SegmentChecksum.Sums found,
      AtomicBoolean changed)
      throws SQLException {
    if (!parts.manifest().mayBeDropped(session, entry)) {
      return OptionalLong.empty();
    }
    if (!found.equals(entry.sums())) {
      changed.set(true);
      return OptionalLong.empty();
    }
    int unused = parts.manifest().recovered(session, entry.segment());
    return OptionalLong.of(found.rows());
  }

  private void archiveAgain(ArchiveManifest.Entry entry, TenantRef tenant) throws SQLException {
    log.info(
        "rows of segment {} of {} have changed since it was archived; it is archived again",
        entry.segment().seq(),
        tenant.label());
    leader.transaction(
        "archive a segment again", session -> parts.manifest().reopen(session, entry.segment()));
  }
}
