package dev.rota.archive;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.internal.DefaultForeignHistory;
import dev.rota.history.ArchiveException;
import java.nio.file.Path;

/**
 * Makes archived history readable with SQL inside PostgreSQL: as table {@code task_archive_N} in
 * the schema of its tenant, with the columns of the view {@code task_hist_N}. Each archived segment
 * is copied once, as a CSV file, into a folder that the server can read. It becomes a foreign table
 * of {@code file_fdw} among the children of that table, with the range of its times of enqueue as a
 * constraint. A query for some hours opens only their files. Thread-safe.
 *
 * <p>The table shows the archive as of the last {@link #attach}, which adds segments archived since
 * and removes those that have expired.
 */
public interface ForeignHistory {

  /**
   * Creates the access for tenants of one database.
   *
   * @param rota may be without an archive. It logs in as a role that may create the extension
   *     {@code file_fdw} and read files of the server. That is a superuser, or a member of {@code
   *     pg_read_server_files} once the extension and its server {@code rota_archive} exist
   * @param archive the archive of their history
   * @param folder the folder of the CSV files, by its path on this machine. The files have payloads
   *     and are readable for all users, since the server may run as any: close the folder to users
   *     other than those of this process and of the server
   * @param serverFolder the same folder, by its path on the server
   * @return the access for all tenants
   */
  static ForeignHistory in(Rota rota, Archive archive, Path folder, Path serverFolder) {
    return new DefaultForeignHistory(rota, archive, folder, serverFolder);
  }

  /**
   * The foreign table of a tenant.
   *
   * @param table the name of the table, with its schema
   * @param files the number of its segments
   * @param added how many of them are new
   * @param removed how many were removed
   */
  record Attached(String table, int files, int added, int removed) {}

  /**
   * Makes the archived segments of a tenant that have left the database readable with SQL. May be
   * repeated; after a failure the next call does the rest.
   *
   * @param tenant the tenant
   * @return the foreign table
   * @throws ArchiveException if a file of the archive cannot be read, or a copy cannot be written
   * @throws DatabaseException if the database refused it, for instance because a privilege is
   *     missing
   */
  Attached attach(Tenant tenant);

  /**
   * Removes the table and the copies of a tenant. May be repeated.
   *
   * @param tenant the tenant
   * @throws ArchiveException if a copy cannot be removed
   * @throws DatabaseException if the database refused it
   */
  void detach(Tenant tenant);
}
