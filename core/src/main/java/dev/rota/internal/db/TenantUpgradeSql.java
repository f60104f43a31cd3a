package dev.rota.internal.db;

/** The statement that finds tenants whose tables an older version made. */
public final class TenantUpgradeSql {

  /**
   * Tenants that lack something: whether the wait table, which is altered with all others, lacks
   * the newest column, and whether the function that enqueues is missing. All tenants, or one.
   */
  public static final Sql OUTDATED =
      new Sql(
          "look for outdated tenants",
          """
          with tenant as (
                 select r.number, n.oid as schema,
                        to_regclass(format('%I.%I', n.nspname, 'task_wait_' || r.number)) as waiting
                   from {tenants} r
                   join pg_namespace n on n.nspname = ?::text || '_' || r.number
                  where ?::integer is null or r.number = ?::integer),
               lacking as (
                 select t.number,
                        not exists (select from pg_attribute a
                                     where a.attrelid = t.waiting and a.attname = 'lane') as columns,
                        not exists (select from pg_proc p
                                     where p.pronamespace = t.schema and p.proname = 'enqueue')
                          as enqueue
                   from tenant t where t.waiting is not null)
          select l.number, l.columns, l.enqueue from lacking l
           where l.columns or l.enqueue order by l.number""");

  private TenantUpgradeSql() {}
}
