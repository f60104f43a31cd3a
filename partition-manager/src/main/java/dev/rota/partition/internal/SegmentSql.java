package dev.rota.partition.internal;

import dev.rota.internal.db.Sql;

/** The statements that open and retire segments of history, but their DDL. */
final class SegmentSql {

  /** Locks the tenant's row and tells its open segment. */
  static final Sql CURRENT =
      new Sql(
          "lock segment pointer",
          "select current_segment from {tenants} where number = ? for update");

  /** The segments that exist, oldest first. */
  static final Sql KEPT =
      new Sql(
          "list segments",
          "select seq from {segments} where tenant = ? and dropped_at is null order by seq");

  /** Registers a segment. */
  static final Sql OPEN =
      new Sql("open segment", "insert into {segments} (tenant, seq) values (?, ?)");

  /** From here on claims that know of it go to another segment; late ones may still come. */
  static final Sql SEAL =
      new Sql(
          "seal segment",
          """
          update {segments} set sealed_at = now()
           where tenant = ? and seq = ? and sealed_at is null""");

  /** Sends claims to a segment. */
  static final Sql POINT =
      new Sql("point to segment", "update {tenants} set current_segment = ? where number = ?");

  /**
   * Segments that are kept long enough, by the setting of their tenant or else of the daemon, that
   * shall not be archived, and that no open batch needs.
   */
  static final Sql RETIRABLE =
      new Sql(
          "find retirable segments",
          """
          select s.tenant, s.seq from {segments} s join {tenants} t on t.number = s.tenant
           where s.dropped_at is null and s.tenant <> all (?::int[])
             and not t.legal_hold and not coalesce(t.archive, ?::boolean)
             and s.sealed_at <= now() - coalesce(t.keep_history, ?::float8 * interval '1 millisecond')
             and not exists (select from {ledger} b
                              where b.closed_at is null and b.tenant = s.tenant
                                and b.segment = s.seq)
           order by s.sealed_at limit 100""");

  /** Keeps writers out, but not readers, so that counting holds nobody up. */
  static final Sql LOCK = new Sql("lock segment", "lock table {segment} in share mode");

  /** A batch that may still write into the segment. */
  static final Sql OPEN_BATCH =
      new Sql(
          "look for open batches",
          """
          select b.id from {ledger} b
           where b.closed_at is null and b.tenant = ? and b.segment = ? limit 1""");

  /**
   * What tells whether a range of blocks holds what was archived, and how many rows. Rejected: the
   * whole segment at once, which kept the leader from its other duties for as long as a gigabyte
   * takes to be read.
   */
  static final Sql SUMS =
      new Sql(
          "sum up segment",
          """
          select count(*), coalesce(sum(id), 0)::text, coalesce(sum(state), 0)
            from {segment} where ctid >= ?::tid and ctid < ?::tid""");

  /** Drops; waits for readers. */
  static final Sql DROP = new Sql("drop segment", "drop table {segment}");

  /** Remembers that it was there. */
  static final Sql DROPPED =
      new Sql(
          "note dropped segment",
          "update {segments} set dropped_at = now(), rows = ? where tenant = ? and seq = ?");

  /** Forgets the segments that were dropped a month ago, and nothing under legal hold. */
  static final Sql FORGET =
      new Sql(
          "forget segments",
          """
          delete from {segments}
           where dropped_at < now() - interval '30 days'
             and tenant not in (select number from {tenants} where legal_hold)""");

  private SegmentSql() {}
}
