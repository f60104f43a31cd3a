package dev.rota.partition.internal;

import dev.rota.internal.db.Sql;

/** The statements that open and drop segments of the ledger, but their DDL. */
final class LedgerTurnSql {

  /** The segments that exist, oldest first, each with how many periods ago it was opened. */
  static final Sql SEGMENTS =
      new Sql(
          "list ledger segments",
          """
          select s.seq,
                 floor(extract(epoch from now()) * 1000 / p.millis)
                   - floor(extract(epoch from s.opened_at) * 1000 / p.millis),
                 coalesce(s.sealed_at <= now() - p.keep * interval '1 millisecond', false)
            from {segments} s cross join (values (?::bigint, ?::float8)) as p (millis, keep)
           order by s.seq""");

  /** Whether a segment was ever used. */
  static final String SIZE = "select coalesce(pg_relation_size(to_regclass(?)), 0)";

  /** Registers a segment: claims that see it write into it. */
  static final Sql OPEN = new Sql("open ledger segment", "insert into {segments} (seq) values (?)");

  /** From here on only claims of stale processes come. */
  static final Sql SEAL =
      new Sql(
          "seal ledger segment",
          "update {segments} set sealed_at = now() where seq = ? and sealed_at is null");

  /** A batch that somebody holds. */
  static final Sql OPEN_BATCH =
      new Sql("look for open batches", "select id from {ledger} where closed_at is null limit 1");

  /**
   * A batch of a segment that shall be archived and never was: its times are only here. The first
   * condition spares the rest where nobody archives.
   */
  static final Sql NEEDED =
      new Sql(
          "look for batches to archive",
          """
          select b.id from {ledger} b
            join {segments} s on s.tenant = b.tenant and s.seq = b.segment
            join {tenants} t on t.number = s.tenant
            left join {archive} a on a.tenant = s.tenant and a.seq = s.seq
           where (select ?::boolean or exists (select from {tenants} where archive))
             and s.dropped_at is null and coalesce(t.archive, ?::boolean) and a.sha256 is null
           limit 1""");

  /**
   * Takes the batches of tenants under legal hold along into the newest segment, as long as the
   * history is there that they belong to. The first condition spares the rest where nobody is.
   * Rejected: keeping the segment for their sake, since each use of the view over the ledger has to
   * plan for all of them.
   */
  static final Sql TAKE_ALONG =
      new Sql(
          "take held batches along",
          """
          insert into {newest} (id, worker, claimed_at, closed_at, first_block, last_block, tenant,
                                segment, tasks, ended)
          select b.id, b.worker, b.claimed_at, b.closed_at, b.first_block, b.last_block, b.tenant,
                 b.segment, b.tasks, b.ended
            from {ledger} b
            join {tenants} t on t.number = b.tenant and t.legal_hold
            join {segments} s on s.tenant = b.tenant and s.seq = b.segment
           where (select exists (select from {tenants} where legal_hold)) and s.dropped_at is null""");

  /** Waits for every claim and settle in the segment, and keeps new ones out. */
  static final Sql LOCK =
      new Sql("lock ledger segment", "lock table {ledger} in access exclusive mode");

  /** Drops. */
  static final Sql DROP = new Sql("drop ledger segment", "drop table {ledger}");

  /** Forgets. */
  static final Sql FORGET =
      new Sql("forget ledger segment", "delete from {segments} where seq = ?");

  private LedgerTurnSql() {}
}
