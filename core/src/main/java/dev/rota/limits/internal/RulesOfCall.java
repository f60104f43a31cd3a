package dev.rota.limits.internal;

import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.limits.internal.why.FairShares;
import dev.rota.limits.internal.why.ReasonSource;
import dev.rota.limits.internal.why.RuleReading;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules for one call, which reads them once. Used by one thread. */
final class RulesOfCall implements RuleReading {

  private final RuleStore store;
  private final RegistryTables tables;
  private @Nullable StoredRules rules;

  RulesOfCall(RuleStore store, RegistryTables tables) {
    this.store = store;
    this.tables = tables;
  }

  /** Returns the rules, which it reads if it has not yet. */
  StoredRules read(Session session) throws SQLException {
    StoredRules known = rules;
    if (known == null) {
      known = StoredRules.read(session, store);
      rules = known;
    }
    return known;
  }

  @Override
  public FairShares.Ranks ranks(Session session) throws SQLException {
    return read(session).limits();
  }

  /** All that knows why rules hold tasks back: the one place that lists them. */
  @Override
  public List<ReasonSource> sources() {
    return List.of(
        new PauseReasons(this::read),
        new CapReasons(this::read, tables),
        new RateReasons(this::read, tables),
        new PoolReasons(this::read, tables));
  }
}
