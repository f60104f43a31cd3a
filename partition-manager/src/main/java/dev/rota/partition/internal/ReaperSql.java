package dev.rota.partition.internal;

import dev.rota.internal.db.SqlTemplate;

/** The statements that find what dead workers held. */
final class ReaperSql {

  /**
   * A worker whose last heartbeat is older than its lease is dead. Silence counts only while the
   * server was there to hear: after a restart every worker gets a lease to speak up.
   */
  static final String DEAD = "greatest(heartbeat_at, pg_postmaster_start_time()) + lease < now()";

  /** The dead, longest silent first. */
  static final SqlTemplate DEAD_WORKERS =
      new SqlTemplate(
          "find dead workers",
          "select id from {workers} where " + DEAD + " order by heartbeat_at limit 1000");

  /** Batches of one worker; the condition of a query on the ledger. */
  static final String OF_WORKER =
      "where b.worker = ? and b.closed_at is null and b.id <> all (?::bigint[])"
          + " order by b.id limit 100";

  /** Batches of workers that are not registered; the condition of a query on the ledger. */
  static final SqlTemplate OF_NOBODY =
      new SqlTemplate(
          "batches of nobody",
          """
          where b.closed_at is null and b.id <> all (?::bigint[])
            and not exists (select from {workers} w where w.id = b.worker)
          order by b.id limit 100""");

  /**
   * Whether a worker is still dead. Its row stays locked, so that it cannot wake up before its
   * batch has returned; one that is sending a heartbeat at this moment is passed over.
   */
  static final SqlTemplate STILL_DEAD =
      new SqlTemplate(
          "lock dead worker",
          "select id from {workers} where id = ? and " + DEAD + " for update skip locked");

  /** Whether a batch still belongs to nobody. */
  static final SqlTemplate STILL_NOBODYS =
      new SqlTemplate(
          "look for worker",
          """
          select b.id from {ledger} b
           where b.id = ? and not exists (select from {workers} w where w.id = b.worker)""");

  /** Signs off the dead who hold nothing. */
  static final SqlTemplate FORGET =
      new SqlTemplate(
          "forget dead workers",
          "delete from {workers} w where id = any (?::bigint[]) and "
              + DEAD
              + " and not exists (select from {ledger} b"
              + " where b.worker = w.id and b.closed_at is null)");

  private ReaperSql() {}
}
