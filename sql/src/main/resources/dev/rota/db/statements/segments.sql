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
-- Seals a segment. Claims that know of it go to another one; late claims may still come.
update {segments} set sealed_at = now()
 where tenant = ? and seq = ? and sealed_at is null

-- name: point_to_segment
-- Directs claims to a segment.
update {tenants} set current_segment = ? where number = ?

-- name: find_retirable_segments
-- Finds segments that are kept long enough, by the setting of their tenant or of the daemon, that
-- are not to be archived, and that no open batch needs.
select s.tenant, s.seq from {segments} s join {tenants} t on t.number = s.tenant
 where s.dropped_at is null and s.tenant <> all (?::int[])
   and not t.legal_hold and not coalesce(t.archive, ?::boolean)
   and s.sealed_at <= now() - coalesce(t.keep_history, ?::float8 * interval '1 millisecond')
   and not exists (select from {ledger} b
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
