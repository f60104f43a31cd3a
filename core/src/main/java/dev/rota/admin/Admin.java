package dev.rota.admin;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import java.util.List;

/**
 * Administration of the schema, and the state of the database. Thread-safe.
 *
 * @see Rota#admin()
 */
public interface Admin {

  /**
   * Creates or updates the schema of Rota. Safe to repeat, and safe from several processes at once.
   * Its history of versions is separate from the migrations of the host application.
   *
   * @throws DatabaseException if a migration failed; the message says which grant may be missing,
   *     or why there is no connection
   */
  void migrate();

  /**
   * Migrates as {@link #migrate()} does, creates the four roles that are missing, and transfers
   * ownership to them. The owner gets the registry, the daemon's role the tables of tenants and of
   * the ledger. The other two roles get the rights they need, also for later tenants. {@code
   * PUBLIC} gets no rights. The caller needs to be a superuser, or the owner of the database with
   * the right to create roles. It becomes a member of the first two roles. Safe to repeat; repeat
   * it with every new version, whose tables need the grants as well.
   *
   * @param roles their names
   * @throws DatabaseException if something failed; the message says which right may be missing
   */
  void migrate(Roles roles);

  /**
   * Checks this database for settings that keep Rota from working or endanger its guarantees. It
   * checks the server's version and settings, publications, locks and old transactions of other
   * sessions, and rights of {@code PUBLIC}. Reads settings and catalogs only, and may be called at
   * any time. Workers and daemons run it once when they start, and log the findings.
   *
   * @return the findings, errors first; empty if there are none
   * @throws DatabaseException if the database cannot be read
   */
  List<Finding> preflight();

  /**
   * Reads the state of all tenants: what {@code rota status} shows. Fit for a page that people look
   * at every few seconds.
   *
   * <p>Eleven statements read the registry, the open batches and the catalog, whatever the number
   * of tenants. Then each tenant whose tables may hold tasks is counted: three slots for each lane
   * and a wait table, as far as they are filled. A table that takes longer than 2 seconds, is
   * locked, or whose turn comes after 15 seconds is not counted, and {@link TenantStatus.Backlog}
   * has the server's estimates.
   *
   * @return the state, of one transaction but for the numbers of pending and waiting tasks
   * @throws dev.rota.SchemaMissingException if the schema was not migrated, or is older than this
   *     library
   * @throws DatabaseException if the database cannot be asked, or refuses
   */
  DatabaseStatus status();

  /**
   * Reads the state of the database without its tenants, as a health check does: who leads, who
   * works, and what needs attention. Eight statements, which count no tasks.
   *
   * @return the state, with no tenants
   * @throws dev.rota.SchemaMissingException if the schema was not migrated, or is older than this
   *     library
   * @throws DatabaseException if the database cannot be asked, or refuses
   */
  DatabaseStatus summary();

  /**
   * Reads the state of one tenant; see {@link #status()}. Reads the open batches of all tenants,
   * and counts the tables of this one alone.
   *
   * @param tenant the name of the tenant
   * @return the state, with one tenant, and troubles of this tenant only
   * @throws dev.rota.UnknownTenantException if no tenant has this name
   * @throws dev.rota.SchemaMissingException if the schema was not migrated, or is older than this
   *     library
   * @throws DatabaseException if the database cannot be asked, or refuses
   */
  DatabaseStatus status(String tenant);
}
