package dev.rota.limits.internal;

import dev.rota.internal.db.Database;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.limits.internal.why.Explainer;
import dev.rota.limits.internal.why.ReasonSource;
import dev.rota.limits.internal.why.TopReader;
import java.util.List;

/**
 * What rules do to tenants: the reasons why tasks do not begin, and the live shares. Thread-safe.
 *
 * @param why tells why tasks do not begin
 * @param top reads the live shares
 */
record Insights(Explainer why, TopReader top) {

  static Insights of(Database database, RegistryTables tables, RuleStore store, int lockNamespace) {
    List<ReasonSource> sources = sources(store, tables);
    TopReader top =
        new TopReader(database, tables, sources, session -> RankedRules.read(session, store));
    return new Insights(new Explainer(database, tables, lockNamespace, sources, top), top);
  }

  /** All that knows why rules hold tasks back: the one place that lists them. */
  private static List<ReasonSource> sources(RuleStore store, RegistryTables tables) {
    return List.of(
        new PauseReasons(store), //
        new CapReasons(store, tables));
  }
}
