-- Looks into history from its end backwards.

-- name: measure_segments
-- Reads file, blocks and live rows of segments of history, and how many rows the index of those that
-- are not done has, -1 without one; in the order of the names. A segment that is gone has no file.
select coalesce(pg_relation_filenode(t.oid), 0)::bigint,
       coalesce(pg_relation_size(t.oid), 0) / current_setting('block_size')::bigint,
       coalesce(pg_stat_get_live_tuples(t.oid), 0),
       coalesce((select c.reltuples from pg_catalog.pg_index i
                   join pg_catalog.pg_class c on c.oid = i.indexrelid
                  where i.indrelid = t.oid and i.indpred is not null and i.indisvalid limit 1),
                -1)::bigint
  from (select to_regclass(u.name) as oid, u.place from unnest(?::text[]) with ordinality as u (name, place)) t
 order by t.place

-- fragment: recent_columns
-- An attempt of a segment h: its place, and the columns of the view, as far as the segment has them.
h.ctid::text, h.id, h.state, h.attempt, h.kind,
case when starts_with(h.payload, chr(1)) then substr(h.payload, strpos(h.payload, chr(10)) + 1)
     else h.payload end,
case when starts_with(h.payload, chr(1)) and strpos(h.payload, chr(10)) > 0
     then substr(h.payload, 2, strpos(h.payload, chr(10)) - 2) end,
h.key, h.lane, h.created_at, h.finished_at, h.error, h.batch_id

-- fragment: recent_conditions
-- What a filter asks of an attempt. Values: states, twice kind, id, and bounds of the time of enqueue.
h.state = any (?::smallint[]) and (?::text is null or h.kind = ?::text)
and (?::bigint is null or h.id = ?::bigint)
and (?::timestamptz is null or h.created_at >= ?::timestamptz)
and (?::timestamptz is null or h.created_at < ?::timestamptz)

-- name: read_recent_attempts
-- Reads attempts of a range of blocks, those last written first. Values: the range, the conditions,
-- limit.
-- Plan: TID Range Scan of the range, 18 ms for 4,096 blocks; then the last ones by a sort. Rejected: a
-- bound that the statement computes, which reads the whole segment.
select {recent_columns}
  from {segment} h
 where h.ctid >= ?::tid and h.ctid < ?::tid and {recent_conditions}
 order by h.ctid desc limit ?

-- name: read_recent_exceptions
-- Reads attempts that ended in another way than done, those last written first. Values as above,
-- from the beginning of the segment on.
-- Plan: the partial index on such attempts, of which the caller knows that there are few.
select {recent_columns}
  from {segment} h
 where h.state > 1 and h.ctid < ?::tid and {recent_conditions}
 order by h.ctid desc limit ?

-- name: read_batches_of_attempts
-- Reads when batches were claimed and closed.
-- Plan: the primary key of each segment of the ledger. Rejected: a join with the attempts, which may
-- read whole segments of the ledger.
select b.id, b.claimed_at, b.closed_at from {ledger} b where b.id = any (?::bigint[])

-- name: read_priorities
-- Reads the priorities of a tenant's lanes.
select t.priorities[0:]::integer[] from {tenants} t where t.number = ?

-- name: read_age_of_block
-- Reads the time of enqueue of the oldest task of a block.
select min(h.created_at) from {segment} h
 where h.ctid >= ?::tid and h.ctid < ?::tid and isfinite(h.created_at)
