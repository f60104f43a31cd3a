package dev.rota.internal.db;

/** The statement that finds tenants whose tables an older version made. */
public final class TenantUpgradeSql {

  /** Tenants whose wait table, which is altered with all others, lacks the newest column. */
  public static final SqlTemplate OUTDATED =
      new SqlTemplate(
          "look for outdated tenants",
          """
          with wait_table as (
                 select r.number, to_regclass(format('%I.%I', ?::text || '_' || r.number,
                                                     'task_wait_' || r.number)) as id
                   from {tenants} r)
          select w.number from wait_table w
           where w.id is not null
             and not exists (select from pg_attribute a
                              where a.attrelid = w.id and a.attname = 'lane')
           order by w.number""");

  private TenantUpgradeSql() {}
}
