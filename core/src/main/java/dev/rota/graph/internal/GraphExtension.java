package dev.rota.graph.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.IntoLanes;
import dev.rota.internal.settle.TaskExtension;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Extends tasks that are nodes of graphs: the transaction that ends them counts their children
 * down. Children that can begin are pending when it commits; {@link SkipPropagator} continues with
 * those that end without running. Thread-safe.
 */
final class GraphExtension implements TaskExtension {

  private static final Sql LOCK_NODES = Sql.named("lock_nodes");
  private static final Sql END_NODES = Sql.named("end_nodes");
  private static final Sql END_UNRUN_NODES = Sql.named("end_unrun_nodes");

  private final LazyTables tables;
  private final TenantRegistry registry;
  private final Doorbell doorbell;
  private final Consumer<TenantRef> spread;

  /**
   * Creates the extension for the graphs of one Rota.
   *
   * @param tables the tables that graphs need
   * @param spread called after the commit with tenants whose nodes ended without running
   */
  GraphExtension(
      LazyTables tables, TenantRegistry registry, Doorbell doorbell, Consumer<TenantRef> spread) {
    this.tables = tables;
    this.registry = registry;
    this.doorbell = doorbell;
    this.spread = spread;
  }

  @Override
  public int traits() {
    return TaskFlags.NODE;
  }

  @Override
  public boolean hasTables(Session session, TenantRef tenant) throws SQLException {
    return tables.exist(session, tenant);
  }

  @Override
  public void ended(Session session, TenantRef tenant, List<EndedTask> ended) throws SQLException {
    List<EndedTask> nodes = ended.stream().filter(ending -> ending.has(TaskFlags.NODE)).toList();
    if (nodes.isEmpty()) {
      return;
    }
    long[] ids = nodes.stream().mapToLong(EndedTask::id).toArray();
    short[] states = new short[ids.length];
    for (int i = 0; i < ids.length; i++) {
      states[i] = NodeCode.after(nodes.get(i).state()).code();
    }
    tell(session, tenant, ids, told(END_NODES, places(tenant), ids, states));
  }

  /** Ends nodes that never ran, and moves them into history. */
  void endUnrun(Session session, TenantRef tenant, long[] ids, @Nullable String[] reasons)
      throws SQLException {
    // Read in this transaction: a segment that is open now is not dropped before it ends.
    int segment = registry.get(session, tenant.number()).state().currentSegment();
    Map<String, QueryPart> places = places(tenant);
    places.put("segment", tenant.tables().segment(segment));
    tell(session, tenant, ids, told(END_UNRUN_NODES, places, ids, reasons));
  }

  private void tell(
      Session session, TenantRef tenant, long[] ids, BoundStatement<List<Told>> telling)
      throws SQLException {
    BoundStatement<List<Told>> locking =
        BoundStatement.query(
            LOCK_NODES.call(),
            LOCK_NODES.on("nodes", tenant.tables().nodes(), "edges", tenant.tables().edges()),
            row -> Told.NOTHING,
            ids,
            ids);
    session.waitBriefly();
    Told told = session.runAll(List.of(locking, telling)).get(1).get(0);
    session.afterCommit(() -> announce(tenant, told));
  }

  private void announce(TenantRef tenant, Told told) {
    if (told.begun > 0) {
      doorbell.ring(tenant.number());
    }
    if (told.unrun > 0) {
      spread.accept(tenant);
    }
  }

  private static BoundStatement<List<Told>> told(
      Sql statement, Map<String, QueryPart> places, Object... binds) {
    return BoundStatement.query(
        statement.call(),
        statement.on(places),
        row -> new Told(row.getLong(1), row.getLong(2)),
        binds);
  }

  private static Map<String, QueryPart> places(TenantRef tenant) {
    TenantTables own = tenant.tables();
    Map<String, QueryPart> places = new HashMap<>();
    places.put("nodes", own.nodes());
    places.put("edges", own.edges());
    places.put("held", own.held());
    places.put("spread", own.spread());
    places.put("insertions", IntoLanes.insertions(tenant));
    places.put("waiting", own.waiting());
    places.put("trait", DSL.inline(TaskFlags.NODE));
    return places;
  }

  /** The number of children that can begin, and of those that ended without running. */
  private record Told(long begun, long unrun) {
    static final Told NOTHING = new Told(0, 0);
  }
}
