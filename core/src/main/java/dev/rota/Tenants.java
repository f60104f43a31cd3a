package dev.rota;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The registry of tenants. Thread-safe, and safe from many processes at once.
 *
 * <p>A name is any Unicode text of 1 to 200 characters (code points) without NUL. Tables carry only
 * the tenant's number. Lookups by name are cached. Changes by other processes become visible within
 * the refresh interval, one second unless configured.
 */
public interface Tenants {

  /**
   * Registers a tenant; does nothing if it is already registered. The first task of the tenant
   * creates its schema and tables.
   *
   * @param name the name
   * @return the tenant
   * @throws InvalidNameException if the name breaks a rule
   * @throws TenantExistsException if another tenant had this name less than a minute ago; another
   *     process may still resolve the name to that one
   */
  Tenant register(String name);

  /**
   * Registers many tenants, a thousand in each transaction: much faster than one by one. After a
   * failure some of them may be registered; call it again.
   *
   * @param names the names; duplicates are allowed
   * @return the tenants in the order of the names
   * @throws InvalidNameException if a name breaks a rule; nothing is registered then
   */
  List<Tenant> registerAll(Collection<String> names);

  /**
   * Returns the tenant of this name.
   *
   * @param name the name
   * @return the tenant
   * @throws UnknownTenantException if no tenant has the name
   */
  Tenant get(String name);

  /**
   * Returns the tenant of this name, if it exists.
   *
   * @param name the name
   * @return the tenant, or empty
   */
  Optional<Tenant> find(String name);

  /**
   * Reads all tenants from the database.
   *
   * @return the tenants by ascending number
   */
  List<TenantInfo> list();

  /**
   * Renames a tenant. Its tasks and tables stay where they are. The old name can be registered
   * again after a minute.
   *
   * @param name the present name
   * @param newName the new name
   * @return the tenant
   * @throws UnknownTenantException if no tenant has the present name
   * @throws TenantExistsException if the new name is taken
   */
  Tenant rename(String name, String newName);

  /**
   * Closes a tenant: it refuses new tasks. Workers still run its pending tasks, and history stays
   * readable. Idempotent.
   *
   * @param name the name
   * @throws UnknownTenantException if there is no such tenant
   */
  void close(String name);

  /**
   * Opens a closed tenant again. Idempotent.
   *
   * @param name the name
   * @return the tenant
   * @throws UnknownTenantException if there is no such tenant
   */
  Tenant reopen(String name);
}
