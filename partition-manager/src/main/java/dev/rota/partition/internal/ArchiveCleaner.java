package dev.rota.partition.internal;

import dev.rota.internal.TenantRegistry;
import dev.rota.internal.db.Session;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Deletes objects that are kept long enough, or that nothing needs any more: first they are marked,
 * then deleted, then forgotten. Used by one thread.
 */
final class ArchiveCleaner extends ArchiveWork<Map.Entry<SegmentId, String>> {

  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private final Mandate mandate;
  private final Vault vault;
  private final ArchiverParts parts;
  private final SegmentTroubles troubles;
  private long tidiedAt = System.nanoTime();

  ArchiveCleaner(Mandate mandate, TenantRegistry registry, Vault vault, ArchiverParts parts) {
    super(
        mandate,
        parts.pace(),
        Pauses.part(
            parts.settings().keepArchive(), 20, Duration.ofMillis(250), Duration.ofSeconds(10)));
    this.mandate = mandate;
    this.vault = vault;
    this.parts = parts;
    this.troubles =
        new SegmentTroubles(
            mandate, registry, parts.manifest(), parts.tally(), "delete the archived");
  }

  @Override
  public String name() {
    return "delete what is archived long enough";
  }

  @Override
  List<Map.Entry<SegmentId, String>> look(Session session) throws SQLException {
    if (System.nanoTime() - tidiedAt > HOUR) {
      tidiedAt = System.nanoTime();
      vault.letGo();
    }
    int unused = parts.manifest().expire(session, parts.settings().keepArchive());
    return parts.manifest().expired(session, troubles.avoided());
  }

  @Override
  void act(Map.Entry<SegmentId, String> object) {
    troubles.attempt(object.getKey(), object.getValue(), () -> delete(object));
  }

  private void delete(Map.Entry<SegmentId, String> object) throws IOException, SQLException {
    vault.take();
    vault.store().delete(object.getValue());
    int unused =
        mandate.transaction(name(), session -> parts.manifest().forget(session, object.getKey()));
    parts.tally().deleted.incrementAndGet();
  }
}
