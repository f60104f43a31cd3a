package dev.rota.admin;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import java.util.List;

/**
 * Administration of the schema. Thread-safe.
 *
 * @see Rota#admin()
 */
public interface Admin {

  /**
   * Creates or updates the schema of Rota. Safe to repeat, and safe from several processes at once.
   * Keeps its own history of versions, apart from migrations of the host application.
   *
   * @throws DatabaseException if a migration failed; the message says which grant may be missing,
   *     or why there is no connection
   */
  void migrate();

  /**
   * Does what {@link #migrate()} does, makes four roles where they are missing, and hands over to
   * them: the registry to the owner, the tables of tenants and of the ledger to the daemon's role;
   * the others get what they need, also for tenants that come later. What {@code PUBLIC} may do is
   * nothing. Needs a superuser, or the owner of the database with the right to create roles;
   * becomes a member of the first two roles. Safe to repeat, and to be repeated with every new
   * version, whose tables need the grants as well.
   *
   * @param roles their names
   * @throws DatabaseException if something failed; the message says which right may be missing
   */
  void migrate(Roles roles);

  /**
   * Looks for what keeps Rota from working in this database, or endangers what it promises: the
   * server's version and settings, publications, locks and old transactions of others, rights of
   * {@code PUBLIC}. Reads settings and catalogs alone, and may be called at any time. Workers and
   * daemons do it once when they start and log what they find.
   *
   * @return what was found, errors first; empty if all is well
   * @throws DatabaseException if the database cannot be asked
   */
  List<Finding> preflight();
}
