package dev.rota.erasure;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.UnknownTenantException;
import dev.rota.archive.Archive;
import dev.rota.erasure.internal.EraserBuilder;
import dev.rota.history.ArchiveException;
import java.time.Duration;

/**
 * Erases tenants: their schemas, what the registry, the ledger and the statistics say of them, and
 * their files in the archive. Thread-safe.
 *
 * <p>One transaction decides, in which the tenant leaves the registry; up to there nothing is
 * removed, and from there on nothing can be taken back. When the rest is interrupted, erasing again
 * does it, and gives the receipt of the whole. Table after table goes in a transaction of its own,
 * so that few locks are held at a time and other tenants run on. Workers that hold batches of the
 * tenant lose them: their outcomes are dropped and counted, as with any lost lease.
 */
public interface TenantEraser {

  /**
   * For one database.
   *
   * @param rota logs in as a role that owns the tables of tenants, or may act as it
   * @return a builder
   */
  static Builder builder(Rota rota) {
    return new EraserBuilder(rota);
  }

  /** How to build an eraser. Not thread-safe. */
  interface Builder {

    /**
     * Where the files of tenants are. Needed for tenants of which something is archived.
     *
     * @param archive that of this database; stays open
     * @return this builder
     */
    Builder archive(Archive archive);

    /**
     * Whether a tenant that is open is closed first; otherwise it is refused, which is the default.
     *
     * @param close true to close it
     * @return this builder
     */
    Builder closing(boolean close);

    /**
     * For how long to try for the lock of one table that others use; 60 seconds by default.
     *
     * @param patience zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder patience(Duration patience);

    /**
     * Makes the eraser.
     *
     * @return the eraser
     */
    TenantEraser build();
  }

  /**
   * Erases a tenant, or goes on with an erasure that was interrupted. May be repeated: of a tenant
   * that is erased it returns the receipt again, as long as no other tenant has its name.
   *
   * @param tenant the name
   * @return what was removed
   * @throws UnknownTenantException if no tenant has the name, and none that had it was erased
   * @throws ErasureRefusedException if the tenant is under legal hold; if it is open, unless it
   *     shall be closed; if it has files in the archive and no archive is given, or that of another
   *     database; or if its archive is attached for readers with SQL. Nothing is removed then
   * @throws ArchiveException if the archive failed; erase again when it is mended
   * @throws DatabaseException if the database refused or was away, or somebody held a lock for too
   *     long; erase again
   */
  ErasureReceipt erase(String tenant);
}
