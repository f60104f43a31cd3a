package dev.rota.internal.settle;

import dev.rota.internal.db.Session;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells which marks a tenant has the tables for: other programs may insert tasks with marks whose
 * tables are not there. Thread-safe.
 */
public final class MarkTables {

  public static final int ALL_TRAITS = TaskFlags.NODE | TaskFlags.KEY_KEPT | TaskFlags.VERSIONED;
  private static final int OF_KEYS = TaskFlags.KEY_KEPT | TaskFlags.VERSIONED;

  private final LazyTables keys;
  private final LazyTables graphs;

  public MarkTables(LazyTables keys, LazyTables graphs) {
    this.keys = keys;
    this.graphs = graphs;
  }

  /**
   * The marks that a tenant has the tables for.
   *
   * @param keys whether tasks may have keys
   * @param traits the traits that they may have
   */
  public record Features(boolean keys, int traits) {

    public boolean allow(ClaimedTask task) {
      return allow(task.key(), task.traits());
    }

    public boolean allow(EndedTask ending) {
      return allow(ending.key(), ending.traits());
    }

    private boolean allow(@Nullable String key, int bits) {
      if ((bits & ~traits) != 0) {
        return false;
      }
      return key == null ? (bits & OF_KEYS) == 0 : keys && TaskValidator.isKey(key);
    }
  }

  /** Looks only for tables that a key, or one of these traits, would need. */
  public Features features(Session session, TenantRef tenant, boolean keyed, int traits)
      throws SQLException {
    boolean withKeys = (keyed || (traits & OF_KEYS) != 0) && keys.exist(session, tenant);
    boolean withGraphs = (traits & TaskFlags.NODE) != 0 && graphs.exist(session, tenant);
    return new Features(withKeys, (withKeys ? OF_KEYS : 0) | (withGraphs ? TaskFlags.NODE : 0));
  }

  /** Those of these ends whose marks the tenant has the tables for. */
  List<EndedTask> withTables(Session session, TenantRef tenant, List<EndedTask> ended)
      throws SQLException {
    boolean keyed = ended.stream().anyMatch(ending -> ending.key() != null);
    int traits = ended.stream().mapToInt(EndedTask::traits).reduce(0, (a, b) -> a | b);
    Features features = features(session, tenant, keyed, traits);
    return new ArrayList<>(ended.stream().filter(features::allow).toList());
  }
}
