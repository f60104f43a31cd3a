package dev.rota.internal;

import dev.rota.TaskFilter;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.RingSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.StateCode;
import dev.rota.internal.db.TenantTables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Moves tasks that nobody runs from the wait table and the ring of a tenant into its history, as
 * cancelled, some megabytes in each transaction.
 */
final class Canceller {

  private final Engine engine;
  private final TenantHandle tenant;

  Canceller(Engine engine, TenantHandle tenant) {
    this.engine = engine;
    this.tenant = tenant;
  }

  long cancel(TaskFilter which, String reason) {
    String text = Failures.cut(reason);
    List<@Nullable Object> conditions = Conditions.of(which);
    String purpose = "cancel tasks of " + tenant.label();
    try {
      long cancelled = 0;
      for (Name table : tables()) {
        cancelled +=
            new BlockSteps(engine, table)
                .run(
                    purpose,
                    (session, range) -> cancel(session, table, range.after(conditions), text));
      }
      return cancelled;
    } catch (SQLException e) {
      throw Errors.translate(purpose, e);
    }
  }

  /**
   * In the direction in which tasks are moved, so that none slips by: waiting ones into the ring,
   * those of other slots into the current one.
   */
  private List<Name> tables() {
    TenantTables tables = tenant.tables();
    int current = tenant.state().currentSlot();
    List<Name> all = new ArrayList<>(List.of(tables.waiting()));
    for (int i = 1; i <= TenantTables.SLOTS; i++) {
      all.add(tables.slot((current + i) % TenantTables.SLOTS));
    }
    return all;
  }

  private int cancel(Session session, Name table, List<@Nullable Object> conditions, String reason)
      throws SQLException {
    // Read in this transaction: a segment that is open now is not dropped before it ends.
    int segment = engine.registry().get(session, tenant.number()).state().currentSegment();
    List<@Nullable Object> binds = new ArrayList<>(conditions);
    binds.add(reason);
    Cancelled cancelled =
        session
            .run(
                Call.query(
                    RingSql.CANCEL.call(),
                    RingSql.CANCEL.on("table", table, "segment", tenant.tables().segment(segment)),
                    Canceller::read,
                    binds.toArray()))
            .get(0);
    Endings endings = new Endings(engine);
    cancelled.marked.forEach(ending -> endings.add(tenant, ending));
    endings.apply(session);
    return cancelled.count;
  }

  private record Cancelled(int count, List<Ending> marked) {}

  private static Cancelled read(ResultSet row) throws SQLException {
    List<Ending> marked = new ArrayList<>();
    if (row.getArray(2) != null) {
      Long[] ids = (Long[]) row.getArray(2).getArray();
      @Nullable String[] keys = (@Nullable String[]) row.getArray(3).getArray();
      @Nullable Integer[] traits = (@Nullable Integer[]) row.getArray(4).getArray();
      for (int i = 0; i < ids.length; i++) {
        int bits = traits[i] == null ? 0 : traits[i];
        marked.add(new Ending(ids[i], keys[i], bits, StateCode.CANCELLED, null));
      }
    }
    return new Cancelled(row.getInt(1), marked);
  }
}
