package dev.rota.internal.db;

/** Every statement on wait tables ({@code task_wait_N}) but the settle of failed tasks. */
public final class WaitSql {

  /**
   * Stores tasks that are to wait: until a time, given in microseconds since 1970, or for so many
   * microseconds from now.
   */
  public static final Sql ENQUEUE =
      new Sql(
          "enqueue delayed",
          """
          insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                                 traits, lane)
          select u.id,
                 case when u.absolute then timestamptz 'epoch' else now() end
                   + u.micros * interval '1 microsecond',
                 now(), u.parent_id, 0, u.kind, u.payload, u.key, u.traits, u.lane
            from unnest(?::bigint[], ?::boolean[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
                        ?::text[], ?::int[], ?::smallint[])
                 as u (id, absolute, micros, parent_id, kind, payload, key, traits, lane)
           where (select pg_stat_force_next_flush()) is not null""");

  /**
   * Moves tasks that are due into the ring, the longest due first. Those of a lane that this
   * process has not heard of yet are left alone until it has. Asking for the lane beside the time
   * instead would cost the order of the index.
   */
  public static final Sql PROMOTE =
      new Sql(
          "promote",
          """
          with due as materialized (
                 select ctid, lane from {waiting} where run_at <= now()
                  order by run_at limit ? for update skip locked),
               moved as (
                 delete from {waiting}
                  where ctid = any (array(select ctid from due where lane is null))
                 returning id, created_at, parent_id, attempt, kind, payload, key, traits)
          insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
          select id, created_at, parent_id, attempt, kind, payload, key, traits from moved
           where (select pg_stat_force_next_flush()) is not null""");

  /** The same for a tenant with several lanes, each task into the ring of its own. */
  public static final Sql PROMOTE_TO_LANES =
      new Sql(
          "promote",
          """
          with due as materialized (
                 select ctid, lane from {waiting} where run_at <= now()
                  order by run_at limit ? for update skip locked),
               moved as (
                 delete from {waiting}
                  where ctid = any (array(select ctid from due where coalesce(lane, 0) < {lanes}))
                 returning id, created_at, parent_id, attempt, kind, payload, key, traits, lane)
                 {insertions}
          select count(*) from moved where (select pg_stat_force_next_flush()) is not null""");

  /**
   * How long until the next task is due, in microseconds, between a day ago and a day from now;
   * null when none waits. And whether one waits that never becomes due, which the index tells.
   */
  public static final Sql NEXT_DUE =
      new Sql(
          "next due",
          """
          select case when min(run_at) is not null then
                   (extract(epoch from least(greatest(min(run_at), now() - interval '1 day'),
                                             now() + interval '1 day') - now()) * 1000000)::bigint
                 end,
                 coalesce(max(run_at) = 'infinity', false)
                   or exists (select from {waiting} where run_at is null)
            from {waiting}""");

  private WaitSql() {}
}
