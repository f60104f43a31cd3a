-- Segments of the ledger: opened, sealed, dropped. Their DDL comes from LedgerDdl.

-- name: list_ledger_segments
-- Lists the segments of the ledger, oldest first, each with the number of periods since it was
-- opened, and whether it may go: its batches are in the usage, and their times are kept no longer.
select s.seq,
       floor(extract(epoch from now()) * 1000 / p.millis)
         - floor(extract(epoch from s.opened_at) * 1000 / p.millis),
       coalesce(s.sealed_at <= now() - p.keep * interval '1 millisecond'
                and s.metered_at is not null, false)
  from {segments} s cross join (values (?::bigint, ?::float8)) as p (millis, keep)
 order by s.seq

-- name: size_of_ledger_segment
-- Reads whether a segment was ever used.
select coalesce(pg_relation_size(to_regclass(?)), 0)

-- name: open_ledger_segment
-- Registers a segment. Claims that see it write into it.
insert into {segments} (seq) values (?)

-- name: seal_ledger_segment
-- Seals a segment. Only claims of stale processes still come. A clock that is behind must not make
-- the time short for which the segment is kept.
update {segments} set sealed_at = greatest(now(), opened_at) where seq = ? and sealed_at is null

-- name: look_for_open_batches_in_ledger
-- call: look for open batches
-- Finds an open batch.
select id from {ledger} where closed_at is null limit 1

-- name: look_for_batches_to_archive
-- Finds a batch of a segment that is to be archived and never was, as its tenant and segment: its
-- times are only here. The first condition saves the rest where no daemon archives.
select t.number, t.name, s.seq from {ledger} b
  join {segments} s on s.tenant = b.tenant and s.seq = b.segment
  join {tenants} t on t.number = s.tenant
  left join {archive} a on a.tenant = s.tenant and a.seq = s.seq
 where (select ?::boolean or exists (select 1 from {tenants} where archive))
   and s.dropped_at is null and coalesce(t.archive, ?::boolean) and a.sha256 is null
 limit 1

-- name: take_held_batches_along
-- Copies the batches of tenants under legal hold into the newest segment, as long as the history
-- exists that they belong to. The first condition saves the rest where no tenant is under legal
-- hold. Rejected: keeping the segment for their sake, because each use of the view over the ledger
-- has to plan for all segments. The copies lack attempts, run time and bytes: those of the batch are
-- in the usage already.
insert into {newest} (id, worker, claimed_at, closed_at, first_block, last_block, tenant,
                      segment, tasks, ended)
select b.id, b.worker, b.claimed_at, b.closed_at, b.first_block, b.last_block, b.tenant,
       b.segment, b.tasks, b.ended
  from {ledger} b
  join {tenants} t on t.number = b.tenant and t.legal_hold
  join {segments} s on s.tenant = b.tenant and s.seq = b.segment
 where (select exists (select 1 from {tenants} where legal_hold)) and s.dropped_at is null

-- name: lock_ledger_segment
-- Waits for every claim and settle in the segment, and keeps new ones out.
lock table {ledger} in access exclusive mode

-- name: drop_ledger_segment
-- Drops a segment of the ledger.
drop table {ledger}

-- name: forget_ledger_segment
-- Deletes the entry of a dropped segment, and notes in the others until when batches may be missing.
with dropped as (
       delete from {segments} where seq = ? returning closed_until, complete_after)
update {segments} s
   set complete_after = greatest(s.complete_after, d.complete_after, d.closed_until)
  from dropped d where s.seq <> ?
