package dev.rota.partition.internal;

import dev.rota.archive.ObjectStore;
import dev.rota.internal.db.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes objects that came after their tenant was erased: an archiver may have been suspended
 * before it put one, for so long that its connection and its lock were lost meanwhile. Used by one
 * thread.
 */
final class ErasedSweeper extends ArchiveWork<Integer> {

  private static final Logger log = LoggerFactory.getLogger(ErasedSweeper.class);

  private final Vault vault;
  private final ArchiverParts parts;
  private final Troubles<Integer> troubles = new Troubles<>("look for late objects of");

  ErasedSweeper(Mandate mandate, Vault vault, ArchiverParts parts) {
    super(mandate, parts.pace(), Duration.ofMinutes(5));
    this.vault = vault;
    this.parts = parts;
  }

  @Override
  public String name() {
    return "delete late objects of erased tenants";
  }

  @Override
  List<Integer> look(Session session) throws SQLException {
    return parts.manifest().erased(session);
  }

  @Override
  void act(Integer tenant) {
    troubles.attempt(tenant, "erased tenant " + tenant, () -> sweep(tenant));
  }

  private void sweep(int tenant) throws SQLException {
    try {
      vault.take();
      for (ObjectStore.StoredObject late : vault.store().list("tenant=" + tenant + "/")) {
        vault.store().delete(late.key());
        parts.tally().deleted.incrementAndGet();
        log.info("object {} came after its tenant was erased, and is deleted", late.key());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
