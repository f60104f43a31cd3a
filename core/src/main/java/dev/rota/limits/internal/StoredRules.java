package dev.rota.limits.internal;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;

/**
 * The rules as stored at one moment. Immutable.
 *
 * @param rows all rules
 * @param limits what they mean for tenants
 */
record StoredRules(List<RuleRow> rows, ResolvedLimits limits) {

  static StoredRules read(Session session, RuleStore store) throws SQLException {
    List<RuleRow> rows = store.read(session);
    return new StoredRules(rows, new ResolvedLimits(rows, store.readPlans(session), 0));
  }

  /** The rules that hold for tasks of a tenant, of any kind and priority. */
  List<RuleRow> of(int tenant) {
    return rows.stream()
        .filter(row -> isOf(row, tenant) && !limits.breakers().ignores(row))
        .toList();
  }

  private boolean isOf(RuleRow row, int tenant) {
    if (row.tenant().isPresent()) {
      return row.tenant().getAsInt() == tenant;
    }
    return row.scope().plan().map(plan -> plan.equals(limits.planOf(tenant))).orElse(true);
  }
}
