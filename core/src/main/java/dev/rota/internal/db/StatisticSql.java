package dev.rota.internal.db;

/** Every statement on {@code rota.statistic}. */
public final class StatisticSql {

  /** The clock, in microseconds since 1970: a transaction may have begun earlier. */
  public static final Sql CLOCK =
      new Sql(
          "read the clock for statistics",
          "select (extract(epoch from clock_timestamp()) * 1000000)::bigint");

  /**
   * Adds to what stands there, in one order in all processes, so that no two wait for each other.
   * What belongs to a tenant that is gone is left out. Returns the number of the transaction, by
   * which can be asked later what became of it.
   *
   * <p>Rejected: a row for each worker, summed up by the reader, which needs somebody to fold the
   * rows of dead workers; and in the transaction of the settle, in which workers of one tenant
   * would wait for each other's commits.
   */
  public static final Sql ADD =
      new Sql(
          "add statistics",
          """
          insert into {statistics} as s (tenant, hour, kind, done, failed, dead, cancelled, run_micros,
                                         first_attempts, wait_micros)
          select u.tenant, timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.done, u.failed,
                 u.dead, u.cancelled, u.run_micros, u.first_attempts, u.wait_micros
            from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[],
                        ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
                 as u (tenant, hour, kind, done, failed, dead, cancelled, run_micros, first_attempts,
                       wait_micros)
            join {tenants} t on t.number = u.tenant
           order by u.tenant, u.hour, u.kind collate "C"
          on conflict (tenant, hour, kind) do update
             set done = s.done + excluded.done,
                 failed = s.failed + excluded.failed,
                 dead = s.dead + excluded.dead,
                 cancelled = s.cancelled + excluded.cancelled,
                 run_micros = s.run_micros + excluded.run_micros,
                 first_attempts = s.first_attempts + excluded.first_attempts,
                 wait_micros = s.wait_micros + excluded.wait_micros
          returning pg_current_xact_id()::text""");

  /** What became of a transaction whose COMMIT had no answer. */
  public static final Sql FATE =
      new Sql("look up a transaction", "select pg_xact_status(?::text::xid8)");

  /** The hours of a tenant that overlap a time, in order. */
  public static final Sql READ =
      new Sql(
          "read statistics",
          """
          select extract(epoch from s.hour)::bigint, s.kind, s.done, s.failed, s.dead, s.cancelled,
                 s.run_micros, s.first_attempts, s.wait_micros
            from {statistics} s
           where s.tenant = ? and s.hour > ?::timestamptz - interval '1 hour'
             and s.hour < ?::timestamptz
           order by s.hour, s.kind""");

  /** Forgets some of what is kept for long enough, and nothing under legal hold. */
  public static final Sql FORGET =
      new Sql(
          "forget statistics",
          """
          delete from {statistics} where ctid = any (array(
            select s.ctid from {statistics} s
             where s.hour < now() - ?::float8 * interval '1 millisecond'
               and s.tenant not in (select number from {tenants} where legal_hold) limit ?))""");

  private StatisticSql() {}
}
