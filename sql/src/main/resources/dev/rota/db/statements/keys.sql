-- The keys of a tenant (task_key_N), a table that it gets with its first task that has one.
--
-- A row is a taken key. It is live while its task has not ended. free_at is when the key is free
-- again once the task has ended; null for a key that ends with its task. A key with a version
-- counts its runs, and holds the payload that replaces the one in the ring.
--
-- Claims read rows and lock none: a producer that holds one in a long transaction cannot block a
-- tenant.

-- name: replace_payloads
-- Writes payloads that arrived after the enqueue. Their rows move.
update {segment} h set payload = u.payload
  from unnest(?::text[]::tid[], ?::bigint[], ?::text[]) as u (place, id, payload)
 where h.ctid = u.place and h.id = u.id
returning h.id, h.ctid

-- name: free_expired_keys
-- Deletes keys that have expired.
delete from {keys}
 where key = any (?::text[]) and not live and free_at <= now()

-- name: take_keys
-- Takes free keys, and waits for transactions that are taking or freeing them. Keys are taken in
-- their order, so that two producers never wait for each other.
--
-- Rejected: do update ... where for taken keys. It locks their rows, so that the end of their tasks
-- would wait for the producer's commit.
insert into {keys} (key, task_id, live, run, free_at, version, kind, lane)
select u.key, u.id, true, 0, now() + u.kept * interval '1 microsecond', u.version, u.kind,
       u.lane
  from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::smallint[])
       as u (key, id, kept, version, kind, lane)
 order by u.key collate "C"
on conflict (key) do nothing
returning key, task_id, kind, true

-- name: renew_keys
-- Writes newer versions, and returns which of their tasks had ended. Rows of other versions are not
-- locked. The payload in the row replaces that of a task that is there already; a task that is
-- added anew has its own.
with newer as materialized (
       select k.key, k.live, u.version, u.payload, u.lane
         from unnest(?::text[], ?::bigint[], ?::text[], ?::text[], ?::smallint[])
              as u (key, version, kind, payload, lane)
         join {keys} k on k.key = u.key
        where k.version < u.version and k.kind = u.kind
        order by k.key for update of k)
update {keys} k
   set version = n.version, lane = n.lane, live = true, free_at = null,
       payload = case when n.live then n.payload end
  from newer n where k.key = n.key
returning k.key, k.task_id, k.kind, not n.live

-- name: find_keys
-- Finds the tasks that hold keys.
select key, task_id, kind, false from {keys} where key = any (?::text[])

-- name: wake_keys
-- Makes waiting tasks with these keys pending at once, as if they had never run.
with moved as (
       delete from {waiting} where key = any (?::text[])
       returning id, created_at, parent_id, 0 as attempt, kind, payload, key, traits,
                 lane){insertions}
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- name: start_versions
-- Reads the payloads that claimed tasks with a version are to run with.
select task_id, run, version, payload from {keys}
 where key = any (?::text[]) and version is not null

-- name: end_keys
-- Frees keys that end with their tasks, and those that have expired.
delete from {keys} k using unnest(?::text[], ?::bigint[]) as u (key, id)
 where k.key = u.key and k.task_id = u.id and k.version is null
   and (k.free_at is null or k.free_at <= now())

-- name: end_kept_keys
-- Notes that tasks have ended whose keys are kept.
update {keys} k set live = false from unnest(?::text[], ?::bigint[]) as u (key, id)
 where k.key = u.key and k.task_id = u.id and k.version is null and k.free_at > now()

-- name: end_versions
-- Ends runs of tasks with a version. Those that have a newer version by now run again. The number
-- of the run keeps a repeated settle from ending the next run. A redrive knows the last end by
-- free_at (see retake_keys), so that its 30 days are hours: days depend on the time zone of a session.
--
-- The lock is taken before the join: Citus loses rows that are locked in a join with a function.
-- It spares keys that other tasks hold by now.
with locked as materialized (
       select k.key, k.task_id, k.run, k.version, k.payload from {keys} k
        where k.key = any (?::text[]) and k.task_id = any (?::bigint[])
          and k.version is not null and k.live
        order by k.key for update),
     ended as materialized (
       select k.key, k.version > u.version as again, k.payload, u.traits,
              now() + interval '720 hours' as later
         from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[])
              as u (key, id, run, version, traits)
         join locked k on k.key = u.key and k.task_id = u.id and k.run = u.run),
     turned as (
       update {keys} k
          set run = k.run + 1, live = e.again, payload = null,
              free_at = case when not e.again then e.later end
         from ended e where k.key = e.key
       returning k.key, k.task_id, k.kind, k.lane, e.again, e.payload, e.traits),
     moved as (
       select task_id as id, now() as created_at, null::bigint as parent_id, 0 as attempt,
              kind, payload, key, traits, lane
         from turned where again){insertions}
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- name: cancel_versions
-- Ends tasks with a version that were cancelled before they ran.
with ended as materialized (
       select k.key from unnest(?::text[], ?::bigint[]) as u (key, id)
         join {keys} k on k.key = u.key
        where k.task_id = u.id and k.version is not null and k.live
        order by k.key for update of k)
update {keys} k
   set run = k.run + 1, live = false, payload = null, free_at = now() + interval '720 hours'
  from ended e where k.key = e.key

-- name: sweep_keys
-- Deletes some expired keys, unless their tenant is under legal hold.
delete from {keys}
 where key = any (array(
         select key from {keys}
          where free_at <= now() and not live
            and not exists (select 1 from {tenants} where number = ? and legal_hold)
          order by free_at limit ? for update skip locked))
   and not live and free_at <= now()
