package dev.rota.limits.internal.why;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;

/** The rules for one call, which reads them at most once. Used by one thread. */
public interface RuleReading {

  /** What knows why rules hold tasks back. */
  List<ReasonSource> sources();

  /** The weights and tiers of all tenants. */
  FairShares.Ranks ranks(Session session) throws SQLException;
}
