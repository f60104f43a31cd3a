package dev.rota.internal.db;

/** Every statement of the hot path on segments of the ledger ({@code task_batch_<seq>}). */
public final class LedgerSql {

  /** Opens the batches of one transaction; with an end, they are closed as they are opened. */
  public static final Sql OPEN =
      new Sql(
          "open batches",
          """
          insert into {ledger} (id, worker, claimed_at, closed_at, first_block, last_block,
                                tenant, segment, tasks, ended)
          select u.id, ?::bigint, now(), case when ?::smallint = 0 then null else now() end,
                 u.first_block, u.last_block, u.tenant, u.segment, u.tasks, ?::smallint
            from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[])
                 as u (id, first_block, last_block, tenant, segment, tasks)""");

  /**
   * Closes batches of one worker and returns those that were still open: the others have lost their
   * lease, and their outcomes must not be written. After a restore the same number may be that of a
   * batch of another worker.
   *
   * <p>"Open" is asked of {@code ended}, so that only the primary key fits. Rejected: {@code
   * closed_at is null}, planned over a young segment, walks through the whole index of open
   * batches, which keeps an entry for each one that ever was: 7 ms after 200,000 batches.
   */
  public static final Sql CLOSE =
      new Sql(
          "close batches",
          """
          update {ledger} set closed_at = now(), ended = ?::smallint
           where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
          returning id""");

  /** Locks batches of one worker that are to stay open while some outcomes are written. */
  public static final Sql FENCE =
      new Sql(
          "fence batches",
          """
          select id from {ledger}
           where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
           order by id for update""");

  /** How a worker's batches ended: tells a settle whose answer was lost from a lost lease. */
  public static final Sql ENDED =
      new Sql(
          "look up batches",
          """
          select id from {ledger}
           where id = any (?::bigint[]) and worker = ?::bigint and ended = ?::smallint""");

  private LedgerSql() {}
}
