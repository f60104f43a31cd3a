-- Segments of history: opened, sealed, dropped. Their DDL comes from TenantDdl.

-- name: lock_segment_pointer
-- Locks the tenant's row and reads its open segment.
select current_segment from {tenants} where number = ? for update

-- name: list_segments
-- Lists the segments that exist, oldest first.
select seq from {segments} where tenant = ? and dropped_at is null order by seq

-- name: open_segment
-- Registers a segment.
insert into {segments} (tenant, seq) values (?, ?)

-- name: seal_segment
-- Seals a segment. Claims that know of it go to another one; late claims may still come. A clock
-- that is behind must not make the time short for which the segment is kept.
update {segments} set sealed_at = greatest(now(), opened_at)
 where tenant = ? and seq = ? and sealed_at is null

-- name: point_to_segment
-- Directs claims to a segment.
update {tenants} set current_segment = ? where number = ?

-- name: read_the_clock_for_deletions
-- call: read the clock
-- Reads the time of the transaction, which deletes by age.
select now()

-- name: find_retirable_segments
-- Finds segments that are kept long enough, by the setting of their tenant or of the daemon, that
-- are not to be archived, and that no open batch needs. Values: how long the daemon keeps them, for
-- which time of keeping the clock is trusted, tenants to leave out, whether the daemon archives.
select s.tenant, s.seq
  from {segments} s
  join {tenants} t on t.number = s.tenant
 cross join (values (?::float8 * interval '1 millisecond', ?::float8 * interval '1 millisecond'))
         as p (keep, trusted)
 where s.dropped_at is null and s.tenant <> all (?::int[])
   and not t.legal_hold and not coalesce(t.archive, ?::boolean)
   and s.sealed_at <= now() - coalesce(t.keep_history, p.keep)
   and coalesce(t.keep_history, p.keep) <= p.trusted
   and not exists (select 1 from {ledger} b
                    where b.closed_at is null and b.tenant = s.tenant
                      and b.segment = s.seq)
 order by s.sealed_at limit 100

-- name: lock_segment
-- Keeps writers out, but not readers, so that counting delays no reader.
lock table {segment} in share mode

-- name: look_for_open_batches_of_segment
-- call: look for open batches
-- Finds a batch that may still write into the segment.
select b.id from {ledger} b
 where b.closed_at is null and b.tenant = ? and b.segment = ? limit 1

-- name: sum_up_segment
-- Reads the checksums of a range of blocks that are compared with the archive, and the number of
-- rows. Rejected: the whole segment at once, which kept the leader from its other duties for as
-- long as reading a gigabyte takes.
select count(*), coalesce(sum(id), 0)::text, coalesce(sum(state), 0)
  from {segment} where ctid >= ?::tid and ctid < ?::tid

-- name: drop_segment
-- Drops a segment; waits for readers.
drop table {segment}

-- name: note_dropped_segment
-- Notes that a segment was dropped, and how many rows it had.
update {segments} set dropped_at = now(), rows = ? where tenant = ? and seq = ?

-- name: forget_segments
-- Deletes the entries of segments that were dropped a month ago, and none under legal hold.
delete from {segments}
 where dropped_at < now() - interval '30 days'
   and tenant not in (select number from {tenants} where legal_hold)

-- name: find_segments_to_index
-- Finds sealed segments that were not looked at for indexes and that no open batch needs, the
-- longest sealed first. Values: tenants to leave out.
-- Plan: the partial index on such segments.
select s.tenant, s.seq from {segments} s join {tenants} t on t.number = s.tenant
 where s.sealed_at is not null and s.indexed_at is null and s.dropped_at is null
   and s.tenant <> all (?::int[]) and t.parked_at is null
   and not exists (select 1 from {ledger} b
                    where b.closed_at is null and b.tenant = s.tenant and b.segment = s.seq)
 order by s.sealed_at limit 100

-- name: read_blocks_of_tables
-- Reads the numbers of blocks of tables, in the order of the names; 0 for a missing one.
select coalesce(pg_relation_size(to_regclass(u.name)), 0) / current_setting('block_size')::bigint
  from unnest(?::text[]) with ordinality as u (name, place) order by u.place

-- name: note_indexed_segments
-- Notes that segments have their indexes, or are too small for any. Values: tenants, numbers.
update {segments} s set indexed_at = now()
  from unnest(?::int[], ?::int[]) as u (tenant, seq)
 where s.tenant = u.tenant and s.seq = u.seq and s.indexed_at is null and s.dropped_at is null

-- name: index_ids_of_segment
-- call: index a segment
-- Finds a task by its id in a few ranges of blocks: 32 kB for a million attempts, made in 0.1 s.
--
-- Rejected: from the start, which made an insert of 200,000 rows take 306 ms instead of 144.
create index on {segment} using brin (id)

-- name: analyze_ids_of_segment
-- call: index a segment
-- Tells the planner that ids ascend with the blocks: otherwise it prefers to read the segment.
analyze {segment} (id)

-- name: index_exceptions_of_segment
-- call: index a segment
-- Finds the attempts that ended in another way than done: 16 kB for 200 of a million, made in
-- 0.1 s. The planner's number of its rows tells how many there are.
create index on {segment} (state) where state > 1
