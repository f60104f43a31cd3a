package dev.rota.internal;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;

/** What the end of marked tasks brings with it. */
interface EndEffect {

  /**
   * Does it, in the transaction that ends the tasks. Asked only for tasks whose end this
   * transaction writes; an interim settle whose answer was lost may be repeated, so that the effect
   * must be guarded by rows of its own.
   *
   * @param ended marked tasks of the tenant, by ascending id
   */
  void apply(Session session, TenantHandle tenant, List<Ending> ended) throws SQLException;
}
