package dev.rota.internal.enqueue;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.LaneSql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The statements that put tasks of any lane back into the rings they belong to. */
public final class IntoLanes {

  private static final Sql RETURN_BATCH = Sql.named("return_batch");
  private static final Sql PROMOTE = Sql.named("promote");
  private static final Sql PROMOTE_FITTING = Sql.named("promote", "and_fits");
  private static final Sql REDRIVE = Sql.named("redrive");

  private IntoLanes() {}

  /**
   * Moves due tasks from the wait table. Tasks of a lane that this process does not know yet stay
   * there until it does, and those that are too large for the slots until these are wide.
   *
   * @param most how many at most
   */
  public static BoundStatement<Integer> promotion(TenantRef tenant, int most) {
    boolean wide = tenant.state().lanes().areWide();
    return call(
        tenant,
        wide ? PROMOTE : PROMOTE_FITTING,
        Map.of(
            "waiting",
            tenant.tables().waiting(),
            "largest_fitting",
            DSL.inline(PriorityLanes.LARGEST_FITTING)),
        most);
  }

  /**
   * Returns the unsettled tasks of a closed batch; the tenant was read in the same transaction.
   *
   * @param ledger the segment of the ledger that has the batch
   */
  public static BoundStatement<Integer> returned(
      TenantRef tenant, int segment, Name ledger, @Nullable Object... binds) {
    return call(
        tenant,
        RETURN_BATCH,
        Map.of("segment", tenant.tables().segment(segment), "ledger", ledger),
        binds);
  }

  /** Runs dead tasks again; the tenant was read in the same transaction. */
  public static BoundStatement<Integer> redriven(
      TenantRef tenant, int segment, @Nullable Object... binds) {
    return call(tenant, REDRIVE, Map.of("segment", tenant.tables().segment(segment)), binds);
  }

  /**
   * What fills the place {@code {insertions}} of a statement that does more than to put tasks back.
   */
  public static QueryPart insertions(TenantRef tenant) {
    return LaneSql.insertions(currentSlots(tenant, tenant.state().lanes()));
  }

  private static BoundStatement<Integer> call(
      TenantRef tenant,
      Sql statement,
      Map<String, ? extends QueryPart> from,
      @Nullable Object... binds) {
    PriorityLanes lanes = tenant.state().lanes();
    Map<String, QueryPart> parts = new HashMap<>(from);
    parts.put("lanes", DSL.inline(lanes.count()));
    parts.put("into_rings", LaneSql.intoRings(currentSlots(tenant, lanes)));
    return BoundStatement.counting(statement.call(), statement.on(parts), binds);
  }

  private static List<Name> currentSlots(TenantRef tenant, PriorityLanes lanes) {
    return lanes.all().stream().map(Lane::currentSlot).map(tenant.tables()::slot).toList();
  }
}
