package dev.rota.internal.db;

/** Every statement on wait tables ({@code task_wait_N}) but the settle that fills them. */
public final class WaitSql {

  /** Moves tasks that are due into the ring, the longest due first. */
  public static final SqlTemplate PROMOTE =
      new SqlTemplate(
          "promote",
          """
          with due as materialized (
                 select ctid from {waiting} where run_at <= now()
                  order by run_at limit ? for update skip locked),
               moved as (
                 delete from {waiting} where ctid = any (array(select ctid from due))
                 returning id, created_at, parent_id, attempt, kind, payload)
          insert into {slot} (id, created_at, parent_id, attempt, kind, payload)
          select id, created_at, parent_id, attempt, kind, payload from moved
           where (select pg_stat_force_next_flush()) is not null""");

  /** How long until the next task is due, in microseconds; null when none waits. */
  public static final SqlTemplate NEXT_DUE =
      new SqlTemplate(
          "next due",
          "select (extract(epoch from min(run_at) - now()) * 1000000)::bigint from {waiting}");

  private WaitSql() {}
}
