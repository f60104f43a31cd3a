package dev.rota.internal.db;

/**
 * Every statement on {@code rota.cancel_request}.
 *
 * <p>A request is made while the row of its batch in the ledger is locked and the batch open.
 * Whoever settles or returns the batch holds the same lock before looking for requests, so that
 * none slips through between; and once the batch is closed its requests mean nothing any more.
 */
public final class CancelSql {

  /** Asks those tasks of open batches that have not ended and meet the conditions. */
  public static final Sql REQUEST =
      new Sql(
          "request cancel",
          """
          insert into {requests} (batch, task, worker, tenant, reason)
          select b.id, t.id, b.worker, b.tenant, ?
            from {ledger} b join {segment} t on t.batch_id = b.id
           where b.id = any (?::bigint[]) and t.state = 0
             and (?::bigint[] is null or t.id = any (?::bigint[]))
             and (?::text is null or t.kind = ?::text)
             and (?::text is null or t.key = ?::text)
             and (?::timestamptz is null or t.created_at >= ?::timestamptz)
             and (?::timestamptz is null or t.created_at < ?::timestamptz)
             and t.ctid >= ?::tid and t.ctid < ?::tid
          on conflict do nothing""");

  /** What the tasks of a process were asked. */
  public static final Sql OF_WORKER =
      new Sql("look for cancel requests", "select batch, task from {requests} where worker = ?");

  /** What the tasks of some batches were asked, and why. */
  public static final Sql OF_BATCHES =
      new Sql(
          "read cancel requests",
          "select task, reason from {requests} where batch = any (?::bigint[])");

  /**
   * Cancels what a batch that is being returned left unsettled, as far as it was asked to. Tasks
   * with a certain trait are left out.
   */
  public static final Sql CANCEL_UNSETTLED =
      new Sql(
          "cancel unsettled",
          """
          update {segment} h set state = 4, error = r.reason, finished_at = now()
            from {requests} r
           where h.ctid >= ?::tid and h.ctid < ?::tid and h.batch_id = ?::bigint and h.state = 0
             and r.batch = h.batch_id and r.task = h.id and coalesce(h.traits, 0) & ?::int = 0
          returning h.id, h.key, h.traits""");

  /** Removes the requests of batches that end. */
  public static final Sql REMOVE =
      new Sql("remove cancel requests", "delete from {requests} where batch = any (?::bigint[])");

  /** Whether there is any. */
  public static final Sql ANY =
      new Sql("look for any cancel request", "select 1 from {requests} limit 1");

  /** Removes those whose batch has ended. */
  public static final Sql CLEAN =
      new Sql(
          "clean cancel requests",
          """
          delete from {requests} r
           where not exists (select from {ledger} b where b.id = r.batch and b.closed_at is null)""");

  private CancelSql() {}
}
