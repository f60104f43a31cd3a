package dev.rota.partition.internal;

import dev.rota.internal.db.Sql;

/**
 * The statements of a ring switch; {@link RingSwitch} runs them in this order, in one transaction
 * at READ COMMITTED.
 *
 * <p>Rejected: insert-select-then-truncate, and any snapshot older than the lock (REPEATABLE READ,
 * or a procedure that is CALLed): both lose the rows of every producer in flight.
 */
final class RotationSql {

  /** Finds a row, if there is one. */
  static final Sql LOOK = new Sql("look into slot", "select 1 from {slot} limit 1");

  /** Locks the tenant's row, and tells the level at which all that follows is going to look. */
  static final Sql POINTER =
      new Sql(
          "lock slot pointer",
          """
          select current_slot, current_setting('transaction_isolation')
            from {tenants} where number = ? for update""");

  /** The same for another lane of the tenant than lane 0. */
  static final Sql POINTER_OF_LANE =
      new Sql(
          "lock slot pointer",
          """
          select lane_slots[?], current_setting('transaction_isolation')
            from {tenants} where number = ? for update""");

  /** Waits for every producer and consumer in the slot, and keeps new ones out. */
  static final Sql LOCK = new Sql("lock slot", "lock table {slot} in access exclusive mode");

  /** Whether there is anything to cut off: a needless TRUNCATE costs catalog rows and a file. */
  static final String SIZE = "select coalesce(pg_relation_size(to_regclass(?)), 0)";

  /** Throws the dead rows away. */
  static final Sql TRUNCATE = new Sql("truncate slot", "truncate table {slot}");

  /** Sends producers to the slot. */
  static final Sql POINT =
      new Sql(
          "switch slot",
          """
          update {tenants} set current_slot = ?, rotated_at = now(), rotations = rotations + 1,
                 postponed_reason =
                   case when postponed_reason like 'lane %' then postponed_reason end
           where number = ?""");

  /** Sends producers of another lane to the slot. */
  static final Sql POINT_OF_LANE =
      new Sql(
          "switch slot",
          """
          update {tenants} set lane_slots[?] = ?, lane_rotated_at[?] = now(),
                 rotations = rotations + 1,
                 postponed_reason =
                   case when starts_with(postponed_reason, ?) then null else postponed_reason end
           where number = ?""");

  /** Notes for people that a rotation was put off, and why. */
  static final Sql POSTPONE =
      new Sql(
          "postpone rotation",
          "update {tenants} set postponed = postponed + 1, postponed_reason = ? where number = ?");

  /**
   * What consumers did in the slot that is to be emptied, and whether the current one was consumed.
   */
  static final String CONSUMED =
      "select pg_stat_get_tuples_deleted(?::oid), pg_stat_get_dead_tuples(?::oid) > 0";

  private RotationSql() {}
}
