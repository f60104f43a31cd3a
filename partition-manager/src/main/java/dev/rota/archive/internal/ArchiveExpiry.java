package dev.rota.archive.internal;

import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.retention.SegmentId;
import dev.rota.internal.db.Session;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.tenant.TenantRegistry;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Deletes objects whose time is over, or that are no longer needed: it marks them, deletes them,
 * and removes their rows, in this order. Used by one thread.
 */
final class ArchiveExpiry extends ArchiveTask<Map.Entry<SegmentId, String>> {

  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private final LeaderSession leader;
  private final OwnedStore store;
  private final ArchiverParts parts;
  private final SegmentFailures troubles;
  private long tidiedAt = System.nanoTime();

  ArchiveExpiry(
      LeaderSession leader, TenantRegistry registry, OwnedStore store, ArchiverParts parts) {
    super(
        leader,
        parts.pace(),
        Backoff.part(
            parts.settings().retention().archive(),
            20,
            Duration.ofMillis(250),
            Duration.ofSeconds(10)));
    this.leader = leader;
    this.store = store;
    this.parts = parts;
    this.troubles =
        new SegmentFailures(
            leader, registry, parts.manifest(), parts.counters(), "delete the archived");
  }

  @Override
  public String name() {
    return "delete what is archived long enough";
  }

  @Override
  List<Map.Entry<SegmentId, String>> look(Session session) throws SQLException {
    if (System.nanoTime() - tidiedAt > HOUR) {
      tidiedAt = System.nanoTime();
      store.letGo();
    }
    int unused = parts.manifest().expire(session, parts.settings().retention().archive());
    return parts.manifest().expired(session, troubles.avoided());
  }

  @Override
  void act(Map.Entry<SegmentId, String> object) {
    troubles.attempt(object.getKey(), object.getValue(), () -> delete(object));
  }

  /** Deletes an object, unless a legal hold came after it was listed. */
  private void delete(Map.Entry<SegmentId, String> object) throws IOException, SQLException {
    SegmentId segment = object.getKey();
    store.take();
    if (!leader.transaction(name(), session -> parts.manifest().mayBeDeleted(session, segment))) {
      return;
    }
    store.store().delete(object.getValue());
    int unused = leader.transaction(name(), session -> parts.manifest().forget(session, segment));
    parts.counters().deleted.incrementAndGet();
  }
}
