-- Workers and their leases, the return of batches, and the promotion of due tasks.

-- name: register_worker
-- call: heartbeat
-- Registers a worker, which obeys the rules of this version (see old_workers), with the kinds that
-- it has handlers for, null for unknown ones; the worker repeats it if the answer was lost.
insert into {workers} as w (id, host, lease, started_at, heartbeat_at, token, rules, kinds)
values (?, ?, ? * interval '1 millisecond', now(), now(), ?, 2, ?::text[])
on conflict (id) do update
   set heartbeat_at = now(), token = excluded.token, kinds = excluded.kinds

-- name: heartbeat
-- Sends a heartbeat. It changes no row if the worker's row is gone or belongs to an older history.
--
-- Rejected: insert ... on conflict, which would register a worker of a lost history again.
update {workers} set heartbeat_at = now(), token = ?
 where id = ? and token = any (?::bigint[])

-- name: write_services
-- call: register services
-- Writes what the workers of a process do: the pools that they serve, none for the default one; how
-- many workers visit a tenant, 0 for all; the kinds that they have handlers for, null for unknown
-- ones; and the kinds whose tasks they left pending.
--
-- Rejected: a write with each heartbeat, which is news at a start and an end alone.
update {workers}
   set pools = nullif(?::text[], '{}'), shards = nullif(?::integer, 0), kinds = ?::text[],
       left_kinds = nullif(?::text[], '{}')
 where id = ?

-- name: sign_off
-- Deletes the row of a worker that ends.
delete from {workers} where id = ?

-- name: room_for_claims
-- Reads how many locks all transactions of the server may hold together, at least, and how many
-- workers share them.
select current_setting('max_locks_per_transaction')::bigint
       * (current_setting('max_connections')::bigint
          + current_setting('max_prepared_transactions')::bigint),
       (select count(*) from {workers})

-- fragment: heartbeat_micros
-- A heartbeat in microseconds since 1970: tells two heartbeats apart, exactly.
(extract(epoch from w.heartbeat_at) * 1000000)::bigint

-- name: find_dead_workers
-- Reads all workers with their last heartbeats and leases, in microseconds. SilenceWatch decides
-- which are dead.
--
-- Rejected: heartbeat_at + lease < now(). A step of the database's clock by more than a lease took
-- all tasks from workers that lived.
select w.id, {heartbeat_micros}, (extract(epoch from w.lease) * 1000000)::bigint from {workers} w

-- name: lock_dead_worker
-- Checks that a worker has sent no other heartbeat, and locks its row, so that it cannot wake up
-- before its batch has returned. A worker that is sending a heartbeat at this moment is passed
-- over.
select w.id from {workers} w where w.id = ? and {heartbeat_micros} = ? for update skip locked

-- name: lock_dead_workers
-- Locks the rows of workers that have sent no other heartbeat, so that none wakes up before its
-- assignments have ended.
select w.id from {workers} w join unnest(?::bigint[], ?::bigint[]) as u (id, heartbeat) on u.id = w.id where {heartbeat_micros} = u.heartbeat for update of w skip locked

-- name: forget_dead_workers
-- Deletes dead workers that hold no open batch.
delete from {workers} w using unnest(?::bigint[], ?::bigint[]) as u (id, heartbeat) where w.id = u.id and {heartbeat_micros} = u.heartbeat and not exists (select 1 from {ledger} b where b.worker = w.id and b.closed_at is null)

-- name: look_for_worker
-- Checks that the worker of a batch is still not registered.
select b.id from {ledger} b
 where b.id = ? and not exists (select 1 from {workers} w where w.id = b.worker)

-- fragment: batches
-- Batches b of the view over the ledger, with the columns in the order in which BatchLocation reads them.
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from {ledger} b

-- name: find_batches_of_dead_worker
-- call: find batches
-- Finds open batches of a dead worker, without those whose return failed lately.
{batches} where b.worker = ? and b.closed_at is null and b.id <> all (?::bigint[]) order by b.id limit 100

-- name: find_orphaned_batches
-- call: find batches
-- Finds open batches whose worker is not registered, without those whose return failed lately.
{batches} where b.closed_at is null and b.id <> all (?::bigint[])
  and not exists (select 1 from {workers} w where w.id = b.worker)
order by b.id limit 100

-- name: find_batches_of_worker
-- call: find batches
-- Finds the open batches of a worker.
{batches} where b.worker = ? and b.closed_at is null

-- name: find_batches_of_segment
-- call: find batches
-- Finds open batches of a worker in one segment of history.
{batches} where b.worker = ? and b.tenant = ? and b.segment = ? and b.closed_at is null limit {most}

-- name: find_open_batches_of_tenant
-- call: find batches
-- Finds the open batches of a tenant.
{batches} where b.tenant = ? and b.closed_at is null

-- name: find_open_batches_of_tenants
-- call: find batches
-- Finds the open batches of some tenants, or of all.
{batches} where b.closed_at is null and (?::integer[] is null or b.tenant = any (?::integer[]))

-- name: find_long_running_batches
-- call: find batches
-- Finds the batches of a tenant that are open for longer than a number of microseconds.
{batches} where b.tenant = ? and b.closed_at is null and b.claimed_at <= now() - ? * interval '1 microsecond'

-- name: find_batches
-- Finds batches by number, if they still are open and belong to the worker.
{batches} where b.id = any (?::bigint[]) and b.worker = ? and b.closed_at is null

-- name: abandon_batches
-- call: close batches
-- Like close_batches, for batches of a dead worker. Their number of tasks becomes that of the tasks
-- that were not handed back before: those of them without an attempt are lost.
update {ledger}
   set closed_at = now(), ended = ?::smallint, attempts = tasks + coalesce(attempts, 0),
       tasks = tasks + coalesce(attempts, 0),
       run_micros = (?::bigint[])[width_bucket(id, ?::bigint[])]
 where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
returning id

-- name: return_batch
-- Returns the unsettled tasks of a closed batch to the rings of their lanes (see LaneSql). Rows are
-- looked for in a range of blocks, first in that of the batch's row in the ledger. They do not
-- count as attempts of the batch, nor are the bytes of their payloads metered.
with moved as (
       update {segment} set state = ?::smallint, error = ?, finished_at = now()
        where ctid >= ?::tid and ctid < ?::tid and batch_id = ?::bigint and state = 0
       returning id, created_at, parent_id, attempt - ?::int as attempt, kind, payload,
                 key, traits, lane),
     left_out as (
       update {ledger} b
          set attempts = coalesce(b.attempts, 0) - m.tasks, bytes = b.bytes - m.bytes
         from (select count(*)::int as tasks, coalesce(sum(octet_length(payload)), 0) as bytes
                 from moved) m
        where b.id = ?::bigint and m.tasks > 0){into_rings}

-- name: find_tasks_of_batches
-- Finds the places and states of tasks of some batches. Reads the whole segment.
select h.batch_id, h.id, h.ctid, h.state from {segment} h
 where h.batch_id = any (?::bigint[]) and h.id = any (?::bigint[])

-- fragment: rows_of_batches
-- Counts rows of batches and the unsettled ones, with the locations of the latter.
select h.batch_id, count(*), count(*) filter (where h.state = 0),
       min(h.ctid) filter (where h.state = 0), max(h.ctid) filter (where h.state = 0)
  from {segment} h
 where h.batch_id = any (?::bigint[])

-- name: find_rows_of_batches
-- Counts the rows of batches in the whole segment.
{rows_of_batches} group by h.batch_id

-- name: find_rows_in_blocks
-- Counts the rows of batches in a range of blocks.
{rows_of_batches} and h.ctid >= ?::tid and h.ctid < ?::tid group by h.batch_id

-- name: promote
-- Moves due tasks from the wait table into the rings of their lanes (see LaneSql), the longest due
-- first. Tasks of a lane that this process does not know yet stay until it does. A condition on the
-- lane beside the time would cost the order of the index.
with due as materialized (
       select ctid, lane from {waiting} where run_at <= now(){and_fits}
        order by run_at limit ? for update skip locked),
     moved as (
       delete from {waiting}
        where ctid = any (array(select ctid from due
                                 where lane is null or lane between 1 and {lanes} - 1))
       returning id, created_at, parent_id, attempt, kind, payload, key, traits, lane){into_rings}

-- option: and_fits
-- For slots that are not wide. The size of a payload is read without the payload.
 and coalesce(octet_length(payload), 0) <= {largest_fitting}

-- name: look_for_large_tasks
-- Checks whether a due task is too large for slots that are not wide.
select exists (select 1 from {waiting}
                where run_at <= now() and octet_length(payload) > {largest_fitting})

-- name: next_due
-- Reads how long until the next task is due, in microseconds, between a day ago and a day from now;
-- null when none waits. The second column says whether a task waits that never becomes due, which
-- the index tells.
select case when min(run_at) is not null then
         (extract(epoch from least(greatest(min(run_at), now() - interval '1 day'),
                                   now() + interval '1 day') - now()) * 1000000)::bigint
       end,
       coalesce(max(run_at) = 'infinity', false)
         or exists (select 1 from {waiting} where run_at is null)
  from {waiting}
