package dev.rota.transfer;

import dev.rota.DatabaseException;
import dev.rota.InvalidNameException;
import dev.rota.Rota;
import dev.rota.TenantExistsException;
import dev.rota.UnknownTenantException;
import dev.rota.archive.Archive;
import dev.rota.history.ArchiveException;
import dev.rota.transfer.internal.DefaultTenantTransfer;
import java.nio.file.Path;

/**
 * Exports a tenant from a database into a folder, and imports it into another one; and restores the
 * history of a tenant from its archive. See docs/history.md. Thread-safe.
 *
 * <p>Each call may take long, since it reads or writes all data of a tenant; memory stays bounded.
 * Repeat an interrupted call with the same arguments.
 */
public interface TenantTransfer {

  /**
   * Creates a transfer for tenants without an archive.
   *
   * @param rota the database
   * @return the transfer
   * @throws IllegalStateException if the optional dependency {@code org.duckdb:duckdb_jdbc} is
   *     missing
   */
  static TenantTransfer over(Rota rota) {
    return DefaultTenantTransfer.of(rota, null);
  }

  /**
   * Creates a transfer for tenants with an archive.
   *
   * @param rota the database
   * @param archive the archive of its tenants' history; not closed by the transfer
   * @return the transfer
   * @throws IllegalStateException if the optional dependency {@code org.duckdb:duckdb_jdbc} is
   *     missing
   */
  static TenantTransfer over(Rota rota, Archive archive) {
    return DefaultTenantTransfer.of(rota, archive);
  }

  /**
   * Writes all data of a tenant into a folder, as of one moment. The tenant is not changed, and may
   * be active meanwhile. Tasks that run at that moment are pending in the export; their attempt is
   * counted, and is in its history as lost. The folder is an export once it holds {@code
   * manifest.json}, which is written last.
   *
   * @param tenant the name of the tenant
   * @param folder is created if it does not exist; must be empty, or hold the remains of an
   *     interrupted call
   * @return the exported files and rows
   * @throws UnknownTenantException if no tenant has that name
   * @throws TransferException if the folder holds other files, cannot be written, or the tenant has
   *     archived history and no archive was given
   * @throws ArchiveException if an archived file cannot be read
   * @throws DatabaseException if the database failed
   */
  TransferReport exportTenant(String tenant, Path folder);

  /**
   * Creates a tenant from an export, in this database. All files are checked against their digests
   * first. Until the call returns the tenant is closed and empty; then it has all data, and is
   * closed if it was when it was exported. Tasks keep their ids.
   *
   * @param folder an export
   * @param tenant its new name, which no tenant may have
   * @return the data of the tenant; also if an earlier call with the same arguments has imported it
   * @throws TenantExistsException if another tenant has the name
   * @throws InvalidNameException if it is not a valid name
   * @throws TransferException if the folder is not an export, was changed, or has archived history
   *     and no archive was given
   * @throws ArchiveException if the archive cannot be written, or belongs to another database
   * @throws DatabaseException if the database failed; repeat the call
   */
  TransferReport importTenant(Path folder, String tenant);

  /**
   * Creates a tenant from an export, under its former name; see {@link #importTenant(Path,
   * String)}.
   *
   * @param folder an export
   * @return the data of the tenant
   */
  TransferReport importTenant(Path folder);

  /**
   * Restores the history of a tenant from the files of its archive alone. It adds all missing files
   * to the manifest, each after it was read and found complete. Made for a database that is new
   * because the old one is lost, or that has lost its manifest. An unknown tenant is registered
   * under the number in the keys of its files. It is closed and under legal hold, since its
   * policies are in no archive. Damaged or foreign files are left where they are and reported, and
   * the others are restored; so are files that were already in the manifest.
   *
   * @param tenant its name here
   * @param options further options
   * @return the restored files, and the others with the reasons
   * @throws TransferException if no archive was given, the archive has no files of the tenant, or
   *     the tenant was erased. Also if its number belongs to another tenant here, or the archive to
   *     another database and must not be taken over. Nothing was changed then
   * @throws TenantExistsException if another tenant had the name a moment ago
   * @throws InvalidNameException if it is not a valid name
   * @throws ArchiveException if the archive cannot be read, or another database took it at the same
   *     moment
   * @throws DatabaseException if the database failed; repeat the call
   */
  RestoreReport restoreTenant(String tenant, RestoreOptions options);

  /**
   * Restores the history of all tenants that have files in the archive, each as {@link
   * #restoreTenant} does, under the name in its newest readable file. Made for a database that is
   * new because the old one is lost. A failure at one tenant does not stop the others. Tenants
   * without a readable file, with a name that several have, or that {@link #restoreTenant} would
   * refuse, are reported.
   *
   * @param options further options, without a number
   * @return the restored files, and the others with the reasons
   * @throws IllegalArgumentException if the options have a number, which selects one tenant
   * @throws TransferException if no archive was given, or the archive has no files, or it belongs
   *     to another database and must not be taken over. Also if tenants of this database have
   *     numbers of others
   * @throws ArchiveException if the archive cannot be read
   * @throws DatabaseException if the database failed; repeat the call
   */
  RestoreAllReport restoreAll(RestoreOptions options);
}
