package dev.rota.partition.internal;

import dev.rota.internal.db.AssignmentSql;
import dev.rota.internal.db.Sql;

/** The statements that find and end assignments of dead processes. */
final class AssignmentReaperSql {

  /** How many end in one transaction. */
  static final int CHUNK = 5_000;

  /** Tenants that have pools. */
  static final Sql TENANTS =
      new Sql("find pools", "select distinct tenant from {pools} order by tenant");

  /**
   * Ends assignments of the dead, and of processes that are not registered: their row was deleted
   * while an assignment was under way.
   */
  static final Sql FREE =
      AssignmentSql.ending(
          "free assignments",
          "holder = any (?::bigint[])"
              + " or not exists (select from {workers} w where w.id = holder) limit "
              + CHUNK,
          "returns is not null");

  private AssignmentReaperSql() {}
}
