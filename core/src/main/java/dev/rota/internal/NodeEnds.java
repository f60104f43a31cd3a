package dev.rota.internal;

import dev.rota.internal.EndEffects.EndEffect;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantTables;
import dev.rota.internal.db.TransactionSettings;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * What the ends of nodes bring with them: their children hear of it, in the transaction in which
 * they end. Those that can begin are pending when it commits; those that end without running are
 * left to {@link NodeSpread}. Thread-safe.
 */
final class NodeEnds implements EndEffect {

  private static final Sql LOCK_NODES = Sql.named("lock_nodes");
  private static final Sql END_NODES = Sql.named("end_nodes");
  private static final Sql END_UNRUN_NODES = Sql.named("end_unrun_nodes");

  private final TenantRegistry registry;
  private final Doorbell doorbell;
  private final Consumer<TenantHandle> spread;

  /**
   * For the graphs of one Rota.
   *
   * @param spread is told of tenants with nodes that ended without running, after the commit
   */
  NodeEnds(TenantRegistry registry, Doorbell doorbell, Consumer<TenantHandle> spread) {
    this.registry = registry;
    this.doorbell = doorbell;
    this.spread = spread;
  }

  @Override
  public void apply(Session session, TenantHandle tenant, List<Ending> ended) throws SQLException {
    List<Ending> nodes = ended.stream().filter(ending -> ending.has(Traits.NODE)).toList();
    if (nodes.isEmpty()) {
      return;
    }
    long[] ids = nodes.stream().mapToLong(Ending::id).toArray();
    short[] states = new short[ids.length];
    for (int i = 0; i < ids.length; i++) {
      states[i] = Nodes.codeOf(nodes.get(i).state()).code();
    }
    tell(session, tenant, ids, told(END_NODES, places(tenant), ids, states));
  }

  /** Ends nodes that never ran, and moves them into history. */
  void endUnrun(Session session, TenantHandle tenant, long[] ids, @Nullable String[] reasons)
      throws SQLException {
    // Read in this transaction: a segment that is open now is not dropped before it ends.
    int segment = registry.get(session, tenant.number()).state().currentSegment();
    Map<String, QueryPart> places = places(tenant);
    places.put("segment", tenant.tables().segment(segment));
    tell(session, tenant, ids, told(END_UNRUN_NODES, places, ids, reasons));
  }

  private void tell(Session session, TenantHandle tenant, long[] ids, Call<List<Told>> telling)
      throws SQLException {
    Call<List<Told>> locking =
        Call.query(
            LOCK_NODES.call(),
            LOCK_NODES.on("nodes", tenant.tables().nodes(), "edges", tenant.tables().edges()),
            row -> Told.NOTHING,
            ids,
            ids);
    session.runAhead(TransactionSettings.waitingBriefly());
    Told told = session.runTogether(List.of(locking, telling)).get(1).get(0);
    session.afterCommit(() -> announce(tenant, told));
  }

  private void announce(TenantHandle tenant, Told told) {
    if (told.begun > 0) {
      doorbell.ring(tenant.number());
    }
    if (told.unrun > 0) {
      spread.accept(tenant);
    }
  }

  private static Call<List<Told>> told(
      Sql statement, Map<String, QueryPart> places, Object... binds) {
    return Call.query(
        statement.call(),
        statement.on(places),
        row -> new Told(row.getLong(1), row.getLong(2)),
        binds);
  }

  private static Map<String, QueryPart> places(TenantHandle tenant) {
    TenantTables tables = tenant.tables();
    Map<String, QueryPart> places = new HashMap<>();
    places.put("nodes", tables.nodes());
    places.put("edges", tables.edges());
    places.put("held", tables.held());
    places.put("spread", tables.spread());
    places.put("insertions", IntoLanes.insertions(tenant));
    places.put("waiting", tables.waiting());
    places.put("trait", DSL.inline(Traits.NODE));
    return places;
  }

  /** How many children can begin, and how many ended without running. */
  private record Told(long begun, long unrun) {
    static final Told NOTHING = new Told(0, 0);
  }
}
