package dev.rota.limits.internal.why;

import dev.rota.internal.db.Session;
import dev.rota.limits.Reason;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Knows some of the reasons why tasks do not begin. A new sort of rule adds a constant to {@link
 * Reason.Code}, implements this interface, and is listed in {@code RulesOfCall.sources}. Sources
 * only read, wait for no lock, and read a bounded number of rows.
 */
public interface ReasonSource {

  /**
   * Tells the reasons that hold for a tenant now.
   *
   * @param session a transaction of short statements, which all sources share
   */
  List<Reason> reasons(Session session, Subject subject) throws SQLException;

  /**
   * Tells which of some tenants are held back now, by the same reasons, all at once and cheaply.
   *
   * @param tenants tenants with pending tasks
   * @return the codes by the number of the tenant; tenants that are not held back may be missing
   */
  default Map<Integer, Set<Reason.Code>> heldBack(Session session, Collection<Integer> tenants)
      throws SQLException {
    return Map.of();
  }
}
