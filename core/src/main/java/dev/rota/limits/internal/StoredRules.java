package dev.rota.limits.internal;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rules as stored at one moment. Immutable.
 *
 * @param rows all rules
 * @param limits what they mean for tenants
 */
record StoredRules(List<RuleRow> rows, ResolvedLimits limits) {

  /** Gives the rules for one call, which reads them once. */
  @FunctionalInterface
  interface Reading {
    StoredRules read(Session session) throws SQLException;
  }

  static StoredRules read(Session session, RuleStore store) throws SQLException {
    List<RuleRow> rows = store.read(session);
    return new StoredRules(rows, new ResolvedLimits(rows, store.readPlans(session), 0));
  }

  /** All that mean something. The pause of a breaker means nothing once the breaker is gone. */
  Stream<RuleRow> valid() {
    return rows.stream().filter(row -> !limits.breakers().ignores(row));
  }

  /** The rules that hold for tasks of a tenant, of any kind and priority. */
  List<RuleRow> of(int tenant) {
    return valid().filter(row -> isOf(row, tenant)).toList();
  }

  private boolean isOf(RuleRow row, int tenant) {
    if (row.tenant().isPresent()) {
      return row.tenant().getAsInt() == tenant;
    }
    return row.scope().plan().map(plan -> plan.equals(limits.planOf(tenant))).orElse(true);
  }
}
