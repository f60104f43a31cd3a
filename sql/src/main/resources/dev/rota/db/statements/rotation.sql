-- The survey of rings, and the statements of a ring switch. RingRotation runs the latter in one
-- transaction at READ COMMITTED.
--
-- Rejected: insert-select-then-truncate, and any snapshot older than the lock (REPEATABLE READ, or
-- a procedure that is CALLed). Both lose the rows of every producer in flight.

-- name: survey_tenants
-- Reads for every ring of every tenant in which period it was rotated. Periods are counted from
-- 1970 in UTC by the clock of the database. The ring that was not rotated for longest comes first.
-- A segment that opens in the future is old: a clock that was ahead has opened it. So is one that
-- goes to an archive before the ledger has to drop the times of its first batches.
-- It touches no table of a tenant, so that a lock on one does not delay it. Parked tenants have no
-- ring.
select t.number, l.slot, t.current_segment,
       floor(extract(epoch from now()) * 1000 / p.millis)::bigint,
       floor(extract(epoch from l.rotated_at) * 1000 / p.millis)::bigint,
       floor(extract(epoch from s.opened_at) * 1000 / p.millis)::bigint,
       s.opened_at + least(coalesce(t.segment_age, p.age * interval '1 millisecond'),
                           case when coalesce(t.archive, p.archives)
                                then p.longest * interval '1 millisecond' end) <= now()
       or s.opened_at > now() + interval '1 minute',
       t.keep_history is not null
       and s.opened_at + greatest(t.keep_history / 10, interval '1 minute') <= now(),
       coalesce(t.segment_bytes, p.bytes)
  from {tenants} t
 cross join unnest(t.lane_slots, t.lane_rotated_at) as l (slot, rotated_at)
  left join {segments} s on s.tenant = t.number and s.seq = t.current_segment
 cross join (values (?::bigint, ?::float8, ?::bigint, ?::boolean, ?::float8))
         as p (millis, age, bytes, archives, longest)
 where t.parked_at is null
 order by l.rotated_at

-- name: sizes_of_tables
-- call: sizes
-- Reads sizes of tables, in bytes. It opens each table, and so waits for a lock that keeps readers
-- out.
select u.oid, coalesce(pg_relation_size(u.oid::oid), 0)
  from unnest(?::bigint[]) as u (oid)

-- name: locked_tables
-- call: locked
-- Finds which tables a session keeps readers out of, or is about to.
select distinct l.relation::bigint from pg_locks l
 where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.relation::bigint = any (?::bigint[])

-- name: aged_tables
-- call: aged
-- Finds tables with row versions so old that transaction numbers may wrap around.
select c.oid::bigint from pg_class c
 where c.oid::bigint = any (?::bigint[]) and age(c.relfrozenxid) > ?

-- name: lock_slot_pointer
-- Locks the tenant's row, and reads the current slot of a lane and the isolation level of the
-- statements that follow.
select lane_slots[?], current_setting('transaction_isolation')
  from {tenants} where number = ? for update

-- name: lock_slot
-- Waits for every producer and consumer in the slot, and keeps new ones out.
lock table {slot} in access exclusive mode

-- name: look_briefly
-- Limits each statement to some milliseconds while the slot is locked: its producers and consumers
-- wait. A slot of 10 million dead rows that an old snapshot keeps is read for a second or more.
select set_config('statement_timeout', ?, true)

-- name: look_into_slot
-- Finds a row, if the slot has one.
select 1 from {slot} limit 1

-- name: size_of_slot
-- Reads the size of a slot. A needless TRUNCATE costs catalog rows and a file.
select coalesce(pg_relation_size(to_regclass(?)), 0)

-- name: truncate_slot
-- Removes the dead rows.
truncate table {slot}

-- name: switch_slot
-- Directs producers of a lane to the slot. A reason to postpone stays if it is another lane's; one
-- that names no lane is that of lane 0.
update {tenants} set lane_slots[?] = ?, lane_rotated_at[?] = now(),
       rotations = rotations + 1,
       postponed_reason =
         case when coalesce(substring(postponed_reason from '^lane ([0-9]+): '), '0') <> ?::text
              then postponed_reason end
 where number = ?

-- name: postpone_rotation
-- Counts a postponed rotation, with the reason, for rota status.
update {tenants} set postponed = postponed + 1, postponed_reason = ? where number = ?

-- name: consumed
-- Reads how many rows consumers deleted in the slot that is to be emptied, and whether they deleted
-- any in the current one.
select pg_stat_get_tuples_deleted(?::oid), pg_stat_get_dead_tuples(?::oid) > 0

-- name: carry_over
-- Moves tasks that no worker runs from a slot that is to be emptied into the current one, under the
-- tenant's gate, a few at a time.
with picked as materialized (
       select ctid from {slot}
        where ctid >= '(0,0)'::tid and (select pg_try_advisory_xact_lock(?, ?)) limit ?),
     moved as (
       delete from {slot} where ctid = any (array(select ctid from picked))
       returning id, created_at, parent_id, attempt, kind, payload, key, traits)
insert into {current} (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt, kind, payload, key, traits from moved
 where (select pg_stat_force_next_flush()::text) is not null
