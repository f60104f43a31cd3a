package dev.rota.limits.internal;

import dev.rota.internal.db.Database;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.limits.internal.why.Explainer;
import dev.rota.limits.internal.why.RuleReading;
import dev.rota.limits.internal.why.TopReader;
import java.util.function.Supplier;

/**
 * What rules do to tenants: the reasons why tasks do not begin, and the live shares. Thread-safe.
 *
 * @param why tells why tasks do not begin
 * @param top reads the live shares
 */
record Insights(Explainer why, TopReader top) {

  static Insights of(Database database, RegistryTables tables, RuleStore store, int lockNamespace) {
    Supplier<RuleReading> rules = () -> new RulesOfCall(store, tables);
    TopReader top = new TopReader(database, tables, rules);
    return new Insights(new Explainer(database, tables, lockNamespace, rules, top), top);
  }
}
