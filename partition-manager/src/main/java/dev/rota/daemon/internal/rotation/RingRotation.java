package dev.rota.daemon.internal.rotation;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Name;

/** Switches one ring of a tenant, by a sequence of statements that must never lose a row. */
public final class RingRotation {

  private static final Sql LOCK_SLOT_POINTER = Sql.named("lock_slot_pointer");
  private static final Sql LOCK_SLOT = Sql.named("lock_slot");
  private static final Sql LOOK_BRIEFLY = Sql.named("look_briefly");
  private static final Sql LOOK_INTO_SLOT = Sql.named("look_into_slot");
  private static final Sql SIZE_OF_SLOT = Sql.named("size_of_slot");
  private static final Sql TRUNCATE_SLOT = Sql.named("truncate_slot");
  private static final Sql SWITCH_SLOT = Sql.named("switch_slot");

  private static final String LEVEL = "read committed";

  /** The timeout of each statement under the lock, in milliseconds. */
  private static final String LOOK_MILLIS = "100";

  private final String lockPointer;
  private final String switchSlot;

  public RingRotation(RegistryTables rota) {
    this.lockPointer = LOCK_SLOT_POINTER.on("tenants", rota.tenants());
    this.switchSlot = SWITCH_SLOT.on("tenants", rota.tenants());
  }

  /**
   * Switches the ring, in three round trips.
   *
   * @param believed the current slot as last read
   * @return the new current slot
   * @throws PostponedException if tasks are in the next slot
   * @throws SQLException also if a statement was cancelled, because the slot has many dead rows
   */
  public int run(Session session, TenantTables tenant, int believed) throws SQLException {
    int lane = PriorityLanes.of(believed);
    // Before any lock, so that a slot in use is not disturbed. The check under the lock is short,
    // since this one has pruned the dead rows. It cannot prune those that an old snapshot keeps.
    Look before = new Look(session, tenant, PriorityLanes.after(believed));
    Pointer pointer = lockPointer(session, tenant.number(), lane);
    before.refuseUnlessEmpty();
    pointer.requireLevel();
    int next = PriorityLanes.after(pointer.slot());
    Name slot = tenant.slot(next);
    session.prepend(statement(LOCK_SLOT, slot));
    session.prepend(BoundStatement.query(LOOK_BRIEFLY, row -> true, LOOK_MILLIS));
    // The lock is held and this statement takes a new snapshot: rows of all earlier writers are
    // visible.
    Look under = new Look(session, tenant, next);
    boolean used = size(session, slot) > 0;
    under.refuseUnlessEmpty();
    if (used) {
      session.appendToCommit(statement(TRUNCATE_SLOT, slot));
    }
    session.appendToCommit(point(tenant.number(), lane, next));
    return next;
  }

  private record Pointer(int slot, String isolation) {

    void requireLevel() {
      if (!isolation.equals(LEVEL)) {
        throw new IllegalStateException(
            "a rotation runs at " + isolation + ", where it would lose tasks");
      }
    }
  }

  /** A look into a slot for any row, in the flush of the next statement. */
  private static final class Look {
    private final int slot;
    private boolean found;

    Look(Session session, TenantTables tenant, int slot) {
      this.slot = slot;
      session.prepend(
          BoundStatement.query(
              LOOK_INTO_SLOT.call(),
              LOOK_INTO_SLOT.on("slot", tenant.slot(slot)),
              row -> found = true));
    }

    void refuseUnlessEmpty() {
      if (found) {
        throw PostponedException.notDrained(slot);
      }
    }
  }

  private BoundStatement<Integer> point(int number, int lane, int next) {
    return BoundStatement.update(SWITCH_SLOT.call(), switchSlot, lane, next, lane, lane, number);
  }

  private Pointer lockPointer(Session session, int number, int lane) throws SQLException {
    List<Pointer> pointers =
        session.run(
            BoundStatement.query(
                LOCK_SLOT_POINTER.call(),
                lockPointer,
                row -> new Pointer(row.getInt(1), row.getString(2)),
                lane,
                number));
    if (pointers.isEmpty()) {
      throw PostponedException.failed("the tenant is gone");
    }
    return pointers.get(0);
  }

  private static long size(Session session, Name slot) throws SQLException {
    return session
        .run(BoundStatement.query(SIZE_OF_SLOT, row -> row.getLong(1), Sql.render(slot)))
        .get(0);
  }

  private static BoundStatement<Integer> statement(Sql template, Name slot) {
    return BoundStatement.update(template.call(), template.on("slot", slot));
  }

  /** Thrown to roll back a ring switch that is not possible at present. */
  public static final class PostponedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean undrained;

    private PostponedException(String reason, boolean undrained) {
      super(reason, null, false, false);
      this.undrained = undrained;
    }

    static PostponedException notDrained(int slot) {
      return new PostponedException("not drained: slot " + slot + " still holds tasks", true);
    }

    static PostponedException paused() {
      return new PostponedException("paused: no task of the tenant begins", false);
    }

    static PostponedException locked(int slot, String cause) {
      return new PostponedException(
          "lock not available: slot " + slot + " is in use (" + cause + ")", false);
    }

    static PostponedException cancelled(int slot, String cause) {
      return new PostponedException(
          "dead rows: looking through slot "
              + slot
              + " took too long; end old transactions, which keep them ("
              + cause
              + ")",
          false);
    }

    static PostponedException failed(String cause) {
      return new PostponedException("failed: " + cause, false);
    }

    String reason() {
      return String.valueOf(getMessage());
    }

    /** Whether tasks in the next slot are the reason. */
    boolean isUndrained() {
      return undrained;
    }
  }
}
