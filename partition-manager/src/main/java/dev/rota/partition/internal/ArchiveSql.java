package dev.rota.partition.internal;

import dev.rota.internal.db.Sql;

/** The statements on the manifest of the archive. */
final class ArchiveSql {

  /**
   * Segments whose rows do not change any more but by a redrive, and that are not archived yet.
   * Rejected: an outer join, for which the whole manifest may be read.
   */
  static final Sql ARCHIVABLE =
      new Sql(
          "find archivable segments",
          """
          select s.tenant, s.seq from {segments} s
            join {tenants} t on t.number = s.tenant
           where s.dropped_at is null and coalesce(t.archive, true)
             and coalesce((select a.archived_at is null and a.expired_at is null from {archive} a
                            where a.tenant = s.tenant and a.seq = s.seq), true)
             and s.sealed_at <= now() - ?::float8 * interval '1 millisecond'
             and (s.tenant, s.seq) not in (select * from unnest(?::int[], ?::int[]))
             and not exists (select from {ledger} b
                              where b.closed_at is null and b.tenant = s.tenant
                                and b.segment = s.seq)
           order by s.sealed_at limit 100""");

  /**
   * Notes that an object will be put, before it is, so that none is ever unknown; tells its key,
   * whether there may be one already, when the segment was opened and sealed, and what was archived
   * before. The key is that of {@link dev.rota.archive.internal.SegmentKey}, with the hour of the
   * database's clock.
   */
  static final Sql BEGIN =
      new Sql(
          "begin archiving",
          """
          insert into {archive} as a (tenant, seq, opened_at, sealed_at, key)
          select s.tenant, s.seq, s.opened_at, s.sealed_at,
                 'tenant=' || s.tenant || '/hour='
                   || to_char(s.opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24')
                   || 'Z/seq=' || s.seq || '.parquet'
            from {segments} s
           where s.tenant = ? and s.seq = ? and s.dropped_at is null and s.sealed_at is not null
          on conflict (tenant, seq) do update set archived_at = null where a.expired_at is null
          returning a.key, a.xmax <> 0, (extract(epoch from a.opened_at) * 1000000)::bigint,
                    (extract(epoch from a.sealed_at) * 1000000)::bigint, a.sha256""");

  /** Whether nobody else has finished it meanwhile. */
  static final Sql BEGUN =
      new Sql(
          "look whether it is still to be archived",
          """
          select 1 from {archive}
           where tenant = ? and seq = ? and archived_at is null and expired_at is null""");

  /** The object is there and was read back. */
  static final Sql ARCHIVED =
      new Sql(
          "note archived segment",
          """
          update {archive} a
             set bytes = ?, rows = ?, id_sum = ?::numeric, state_sum = ?, sha256 = ?,
                 id_from = ?, id_to = ?,
                 created_from = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
                 created_to = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
                 claimed_from = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
                 claimed_to = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
                 archived_at = now(), trouble = ?
           where tenant = ? and seq = ? and expired_at is null""");

  /** Segments that were archived and are kept long enough in the database. */
  static final Sql DROPPABLE =
      new Sql(
          "find archived segments to drop",
          """
          select a.tenant, a.seq, a.key, a.bytes, a.sha256, a.rows, a.id_sum::text, a.state_sum
            from {archive} a
            join {segments} s on s.tenant = a.tenant and s.seq = a.seq
            join {tenants} t on t.number = a.tenant
           where s.dropped_at is null and a.archived_at is not null and a.expired_at is null
             and coalesce(t.archive, true) and not t.legal_hold
             and s.sealed_at <= now() - coalesce(t.keep_history, ?::float8 * interval '1 millisecond')
             and (a.tenant, a.seq) not in (select * from unnest(?::int[], ?::int[]))
           order by s.sealed_at limit 100""");

  /**
   * Whether a segment may still be dropped, in the transaction that drops it, with the tenant's row
   * locked: a policy may have changed, and another archiver may be at work.
   */
  static final Sql STILL_DROPPABLE =
      new Sql(
          "look for a legal hold",
          """
          select t.number from {tenants} t join {archive} a on a.tenant = t.number
           where t.number = ? and a.seq = ? and a.sha256 = ? and a.archived_at is not null
             and a.expired_at is null and not t.legal_hold
             for update of a""");

  /** Its rows changed after it was archived: it is archived again. */
  static final Sql REOPEN =
      new Sql(
          "archive again", "update {archive} set archived_at = null where tenant = ? and seq = ?");

  /** Why it failed. */
  static final Sql TROUBLE =
      new Sql(
          "note trouble with the archive",
          """
          update {archive} set trouble = ?
           where tenant = ? and seq = ? and trouble is distinct from ?""");

  /**
   * Marks objects that are kept long enough, those that were begun for segments that are dropped
   * without an archive by now, and those of tenants that are gone. What is still in the database is
   * kept in the archive too.
   *
   * <p>It visits the tenants one by one, by index, and marks up to a hundred objects of each.
   * Rejected: one condition over all rows, which reads the whole manifest every ten seconds, a
   * million rows after some years.
   */
  static final Sql EXPIRE =
      new Sql(
          "mark expired archive",
          """
          with recursive known (tenant) as (
                 select min(tenant) from {archive}
                 union all
                 select (select min(a.tenant) from {archive} a where a.tenant > k.tenant)
                   from known k where k.tenant is not null),
               due (place) as (
                 select a.place
                   from known k
                  cross join lateral (select a.ctid as place from {archive} a
                                       where a.tenant = k.tenant and a.expired_at is null
                                       order by a.sealed_at limit 100) a
                  where not exists (select from {tenants} t where t.number = k.tenant)
                 union all
                 select a.place
                   from {tenants} t
                  cross join lateral (select a.ctid as place from {archive} a
                                       where a.tenant = t.number and a.expired_at is null
                                         and a.sealed_at <= now() - coalesce(t.keep_archive,
                                               ?::float8 * interval '1 millisecond')
                                         and not exists (
                                           select from {segments} s
                                            where s.tenant = t.number and s.seq = a.seq
                                              and s.dropped_at is null)
                                       order by a.sealed_at limit 100) a
                  where not t.legal_hold
                 union all
                 select a.ctid
                   from {archive} a
                   join {tenants} t on t.number = a.tenant and not t.legal_hold
                  where a.archived_at is null and a.expired_at is null
                    and not exists (select from {segments} s
                                     where s.tenant = a.tenant and s.seq = a.seq
                                       and s.dropped_at is null))
          update {archive} a set expired_at = now()
           where a.ctid = any (array(select d.place from due d)) and a.expired_at is null""");

  /** Objects to delete. */
  static final Sql EXPIRED =
      new Sql(
          "list expired archive",
          """
          select a.tenant, a.seq, a.key from {archive} a
           where a.expired_at is not null
             and not exists (select from {tenants} t where t.number = a.tenant and t.legal_hold)
             and (a.tenant, a.seq) not in (select * from unnest(?::int[], ?::int[]))
           order by a.expired_at limit 100""");

  /** The object is gone. */
  static final Sql FORGET =
      new Sql(
          "forget archived segment",
          "delete from {archive} where tenant = ? and seq = ? and expired_at is not null");

  /** What failed before has come to its end. */
  static final Sql RECOVERED =
      new Sql(
          "note recovery of the archive",
          """
          update {archive} set trouble = null
           where tenant = ? and seq = ? and trouble is not null""");

  /** Tenants that were erased not long ago, and how many seconds ago. */
  static final Sql ERASED =
      new Sql(
          "list erased tenants",
          """
          select e.tenant, extract(epoch from now() - e.finished_at)::bigint from {erasures} e
           where e.finished_at > now() - interval '7 days'
             and not exists (select from {tenants} t where t.number = e.tenant)
           order by e.tenant""");

  /** Why it could not be told whether anything came after a tenant was erased, or null. */
  static final Sql TROUBLE_AFTER_ERASURE =
      new Sql(
          "note trouble after an erasure",
          """
          update {erasures} set trouble = ?
           where tenant = ? and trouble is distinct from ?""");

  private ArchiveSql() {}
}
