package dev.rota.internal;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells which marks a tenant has the tables for: other programs may insert tasks with marks whose
 * tables are not there. Thread-safe.
 */
final class MarkTables {

  static final int ALL_TRAITS = Traits.NODE | Traits.KEY_KEPT | Traits.VERSIONED;
  private static final int OF_KEYS = Traits.KEY_KEPT | Traits.VERSIONED;

  private final FeatureTables keys;
  private final FeatureTables graphs;

  MarkTables(FeatureTables keys, FeatureTables graphs) {
    this.keys = keys;
    this.graphs = graphs;
  }

  /**
   * The marks that a tenant has the tables for.
   *
   * @param keys whether tasks may have keys
   * @param traits the traits that they may have
   */
  record Features(boolean keys, int traits) {

    boolean allow(ClaimedTask task) {
      return allow(task.key(), task.traits());
    }

    boolean allow(Ending ending) {
      return allow(ending.key(), ending.traits());
    }

    private boolean allow(@Nullable String key, int bits) {
      if ((bits & ~traits) != 0) {
        return false;
      }
      return key == null ? (bits & OF_KEYS) == 0 : keys && TaskRules.isKey(key);
    }
  }

  /** Looks only for tables that a key, or one of these traits, would need. */
  Features features(Session session, TenantHandle tenant, boolean keyed, int traits)
      throws SQLException {
    boolean withKeys = (keyed || (traits & OF_KEYS) != 0) && keys.exist(session, tenant);
    boolean withGraphs = (traits & Traits.NODE) != 0 && graphs.exist(session, tenant);
    return new Features(withKeys, (withKeys ? OF_KEYS : 0) | (withGraphs ? Traits.NODE : 0));
  }

  /** Those of these ends whose marks the tenant has the tables for. */
  List<Ending> withTables(Session session, TenantHandle tenant, List<Ending> ended)
      throws SQLException {
    boolean keyed = ended.stream().anyMatch(ending -> ending.key() != null);
    int traits = ended.stream().mapToInt(Ending::traits).reduce(0, (a, b) -> a | b);
    Features features = features(session, tenant, keyed, traits);
    return new ArrayList<>(ended.stream().filter(features::allow).toList());
  }
}
