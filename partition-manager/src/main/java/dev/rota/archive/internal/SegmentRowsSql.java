package dev.rota.archive.internal;

import dev.rota.internal.db.Sql;

/** The statements that read segments of history whole. */
final class SegmentRowsSql {

  /**
   * Parts of a range of blocks with some megabytes of text each, however large single rows are:
   * where each begins, and the batches of its rows. Lengths of texts are known without reading
   * them. The sum is a numeric unless told otherwise, of which no two quotients are equal, so that
   * each row would be a part.
   */
  static final Sql PARTS =
      new Sql(
          "divide segment",
          """
          select min(p.place)::text, array_agg(distinct p.batch_id)
            from (select h.ctid as place, h.batch_id,
                         (sum(200 + octet_length(h.payload)
                              + coalesce(octet_length(h.error), 0)::bigint)
                            over (order by h.ctid))::bigint / ? as part
                    from {segment} h where h.ctid >= ?::tid and h.ctid < ?::tid) p
           group by p.part order by min(p.place)""");

  /** The ends of batches, by primary key in each segment of the ledger. */
  static final Sql BATCHES =
      new Sql(
          "read batches",
          """
          select b.id, b.worker, (extract(epoch from b.claimed_at) * 1000000)::bigint,
                 (extract(epoch from b.closed_at) * 1000000)::bigint
            from {ledger} b where b.id = any (?::bigint[])""");

  /** Rows of a part, times in microseconds since 1970. */
  static final Sql ROWS =
      new Sql(
          "read segment",
          """
          select h.id, h.batch_id, h.parent_id, h.attempt, h.state, h.kind, h.payload, h.error, h.key,
                 coalesce((select t.lane_priorities from {tenants} t
                            where t.number = {number})[h.lane], 0)::integer,
                 coalesce(h.lane, 0)::smallint, h.traits,
                 (extract(epoch from h.created_at) * 1000000)::bigint,
                 (extract(epoch from h.finished_at) * 1000000)::bigint
            from {segment} h where h.ctid >= ?::tid and h.ctid < ?::tid""");

  private SegmentRowsSql() {}
}
