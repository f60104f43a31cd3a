package dev.rota.partition.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.DiscoverySql;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlTemplate;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Name;

/** One ring switch of one tenant: the sequence of statements that must never lose a row. */
final class RingSwitch {

  private static final String LEVEL = "read committed";

  private final RotaTables rota;

  private record Pointer(int slot, String isolation) {}

  RingSwitch(RotaTables rota) {
    this.rota = rota;
  }

  /** The slot after this one. */
  static int after(int slot) {
    return (slot + 1) % TenantTables.SLOTS;
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
    refuseUnlessEmpty(session, tenant, after(believed));
    int next = after(lockPointer(session, tenant.number()));
    Name slot = tenant.slot(next);
    session.run(statement(RotationSql.LOCK, slot));
    // The lock is held and this statement takes a new snapshot: whoever was in the slot is seen.
    refuseUnlessEmpty(session, tenant, next);
    if (size(session, slot) > 0) {
      session.run(statement(RotationSql.TRUNCATE, slot));
    }
    session.run(
        Call.update(
            RotationSql.POINT.call(),
            RotationSql.POINT.on("tenants", rota.tenants()),
            next,
            tenant.number()));
    return next;
  }

  private int lockPointer(Session session, int number) throws SQLException {
    List<Pointer> pointers =
        session.run(
            Call.query(
                RotationSql.POINTER.call(),
                RotationSql.POINTER.on("tenants", rota.tenants()),
                row -> new Pointer(row.getInt(1), row.getString(2)),
                number));
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

  private static Call<Integer> statement(SqlTemplate template, Name slot) {
    return Call.update(template.call(), template.on("slot", slot));
  }
}
