package dev.rota.internal.enqueue;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LaneSql;
import dev.rota.internal.tenant.PriorityLanes;
import dev.rota.internal.tenant.PriorityLanes.Lane;
import dev.rota.internal.tenant.TenantRef;
import java.util.HashMap;
import java.util.Map;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The statements that put tasks of any lane back into the rings they belong to. A tenant without
 * further lanes has one for its one ring, which asks for no lane.
 */
public final class IntoLanes {

  private static final Sql RETURN_BATCH = Sql.named("return_batch");
  private static final Sql RETURN_BATCH_TO_LANES = Sql.named("return_batch_to_lanes");
  private static final Sql PROMOTE = Sql.named("promote");
  private static final Sql PROMOTE_TO_LANES = Sql.named("promote_to_lanes");
  private static final Sql REDRIVE = Sql.named("redrive");
  private static final Sql REDRIVE_TO_LANES = Sql.named("redrive_to_lanes");

  private IntoLanes() {}

  /**
   * Moves tasks that are due from the wait table. Those of a lane that this process does not know
   * yet stay where they are until it does.
   *
   * @param most how many at most
   */
  public static BoundStatement<Integer> promotion(TenantRef tenant, int most) {
    return call(
        tenant,
        new Texts(PROMOTE, PROMOTE_TO_LANES),
        Map.of("waiting", tenant.tables().waiting()),
        most);
  }

  /** Returns what a closed batch left unsettled; the tenant was read in the same transaction. */
  public static BoundStatement<Integer> returned(
      TenantRef tenant, int segment, @Nullable Object... binds) {
    return call(
        tenant,
        new Texts(RETURN_BATCH, RETURN_BATCH_TO_LANES),
        Map.of("segment", tenant.tables().segment(segment)),
        binds);
  }

  /** Lets dead tasks run again; the tenant was read in the same transaction. */
  public static BoundStatement<Integer> redriven(
      TenantRef tenant, int segment, @Nullable Object... binds) {
    return call(
        tenant,
        new Texts(REDRIVE, REDRIVE_TO_LANES),
        Map.of("segment", tenant.tables().segment(segment)),
        binds);
  }

  /**
   * What fills the place {@code {insertions}} of a statement that is not sent so often that one
   * ring would deserve a text of its own. Tasks of a lane that this process has not heard of yet go
   * into lane 0, which costs order only.
   */
  public static QueryPart insertions(TenantRef tenant) {
    TenantTables tables = tenant.tables();
    return LaneSql.insertions(
        tenant.state().lanes().all().stream().map(Lane::currentSlot).map(tables::slot).toList());
  }

  /** The statement for one ring, and that for several. */
  private record Texts(Sql ofOneLane, Sql ofLanes) {}

  private static BoundStatement<Integer> call(
      TenantRef tenant, Texts texts, Map<String, Name> from, @Nullable Object... binds) {
    PriorityLanes lanes = tenant.state().lanes();
    TenantTables tables = tenant.tables();
    Map<String, QueryPart> parts = new HashMap<>(from);
    if (lanes.count() == 1) {
      parts.put("slot", tables.slot(lanes.get(0).currentSlot()));
      return BoundStatement.update(texts.ofOneLane.call(), texts.ofOneLane.on(parts), binds);
    }
    parts.put("lanes", DSL.inline(lanes.count()));
    parts.put("insertions", insertions(tenant));
    return BoundStatement.counting(texts.ofLanes.call(), texts.ofLanes.on(parts), binds);
  }
}
