package dev.rota.archive.internal;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.history.ArchiveException;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.text.ErrorText;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Deletes objects that came after their tenant was erased. An archiver may have been suspended
 * before it put one, for so long that its connection and its lock were lost meanwhile. The sweeper
 * looks when archiving begins, and then for a week with growing pauses, which makes some thirty
 * requests to the store for each tenant. Used by one thread.
 */
final class ErasedObjectSweeper extends ArchiveTask<ArchiveManifest.Erased> {

  private static final Logger log = Logs.of(ErasedObjectSweeper.class);

  private static final Duration SHORTEST_PAUSE = Duration.ofMinutes(5);

  /** The pause as a part of the time since the tenant was erased. */
  private static final int PART_OF_AGE = 4;

  private final LeaderSession leader;
  private final OwnedStore store;
  private final ArchiverParts parts;
  private final FailureTracker<Integer> failures = new FailureTracker<>("look for late objects of");
  private final Map<Integer, Duration> lookedAt = new HashMap<>();

  ErasedObjectSweeper(LeaderSession leader, OwnedStore store, ArchiverParts parts) {
    super(leader, parts.pace(), Duration.ofSeconds(1));
    this.leader = leader;
    this.store = store;
    this.parts = parts;
  }

  @Override
  public String name() {
    return "delete late objects of erased tenants";
  }

  @Override
  List<ArchiveManifest.Erased> look(Session session) throws SQLException {
    List<ArchiveManifest.Erased> erased = parts.manifest().erased(session);
    lookedAt
        .keySet()
        .retainAll(erased.stream().map(ArchiveManifest.Erased::tenant).collect(Collectors.toSet()));
    failures.retain(lookedAt.keySet());
    return erased.stream().filter(this::isDue).toList();
  }

  private boolean isDue(ArchiveManifest.Erased erased) {
    if (failures.has(erased.tenant())) {
      return failures.mayTry(erased.tenant());
    }
    Duration looked = lookedAt.get(erased.tenant());
    if (looked == null) {
      return true;
    }
    Duration wanted = looked.dividedBy(PART_OF_AGE);
    Duration pause = wanted.compareTo(SHORTEST_PAUSE) > 0 ? wanted : SHORTEST_PAUSE;
    // A smaller age than before means that the database's clock was set back.
    Duration passed = erased.since().minus(looked);
    return passed.isNegative() || passed.compareTo(pause) >= 0;
  }

  @Override
  void act(ArchiveManifest.Erased erased) {
    lookedAt.put(erased.tenant(), erased.since());
    failures.attempt(
        erased.tenant(), "erased tenant " + erased.tenant(), () -> attempt(erased.tenant()));
  }

  private void attempt(int tenant) throws SQLException {
    try {
      sweep(tenant);
      note(tenant, null);
    } catch (IOException | ArchiveException e) {
      parts.counters().failures.incrementAndGet();
      String reason = String.valueOf(e.getMessage());
      note(tenant, ErrorText.cut(reason));
      throw new ArchiveException(reason, e);
    }
  }

  private void sweep(int tenant) throws IOException, SQLException {
    store.take();
    for (ObjectStore.StoredObject late : store.store().list(SegmentKey.prefix(tenant))) {
      store.store().delete(late.key());
      parts.counters().deleted.incrementAndGet();
      log.info("object {} came after its tenant was erased, and is deleted", late.key());
    }
  }

  private void note(int tenant, @Nullable String reason) throws SQLException {
    int unused =
        leader.transaction(
            "note trouble after an erasure",
            session -> parts.manifest().troubleAfterErasure(session, tenant, reason));
  }
}
