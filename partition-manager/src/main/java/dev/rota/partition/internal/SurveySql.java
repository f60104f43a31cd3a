package dev.rota.partition.internal;

import dev.rota.internal.db.SqlTemplate;

/** The statements that tell which tenants need a rotation or a new segment. */
final class SurveySql {

  /**
   * Where every tenant stands in time: periods are counted from 1970 in UTC by the clock of the
   * database. The longest not rotated come first. Touches no table of a tenant, so nobody who locks
   * one can hold it up.
   */
  static final SqlTemplate TENANTS =
      new SqlTemplate(
          "survey tenants",
          """
          select t.number, t.current_slot, t.current_segment,
                 floor(extract(epoch from now()) * 1000 / p.millis)::bigint,
                 floor(extract(epoch from t.rotated_at) * 1000 / p.millis)::bigint,
                 floor(extract(epoch from s.opened_at) * 1000 / p.millis)::bigint,
                 s.opened_at + p.age * interval '1 millisecond' <= now(),
                 coalesce(s.opened_at + greatest(t.keep_history / 10, interval '1 minute') <= now(),
                          false)
            from {tenants} t
            left join {segments} s on s.tenant = t.number and s.seq = t.current_segment
           cross join (values (?::bigint, ?::float8)) as p (millis, age)
           order by t.rotated_at""");

  /**
   * Sizes of tables, in bytes. Opens each table, and so waits for a lock that keeps readers out.
   */
  static final String SIZES =
      """
      select u.oid, coalesce(pg_relation_size(u.oid::oid), 0)
        from unnest(?::bigint[]) as u (oid)""";

  /** Which of these tables somebody keeps readers out of, or is about to. */
  static final String LOCKED =
      """
      select distinct l.relation::bigint from pg_locks l
       where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
         and l.database = (select d.oid from pg_database d where d.datname = current_database())
         and l.relation::bigint = any (?::bigint[])""";

  /** Which of these tables hold row versions so old that transaction numbers may wrap around. */
  static final String AGED =
      """
      select c.oid::bigint from pg_class c
       where c.oid::bigint = any (?::bigint[]) and age(c.relfrozenxid) > ?""";

  private SurveySql() {}
}
