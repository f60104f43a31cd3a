package dev.rota.archive;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.archive.internal.ForeignTables;
import dev.rota.history.ArchiveException;
import java.nio.file.Path;

/**
 * Lets archived history be read with SQL inside PostgreSQL: as table {@code task_archive_N} in the
 * schema of its tenant, with the columns of the view {@code task_hist_N}. Each archived segment is
 * copied once, as a CSV file, into a folder that the server can read, and is a foreign table of
 * {@code file_fdw} among the children of that table, with the range of its times of enqueue as a
 * constraint: a query for some hours opens only their files. Thread-safe.
 *
 * <p>It stays as it was at the last {@link #attach}, which adds what was archived since and removes
 * what has expired.
 */
public interface ForeignHistory {

  /**
   * For tenants of one database.
   *
   * @param rota may be without an archive; logs in as a role that may create the extension {@code
   *     file_fdw} and read files of the server: a superuser, or a member of {@code
   *     pg_read_server_files} once the extension and its server {@code rota_archive} are there
   * @param archive where their history is
   * @param folder where the CSV files go, as this machine sees it
   * @param serverFolder the same folder as the server sees it
   * @return the same for all tenants
   */
  static ForeignHistory in(Rota rota, Archive archive, Path folder, Path serverFolder) {
    return new ForeignTables(rota, archive, folder, serverFolder);
  }

  /**
   * What can be read.
   *
   * @param table the name of the table, with its schema
   * @param files how many segments it consists of
   * @param added how many of them are new
   * @param removed how many it no longer has
   */
  record Attached(String table, int files, int added, int removed) {}

  /**
   * Makes what is archived of a tenant, and no more in the database itself, readable with SQL. May
   * be repeated; when it fails in between, the next call does the rest.
   *
   * @param tenant whose history
   * @return what can be read now
   * @throws ArchiveException if a file of the archive cannot be read, or a copy not be written
   * @throws DatabaseException if the database refused it, for want of a privilege for instance
   */
  Attached attach(Tenant tenant);

  /**
   * Removes the table and the copies of a tenant. May be repeated.
   *
   * @param tenant whose history
   * @throws ArchiveException if a copy cannot be removed
   * @throws DatabaseException if the database refused it
   */
  void detach(Tenant tenant);
}
