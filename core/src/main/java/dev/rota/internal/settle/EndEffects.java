package dev.rota.internal.settle;

import dev.rota.internal.db.Session;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What the ends of marked tasks bring with them, one effect after the other. Thread-safe. */
public final class EndEffects {

  private final TenantRegistry registry;
  private final MarkTables marks;
  private final List<EndEffect> effects;

  /** In this order, in every transaction. */
  public EndEffects(TenantRegistry registry, MarkTables marks, List<EndEffect> effects) {
    this.registry = registry;
    this.marks = marks;
    this.effects = effects;
  }

  /** What the end of marked tasks brings with it. */
  public interface EndEffect {

    /**
     * Does it, in the transaction that ends the tasks. Asked only for tasks whose end this
     * transaction writes; an interim settle whose answer was lost may be repeated, so that the
     * effect must be guarded by rows of its own.
     *
     * @param ended marked tasks of the tenant, by ascending id
     */
    void apply(Session session, TenantRef tenant, List<EndedTask> ended) throws SQLException;
  }

  /** Lets every effect work on them. */
  public void apply(Session session, EndedTasks endings) throws SQLException {
    for (Map.Entry<Integer, List<EndedTask>> entry : endings.byTenant().entrySet()) {
      TenantRef tenant = registry.get(session, entry.getKey());
      List<EndedTask> ended = marks.withTables(session, tenant, entry.getValue());
      ended.sort(Comparator.comparingLong(EndedTask::id));
      for (EndEffect effect : effects) {
        effect.apply(session, tenant, ended);
      }
    }
  }
}
