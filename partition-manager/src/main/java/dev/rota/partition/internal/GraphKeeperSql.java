package dev.rota.partition.internal;

import dev.rota.internal.db.Sql;

/** The daemon's statements on the tables of graphs. */
final class GraphKeeperSql {

  /** Tasks that are forgotten in one transaction. */
  static final int TASKS = 5_000;

  /** Tenants that have graphs, by the catalog; the name of a table tells the number. */
  static final Sql TENANTS =
      new Sql(
          "find graphs",
          """
          select t.number from (
            select c.relnamespace, substring(c.relname from '[0-9]+$') as number
              from pg_catalog.pg_class c
             where c.relname >= 'task_spread_' and c.relname < 'task_spread`' and c.relkind = 'r')
              as g
            join pg_catalog.pg_namespace n on n.oid = g.relnamespace
            join {tenants} t on t.number::text = g.number
           where n.nspname = ? || '_' || g.number
           order by t.number""");

  /** Notes when graphs have finished, so that they can be kept for a while from then on. */
  static final Sql FINISH =
      new Sql(
          "finish graphs",
          """
          update {graphs} g set finished_at = now()
           where g.finished_at is null
             and not exists (
                 select from {nodes} n
                  where n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
                    and n.state in (0, 1))
             and not exists (
                 select from {spread} s where s.id >= g.first_id and s.id <= g.last_id)""");

  /**
   * Forgets graphs that finished long enough ago, unless their tenant is under legal hold; one that
   * is too large, in several steps.
   */
  static final Sql FORGET =
      new Sql(
          "forget graphs",
          """
          with expired as materialized (
                 select id, first_id, last_id from {graphs}
                  where finished_at <= now() - ?::bigint * interval '1 microsecond'
                    and not exists (select from {tenants} where number = ? and legal_hold)
                  order by id limit 100),
               doomed as materialized (
                 select n.id from expired g
                   join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
                  limit %1$d),
               cut as (
                 delete from {edges} e using doomed d where e.parent = d.id),
               gone as (
                 delete from {nodes} n using doomed d where n.id = d.id)
          delete from {graphs} g using expired x
           where g.id = x.id and (select count(*) from doomed) < %1$d"""
              .formatted(TASKS));

  private GraphKeeperSql() {}
}
