package dev.rota.erasure;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.UnknownTenantException;
import dev.rota.archive.Archive;
import dev.rota.erasure.internal.EraserBuilder;
import dev.rota.history.ArchiveException;
import java.time.Duration;

/**
 * Erases tenants: their schemas, their rows in the registry, the ledger, the statistics and the
 * usage, and their files in the archive. Thread-safe.
 *
 * <p>One transaction decides, in which the tenant leaves the registry. Before it nothing is
 * removed, and after it nothing can be undone. When the rest is interrupted, a repeated call
 * completes it, and returns the receipt of the whole. Each table is dropped in a separate
 * transaction, so that few locks are held at a time and other tenants continue. Workers that hold
 * batches of the tenant lose them: their outcomes are dropped and counted, as with any lost lease.
 */
public interface TenantEraser {

  /**
   * Creates a builder of an eraser for one database.
   *
   * @param rota logs in as a role that owns the tables of tenants, or may act as it
   * @return a builder
   */
  static Builder builder(Rota rota) {
    return new EraserBuilder(rota);
  }

  /** Configures and builds an eraser. Not thread-safe. */
  interface Builder {

    /**
     * Sets the archive of the tenants' files. Needed for tenants with archived segments.
     *
     * @param archive the archive of this database; stays open
     * @return this builder
     */
    Builder archive(Archive archive);

    /**
     * Sets whether an open tenant is closed first; otherwise it is refused, which is the default.
     *
     * @param close true to close it
     * @return this builder
     */
    Builder closing(boolean close);

    /**
     * Sets for how long to try for the lock of one table that other sessions use; 60 seconds by
     * default.
     *
     * @param patience zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder patience(Duration patience);

    /**
     * Builds the eraser.
     *
     * @return the eraser
     */
    TenantEraser build();
  }

  /**
   * Erases a tenant, or completes an interrupted erasure. May be repeated: for an erased tenant it
   * returns the receipt again, as long as no other tenant has its name.
   *
   * @param tenant the name
   * @return the receipt
   * @throws UnknownTenantException if no tenant has the name, and no erased tenant had it
   * @throws ErasureRefusedException if the tenant is under legal hold; or if it is open, unless the
   *     eraser closes it. Also if it has files in the archive and no archive is given, or that of
   *     another database. Also if its archive is attached for readers with SQL. Nothing is removed
   *     then
   * @throws ArchiveException if the archive failed; erase again when it is repaired
   * @throws DatabaseException if the database refused a statement or was unavailable, or another
   *     session held a lock for too long; erase again
   */
  ErasureReceipt erase(String tenant);
}
