package dev.rota.partition.internal;

import dev.rota.internal.Lanes;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.RowReader;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Name;

/** One switch of one ring of a tenant: the sequence of statements that must never lose a row. */
final class RingSwitch {

  private static final String LEVEL = "read committed";

  private final RotaTables rota;

  private record Pointer(int slot, String isolation) {}

  RingSwitch(RotaTables rota) {
    this.rota = rota;
  }

  /**
   * Switches.
   *
   * @param believed the current slot as last seen
   * @return the new current slot
   * @throws PostponedException if tasks are in the way
   */
  int run(Session session, TenantTables tenant, int believed) throws SQLException {
    // Before any lock: a slot in use is left in peace, and the look under the lock is a short one,
    // since this one has pruned the dead rows.
    refuseUnlessEmpty(session, tenant, TenantTables.after(believed));
    int lane = Lanes.of(believed);
    int next = TenantTables.after(lockPointer(session, tenant.number(), lane));
    Name slot = tenant.slot(next);
    session.run(statement(RotationSql.LOCK, slot));
    // The lock is held and this statement takes a new snapshot: whoever was in the slot is seen.
    refuseUnlessEmpty(session, tenant, next);
    if (size(session, slot) > 0) {
      session.run(statement(RotationSql.TRUNCATE, slot));
    }
    session.run(point(tenant.number(), lane, next));
    return next;
  }

  private Call<Integer> point(int number, int lane, int next) {
    return lane == 0
        ? Call.update(RotationSql.POINT.call(), on(RotationSql.POINT), next, number)
        : Call.update(
            RotationSql.POINT_OF_LANE.call(),
            on(RotationSql.POINT_OF_LANE),
            lane,
            next,
            lane,
            new RingId(number, lane).prefix(),
            number);
  }

  private String on(Sql template) {
    return template.on("tenants", rota.tenants());
  }

  private Call<List<Pointer>> pointer(int number, int lane) {
    RowReader<Pointer> reader = row -> new Pointer(row.getInt(1), row.getString(2));
    return lane == 0
        ? Call.query(RotationSql.POINTER.call(), on(RotationSql.POINTER), reader, number)
        : Call.query(
            RotationSql.POINTER_OF_LANE.call(),
            on(RotationSql.POINTER_OF_LANE),
            reader,
            lane,
            number);
  }

  private int lockPointer(Session session, int number, int lane) throws SQLException {
    List<Pointer> pointers = session.run(pointer(number, lane));
    if (pointers.isEmpty()) {
      throw PostponedException.failed("the tenant is gone");
    }
    Pointer pointer = pointers.get(0);
    if (!pointer.isolation().equals(LEVEL)) {
      throw new IllegalStateException(
          "a rotation runs at " + pointer.isolation() + ", where it would lose tasks");
    }
    return pointer.slot();
  }

  private static void refuseUnlessEmpty(Session session, TenantTables tenant, int slot)
      throws SQLException {
    List<Boolean> found =
        session.run(
            Call.query(
                RotationSql.LOOK.call(),
                RotationSql.LOOK.on("slot", tenant.slot(slot)),
                row -> true));
    if (!found.isEmpty()) {
      throw PostponedException.notDrained(slot);
    }
  }

  private static long size(Session session, Name slot) throws SQLException {
    return session
        .run(
            Call.query(
                "size of slot", RotationSql.SIZE, row -> row.getLong(1), DiscoverySql.text(slot)))
        .get(0);
  }

  private static Call<Integer> statement(Sql template, Name slot) {
    return Call.update(template.call(), template.on("slot", slot));
  }
}
