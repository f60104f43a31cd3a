package dev.rota.internal.db;

/**
 * Every statement on the keys of a tenant ({@code task_key_N}), which it gets with its first task
 * that has one.
 *
 * <p>A row stands for a key that is taken. It is live while its task has not ended. {@code free_at}
 * is when the key is free again once the task has ended; null for a key that goes with its task. A
 * key with a version counts its runs, and holds the payload that replaces the one in the ring.
 *
 * <p>Claims read rows and lock none: a producer that holds one in a long transaction cannot hold up
 * a tenant.
 */
public final class KeySql {

  /** Frees keys whose time is over. */
  public static final Sql FREE_EXPIRED =
      new Sql(
          "free expired keys",
          """
          delete from {keys}
           where key = any (?::text[]) and not live and free_at <= now()""");

  /**
   * Takes keys that are free, and waits for transactions that are taking or freeing them. In the
   * order of the keys, so that two producers never wait for each other.
   *
   * <p>Rejected: {@code do update ... where} for those that are taken, which locks their rows, so
   * that the end of their tasks would wait for the producer's commit.
   */
  public static final Sql TAKE =
      new Sql(
          "take keys",
          """
          insert into {keys} (key, task_id, live, run, free_at, version, kind, lane)
          select u.key, u.id, true, 0, now() + u.kept * interval '1 microsecond', u.version, u.kind,
                 u.lane
            from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::smallint[])
                 as u (key, id, kept, version, kind, lane)
           order by u.key collate "C"
          on conflict (key) do nothing
          returning key, task_id, kind, true""");

  /**
   * Brings newer versions, and tells which of their tasks had ended. Rows of other versions are not
   * locked. The payload in the row replaces that of a task that is there already; a task that is
   * added anew has its own.
   */
  public static final Sql RENEW =
      new Sql(
          "renew keys",
          """
          with newer as materialized (
                 select k.key, k.live, u.version, u.payload, u.lane
                   from unnest(?::text[], ?::bigint[], ?::text[], ?::text[], ?::smallint[])
                        as u (key, version, kind, payload, lane)
                   join {keys} k on k.key = u.key
                  where k.version < u.version and k.kind = u.kind
                  order by k.key for update of k)
          update {keys} k
             set version = n.version, lane = n.lane, live = true, free_at = null,
                 payload = case when n.live then n.payload end
            from newer n where k.key = n.key
          returning k.key, k.task_id, k.kind, not n.live""");

  /** Whose the keys are. */
  public static final Sql FIND =
      new Sql(
          "find keys", "select key, task_id, kind, false from {keys} where key = any (?::text[])");

  /** Lets tasks with these keys that wait become pending at once, as if they had never run. */
  public static final Sql WAKE =
      new Sql(
          "wake keys",
          """
          with moved as (
                 delete from {waiting} where key = any (?::text[])
                 returning id, created_at, parent_id, 0 as attempt, kind, payload, key, traits,
                           lane){insertions}
          select count(*) from moved where (select pg_stat_force_next_flush()) is not null""");

  /** What claimed tasks with a version are to run. */
  public static final Sql START =
      new Sql(
          "start versions",
          """
          select task_id, run, version, payload from {keys}
           where key = any (?::text[]) and version is not null""");

  /** Frees keys that go with their tasks, and those whose time is over. */
  public static final Sql END =
      new Sql(
          "end keys",
          """
          delete from {keys} k using unnest(?::text[], ?::bigint[]) as u (key, id)
           where k.key = u.key and k.task_id = u.id and k.version is null
             and (k.free_at is null or k.free_at <= now())""");

  /** Notes that tasks have ended whose keys are kept. */
  public static final Sql END_KEPT =
      new Sql(
          "end kept keys",
          """
          update {keys} k set live = false from unnest(?::text[], ?::bigint[]) as u (key, id)
           where k.key = u.key and k.task_id = u.id and k.version is null and k.free_at > now()""");

  /**
   * Ends runs of tasks with a version: those that have a newer one by now run again. The number of
   * the run keeps a repeated settle from ending the next run.
   */
  public static final Sql END_VERSIONS =
      new Sql(
          "end versions",
          """
          with ended as materialized (
                 select k.key, k.version > u.version as again, k.payload, u.traits
                   from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[])
                        as u (key, id, run, version, traits)
                   join {keys} k on k.key = u.key
                  where k.task_id = u.id and k.run = u.run and k.live
                  order by k.key for update of k),
               turned as (
                 update {keys} k
                    set run = k.run + 1, live = e.again, payload = null,
                        free_at = case when not e.again then now() + interval '30 days' end
                   from ended e where k.key = e.key
                 returning k.key, k.task_id, k.kind, k.lane, e.again, e.payload, e.traits),
               moved as (
                 select task_id as id, now() as created_at, null::bigint as parent_id, 0 as attempt,
                        kind, payload, key, traits, lane
                   from turned where again){insertions}
          select count(*) from moved where (select pg_stat_force_next_flush()) is not null""");

  /** Ends tasks with a version that were cancelled before they ran. */
  public static final Sql CANCEL_VERSIONS =
      new Sql(
          "cancel versions",
          """
          with ended as materialized (
                 select k.key from unnest(?::text[], ?::bigint[]) as u (key, id)
                   join {keys} k on k.key = u.key
                  where k.task_id = u.id and k.version is not null and k.live
                  order by k.key for update of k)
          update {keys} k
             set run = k.run + 1, live = false, payload = null, free_at = now() + interval '30 days'
            from ended e where k.key = e.key""");

  /** Frees keys whose time is over, some of them, unless their tenant is under legal hold. */
  public static final Sql SWEEP =
      new Sql(
          "sweep keys",
          """
          delete from {keys}
           where key = any (array(
                   select key from {keys}
                    where free_at <= now() and not live
                      and not exists (select from {tenants} where number = ? and legal_hold)
                    order by free_at limit ? for update skip locked))
             and not live and free_at <= now()""");

  private KeySql() {}
}
