-- Control of tasks: cancel, redrive, change their priority.
--
-- A cancellation request (rota.cancel_request) is made while the row of its batch in the ledger is
-- locked and the batch open. A worker or daemon that settles or returns the batch holds the same
-- lock before it looks for requests, so that it misses none. Once the batch is closed its requests
-- mean nothing.

-- fragment: chosen
-- Which tasks of a table t a caller means, and in which blocks. A condition that is null is none.
    (?::bigint[] is null or t.id = any (?::bigint[]))
and (?::text is null or t.kind = ?::text)
and (?::text is null or t.key = ?::text)
and (?::timestamptz is null or t.created_at >= ?::timestamptz)
and (?::timestamptz is null or t.created_at < ?::timestamptz)
and t.ctid >= ?::tid and t.ctid < ?::tid

-- name: cancel
-- Moves tasks of a ring or a wait table, in a range of blocks, into history as cancelled. A row
-- that a claim deletes at the same time is left to the claim. Returns how many were moved, and
-- which of them have a key or traits.
with cancelled as (
       delete from {table} t
        where
{chosen}
       returning t.id, t.created_at, t.parent_id, t.attempt, t.kind, t.payload, t.key,
                 t.traits, {lane} as lane),
     stored as (
       insert into {segment} (id, batch_id, created_at, parent_id, finished_at, attempt,
                              state, kind, payload, error, key, traits, lane)
       select coalesce(id, 0), 0,
              case when isfinite(created_at) then created_at else now() end, parent_id,
              now(),
              case when attempt < 2147483647 then attempt + 1 else attempt end, 4, kind,
              payload, ?, key, traits, lane
         from cancelled
       returning id, key, traits)
select count(*),
       array_agg(id) filter (where key is not null or traits is not null),
       array_agg(key) filter (where key is not null or traits is not null),
       array_agg(traits) filter (where key is not null or traits is not null)
  from stored

-- name: count_chosen
-- Counts tasks of a ring or a wait table, in a range of blocks.
select count(*) from {table} t
 where
{chosen}

-- fragment: dead
-- Which dead tasks of a segment h a caller means. A condition that is null is none.
where h.state = 3
  and (?::bigint[] is null or h.id = any (?::bigint[]))
  and (?::text is null or h.kind = ?::text)
  and (?::text[] is null or split_part(h.error, E'\n\tat ', 1) = any (?::text[]))
  and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
  and (?::timestamptz is null or h.finished_at < ?::timestamptz)

-- name: count_dead
-- Counts dead tasks that meet the conditions, in a range of blocks, so that a caller may end it.
select count(*) from {segment} h
{dead} and h.ctid >= ?::tid and h.ctid < ?::tid

-- name: count_dead_by_error
-- call: count dead
-- Counts dead tasks that meet the conditions, in a range of blocks, by the texts of their errors
-- without frames.
select split_part(h.error, E'\n\tat ', 1), count(*) from {segment} h
{dead} and h.ctid >= ?::tid and h.ctid < ?::tid
 group by 1

-- name: retake_keys
-- Takes the keys of dead tasks in a range of blocks again, unless another task has them by now, and
-- returns the places of the tasks that have theirs. A task whose version is not known any more
-- counts as older than any other.
--
-- All runs of a key with versions have one id. Only the last end of such a key sets its free_at (see
-- end_versions): a row that ended before has the payload of an older version, and stays dead.
-- Rejected: free_at = finished_at + 720 hours. Tests of applications move free_at back (see
-- bring_keys_forward).
with dead as materialized (
select distinct on (h.key) h.ctid as place, h.key, h.id, h.kind, h.traits, h.finished_at
  from {segment} h
{dead} and h.ctid >= ?::tid and h.ctid < ?::tid and h.key is not null
 order by h.key, h.finished_at desc),
taken as (
  insert into {keys} as k (key, task_id, live, run, free_at, version, kind)
  select key, id, true, 0,
         case when traits & 4 <> 0 then finished_at + interval '720 hours' end,
         case when traits & 4 <> 0 then -9223372036854775808 end,
         case when traits & 4 <> 0 then kind end
    from dead order by key collate "C"
  on conflict (key) do update
     set live = true, free_at = case when k.version is null then k.free_at end
   where not k.live and k.task_id = excluded.task_id
     and (k.version is null or k.free_at <= excluded.free_at)
  returning key)
select d.place from dead d join taken t on t.key = d.key

-- name: look_for_tasks_that_stayed_dead
-- Counts how many of these rows are dead. None is after their tasks were redriven.
select count(*) from {segment} h
 where h.ctid = any (?::text[]::tid[]) and h.state = 3

-- fragment: redriven
-- Dead tasks in a range of blocks, whose last attempt becomes one that another one follows. Updated
-- rows may move into a later block and are seen there again, as failed. A task with a key is taken
-- only if it has its key again.
with moved as (
       update {segment} h set state = 2
{dead} and h.ctid >= ?::tid and h.ctid < ?::tid
  and (h.key is null or h.ctid = any (?::text[]::tid[]))
returning h.id, h.created_at, h.parent_id, 0 as attempt, h.kind, h.payload, h.key,
          h.traits, h.lane)

-- name: redrive
-- Makes dead tasks in a range of blocks pending again, in the rings of their lanes (see LaneSql).
{redriven}{into_rings}

-- name: redrive_spread
-- Lets dead tasks run again, each after a random part of a number of microseconds.
{redriven}
insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select id, now() + random() * ? * interval '1 microsecond', created_at, parent_id,
       attempt, kind, payload, key, traits, lane
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- name: request_cancel
-- Requests cancellation of the unsettled tasks of open batches that meet the conditions.
insert into {requests} (batch, task, worker, tenant, reason)
select b.id, t.id, b.worker, b.tenant, ?
  from {ledger} b join {segment} t on t.batch_id = b.id
 where b.id = any (?::bigint[]) and t.state = 0
   and (?::bigint[] is null or t.id = any (?::bigint[]))
   and (?::text is null or t.kind = ?::text)
   and (?::text is null or t.key = ?::text)
   and (?::timestamptz is null or t.created_at >= ?::timestamptz)
   and (?::timestamptz is null or t.created_at < ?::timestamptz)
   and t.ctid >= ?::tid and t.ctid < ?::tid
on conflict do nothing

-- name: look_for_cancel_requests
-- Reads the cancellation requests for the tasks of a worker.
select batch, task from {requests} where worker = ?

-- name: read_cancel_requests
-- Reads the cancellation requests for the tasks of some batches, with the reasons.
select task, reason from {requests} where batch = any (?::bigint[])

-- name: cancel_unsettled
-- Cancels the tasks with a request that a returning batch left unsettled. Tasks with a given trait
-- are left out.
update {segment} h set state = 4, error = r.reason, finished_at = now()
  from unnest(?::bigint[], ?::text[]) as r (task, reason)
 where h.ctid >= ?::tid and h.ctid < ?::tid and h.batch_id = ?::bigint and h.state = 0
   and h.id = r.task and coalesce(h.traits, 0) & ?::int = 0
returning h.id, h.key, h.traits

-- name: remove_cancel_requests
-- Deletes the requests of batches that end.
delete from {requests} where batch = any (?::bigint[])

-- name: look_for_any_cancel_request
-- Checks whether there is any request.
select 1 from {requests} limit 1

-- name: clean_cancel_requests
-- Deletes requests whose batch has ended.
delete from {requests} r
 where not exists (select 1 from {ledger} b where b.id = r.batch and b.closed_at is null)

-- name: change_pending_priority
-- call: change priority
-- Moves tasks in a range of blocks from a slot of one lane into the current slot of another. A row
-- that a claim deletes at the same time is left to the claim.
with moved as (
       delete from {table} t
        where
{chosen} returning id, created_at, parent_id, attempt, kind, payload, key, traits)
insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where (select pg_stat_force_next_flush()::text) is not null

-- name: change_waiting_priority
-- call: change priority
-- Gives tasks in a range of blocks of the wait table another lane. Updated rows may move into a
-- later block, and are not changed again there.
update {table} t set lane = {lane} where t.lane is distinct from {lane} and
{chosen}
