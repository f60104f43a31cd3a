package dev.rota.transfer;

import dev.rota.DatabaseException;
import dev.rota.InvalidNameException;
import dev.rota.Rota;
import dev.rota.TenantExistsException;
import dev.rota.UnknownTenantException;
import dev.rota.archive.Archive;
import dev.rota.history.ArchiveException;
import dev.rota.transfer.internal.Transfers;
import java.nio.file.Path;

/**
 * Takes a tenant out of a database into a folder, and from there into another one; and brings the
 * history of a tenant back from its archive. See docs/history.md. Thread-safe.
 *
 * <p>Each call may take long, since it reads or writes all that a tenant has; memory stays bounded.
 * One that ended in the middle is repeated with the same arguments.
 */
public interface TenantTransfer {

  /**
   * For tenants without an archive.
   *
   * @param rota the database
   * @return the transfer
   * @throws IllegalStateException if the optional dependency {@code org.duckdb:duckdb_jdbc} is
   *     missing
   */
  static TenantTransfer over(Rota rota) {
    return Transfers.of(rota, null);
  }

  /**
   * For tenants with an archive.
   *
   * @param rota the database
   * @param archive where the archived history of its tenants is, or goes; not closed by this
   * @return the transfer
   * @throws IllegalStateException if the optional dependency {@code org.duckdb:duckdb_jdbc} is
   *     missing
   */
  static TenantTransfer over(Rota rota, Archive archive) {
    return Transfers.of(rota, archive);
  }

  /**
   * Writes all that a tenant has into a folder, as it is at one moment. The tenant stays as it is,
   * and may be at work meanwhile: tasks that run at that moment are pending in the export, their
   * attempt is counted, and is in its history as lost. The folder is an export once it holds {@code
   * manifest.json}, which is written last.
   *
   * @param tenant the name of the tenant
   * @param folder is made if it is not there; must be empty, or hold what an earlier call left that
   *     did not come to its end
   * @return what was written
   * @throws UnknownTenantException if there is none of that name
   * @throws TransferException if the folder holds something else, cannot be written, or the tenant
   *     has archived history and no archive was given
   * @throws ArchiveException if an archived file cannot be read
   * @throws DatabaseException if the database failed
   */
  TransferReport exportTenant(String tenant, Path folder);

  /**
   * Makes a tenant out of an export, in this database. All files are checked against their digests
   * before anything is done. Until the call returns the tenant is closed and has nothing; then it
   * has everything, and is closed if it was when it was exported. Tasks keep their ids.
   *
   * @param folder an export
   * @param tenant the name that it gets, which no tenant may have
   * @return what the tenant has now; also if an earlier call with the same arguments has done it
   * @throws TenantExistsException if another tenant has the name
   * @throws InvalidNameException if it is no name
   * @throws TransferException if the folder is no export, was changed, or has archived history and
   *     no archive was given
   * @throws ArchiveException if the archive cannot be written, or belongs to another database
   * @throws DatabaseException if the database failed; repeat the call
   */
  TransferReport importTenant(Path folder, String tenant);

  /**
   * Makes a tenant out of an export, under the name that it had; see {@link #importTenant(Path,
   * String)}.
   *
   * @param folder an export
   * @return what the tenant has now
   */
  TransferReport importTenant(Path folder);

  /**
   * Brings the history of a tenant back from the files of its archive alone: notes in the manifest
   * all that are not in it, each when it was read and found to be whole. Made for a database that
   * is new because the old one is lost, or that has lost its manifest. A tenant that is not
   * registered is registered under the number that stands in the keys of its files, closed and
   * under legal hold, since its policies are in no archive. Files that are not what they should be
   * are left where they are and told, and the others are restored; so are those that were noted
   * already.
   *
   * @param tenant its name here
   * @param options what else is to be known
   * @return what was restored, and what was not and why
   * @throws TransferException if no archive was given, the archive has no files of the tenant, the
   *     tenant was erased, its number belongs to somebody else here, or the archive to another
   *     database and is not to be taken over; nothing was changed then
   * @throws TenantExistsException if another tenant had the name a moment ago
   * @throws InvalidNameException if it is no name
   * @throws ArchiveException if the archive cannot be read, or another database took it at the same
   *     moment
   * @throws DatabaseException if the database failed; repeat the call
   */
  RestoreReport restoreTenant(String tenant, RestoreOptions options);

  /**
   * Brings the history of all tenants back that have files in the archive, each as {@link
   * #restoreTenant} does, under the name that stands in its newest file that can be read. Made for
   * a database that is new because the old one is lost. One that cannot be restored hinders no
   * other: tenants none of whose files can be read, of whose name there are several, or that {@link
   * #restoreTenant} would refuse, are told.
   *
   * @param options what else is to be known, without a number
   * @return what was restored, and what was not and why
   * @throws IllegalArgumentException if the options have a number, which is that of one tenant
   * @throws TransferException if no archive was given, the archive has no files, or it belongs to
   *     another database and is not to be taken over, or tenants of this one have numbers of others
   * @throws ArchiveException if the archive cannot be read
   * @throws DatabaseException if the database failed; repeat the call
   */
  RestoreAllReport restoreAll(RestoreOptions options);
}
