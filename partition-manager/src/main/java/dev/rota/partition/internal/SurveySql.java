package dev.rota.partition.internal;

import dev.rota.internal.db.Sql;

/** The statements that tell which tenants need a rotation or a new segment. */
final class SurveySql {

  /**
   * Where every ring of every tenant stands in time: periods are counted from 1970 in UTC by the
   * clock of the database. The longest not rotated come first. Touches no table of a tenant, so
   * nobody who locks one can hold it up.
   */
  static final Sql TENANTS =
      new Sql(
          "survey tenants",
          """
          select r.number, r.slot, r.current_segment,
                 floor(extract(epoch from now()) * 1000 / p.millis)::bigint,
                 floor(extract(epoch from r.rotated_at) * 1000 / p.millis)::bigint,
                 floor(extract(epoch from s.opened_at) * 1000 / p.millis)::bigint,
                 s.opened_at + coalesce(r.segment_age, p.age * interval '1 millisecond') <= now(),
                 r.keep_history is not null
                 and s.opened_at + greatest(r.keep_history / 10, interval '1 minute') <= now(),
                 coalesce(r.segment_bytes, p.bytes)
            from (select number, current_slot as slot, current_segment, rotated_at, keep_history,
                         segment_age, segment_bytes
                    from {tenants}
                   union all
                  select t.number, l.slot, t.current_segment, l.rotated_at, t.keep_history,
                         t.segment_age, t.segment_bytes
                    from {tenants} t, unnest(t.lane_slots, t.lane_rotated_at) as l (slot, rotated_at)
                   where t.lane_slots is not null) r
            left join {segments} s on s.tenant = r.number and s.seq = r.current_segment
           cross join (values (?::bigint, ?::float8, ?::bigint)) as p (millis, age, bytes)
           order by r.rotated_at""");

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
