package dev.rota.partition.internal;

import dev.rota.internal.db.Sql;

/** The statements that find what dead workers held. */
final class ReaperSql {

  /** Tells two heartbeats apart, exactly. */
  static final String HEARTBEAT = "(extract(epoch from w.heartbeat_at) * 1000000)::bigint";

  /**
   * All workers with their last heartbeats and leases, in microseconds. {@link SilenceWatch} finds
   * the dead.
   *
   * <p>Rejected: {@code heartbeat_at + lease < now()}. A step of the database's clock by more than
   * a lease took all tasks from workers that lived.
   */
  static final Sql WORKERS =
      new Sql(
          "find dead workers",
          "select w.id, "
              + HEARTBEAT
              + ", (extract(epoch from w.lease) * 1000000)::bigint from {workers} w");

  /** Batches of one worker; the condition of a query on the ledger. */
  static final String OF_WORKER =
      "where b.worker = ? and b.closed_at is null and b.id <> all (?::bigint[])"
          + " order by b.id limit 100";

  /** Batches of workers that are not registered; the condition of a query on the ledger. */
  static final Sql OF_NOBODY =
      new Sql(
          "batches of nobody",
          """
          where b.closed_at is null and b.id <> all (?::bigint[])
            and not exists (select from {workers} w where w.id = b.worker)
          order by b.id limit 100""");

  /**
   * Whether a worker has still sent no other heartbeat. Its row stays locked, so that it cannot
   * wake up before its batch has returned; one that is sending a heartbeat at this moment is passed
   * over.
   */
  static final Sql STILL_DEAD =
      new Sql(
          "lock dead worker",
          "select w.id from {workers} w where w.id = ? and "
              + HEARTBEAT
              + " = ? for update skip locked");

  /** Whether a batch still belongs to nobody. */
  static final Sql STILL_NOBODYS =
      new Sql(
          "look for worker",
          """
          select b.id from {ledger} b
           where b.id = ? and not exists (select from {workers} w where w.id = b.worker)""");

  /** Signs off the dead who hold nothing. */
  static final Sql FORGET =
      new Sql(
          "forget dead workers",
          "delete from {workers} w using unnest(?::bigint[], ?::bigint[]) as u (id, heartbeat)"
              + " where w.id = u.id and "
              + HEARTBEAT
              + " = u.heartbeat and not exists (select from {ledger} b"
              + " where b.worker = w.id and b.closed_at is null)");

  private ReaperSql() {}
}
