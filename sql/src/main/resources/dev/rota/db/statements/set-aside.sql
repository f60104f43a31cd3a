-- Rows that no worker can run, and the one list of reasons. Rings have no constraint, so that other
-- programs may have inserted anything. Such a row becomes dead in history, with its reason, under
-- no batch.
--
-- A row that a claim deletes at the same time is left to the claim.

-- fragment: other_reasons
-- The reasons that are the same in a ring and in history.
when r.kind is null or octet_length(r.kind) > 128
          or r.kind collate "C" !~ '^[A-Za-z0-9._:/-]+$'
       then 'its kind is null or malformed'
     when r.payload is null then 'its payload is null'
     when octet_length(r.key) not between 1 and 500
       then 'its key is empty or longer than 500 bytes'
     when r.key is not null and not {keyed}
       then 'it has a key, and its tenant has no table of keys'
     when (r.traits & ~ {known}) <> 0
       then 'it has traits that are unknown, or whose tables its tenant does not have'
     when (r.traits & 6) <> 0 and r.key is null then 'it has traits of a key, and no key'

-- fragment: time_is_odd
-- Whether a row r has a time that Java or PostgreSQL cannot hold.
(r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00')

-- fragment: ring_reason
-- Why no worker can run a row r of a ring; null if one can.
case when r.id is null then 'its id is null'
     when {time_is_odd}
       then 'its created_at is null, or not in the years 1 to 9999'
     when r.attempt is null or r.attempt not between 0 and 2147483646
       then 'its attempt is null, negative or too large'
     {other_reasons}
end

-- fragment: kept_traits
-- The traits of a row r as far as they are known. Without a key, a trait that needs one means nothing.
nullif(r.traits & {known} & case when ({keyed} and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0)

-- fragment: kept_key
-- The key of a row r as far as it is one.
case when {keyed} and octet_length(r.key) between 1 and 500 then r.key end

-- name: set_aside_pending
-- call: set aside
-- Moves up to n rows of a slot that no worker can run into history, as dead.
with odd as materialized (
       select r.ctid as place from {table} r where r.ctid >= '(0,0)'::tid and {ring_reason} is not null limit ?::int),
     moved as (
       delete from {table} r where r.ctid = any (array(select place from odd))
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into {segment} as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when {time_is_odd} then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), {prefix} || {ring_reason},
       {kept_key}, {kept_traits}, {lane}
  from moved r
returning h.id, h.key, h.traits, h.error

-- fragment: waiting_reason
-- Why a row r of a wait table never reaches a ring; null if it does.
case when r.run_at is null or r.run_at = 'infinity' then 'its run_at is null or infinite' end

-- name: set_aside_waiting
-- call: set aside
-- Moves up to n rows of a wait table into history, as dead, that never become due.
with odd as materialized (
       select r.ctid as place from {waiting} r where r.ctid >= '(0,0)'::tid and {waiting_reason} is not null limit ?::int),
     moved as (
       delete from {waiting} r where r.ctid = any (array(select place from odd))
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits, r.run_at, r.lane)
insert into {segment} as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when {time_is_odd} then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), {prefix} || {waiting_reason},
       {kept_key}, {kept_traits}, {lane}
  from moved r
returning h.id, h.key, h.traits, h.error

-- name: leave_lost_lanes
-- call: set aside
-- Puts up to n rows of a wait table into lane 0 whose lane does not exist: it was lost with another
-- history of the server, in which a producer still believed, or another program invented it.
-- Rejected: setting these rows aside, because that ends tasks whose producers were told that they
-- are stored.
update {waiting} set lane = null
 where ctid = any (array(select r.ctid from {waiting} r
                          where r.ctid >= '(0,0)'::tid and r.lane not between 1 and {lanes} - 1 limit ?::int))

-- fragment: bytes
-- How many bytes the texts of a row r have.
coalesce(octet_length(r.payload), 0)::bigint + coalesce(octet_length(r.kind), 0) + coalesce(octet_length(r.key), 0)

-- name: set_aside_first
-- call: set aside
-- Moves the first row of a slot into history, as dead, if it has at least n bytes: the server or
-- the driver refuses to hand it over.
with odd as materialized (
       select r.ctid as place from {table} r where r.ctid >= '(0,0)'::tid{and_kinds} limit 1),
     moved as (
       delete from {table} r where r.ctid = any (array(select place from odd)) and {bytes} >= ?::bigint
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into {segment} as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when {time_is_odd} then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), {prefix} || ?::text,
       {kept_key}, {kept_traits}, {lane}
  from moved r
returning h.id, h.key, h.traits, h.error

-- option: and_kinds
-- For a worker that knows only some kinds.
 and kind = any ({kinds})

-- fragment: history_reason
-- Why no worker can run a row r that a claim has moved into history. The claim has counted its
-- attempt.
case when r.id is null then 'its id is null'
     when {time_is_odd}
       then 'its created_at is null, or not in the years 1 to 9999'
     when r.attempt is null or r.attempt not between 1 and 2147483647
       then 'its attempt is null, negative or too large'
     {other_reasons}
end

-- name: set_aside_claimed
-- call: set aside
-- Ends rows that a claim has moved into history in the same transaction.
update {segment} r
   set batch_id = 0, state = 3, finished_at = now(),
       error = {prefix} || coalesce({history_reason}, 'it cannot be read'),
       id = coalesce(r.id, 0),
       created_at = case when {time_is_odd} then clock.now else r.created_at end,
       attempt = greatest(coalesce(r.attempt, 1), 1),
       kind = coalesce(left(r.kind, 128), ''), payload = coalesce(r.payload, ''),
       key = {kept_key},
       traits = {kept_traits}
  from (select now() as now) as clock
 where r.ctid = any (?::text[]::tid[]) and r.batch_id = ?::bigint
returning r.id, r.key, r.traits, r.error

-- name: count_rows_set_aside
-- Counts rows that were set aside, by tenant and reason.
insert into {set_aside} as s (tenant, reason, rows, last_id)
select ?::int, u.reason, count(*), max(u.id)
  from unnest(?::text[], ?::bigint[]) as u (reason, id)
 group by u.reason order by u.reason
on conflict (tenant, reason) do update
   set rows = s.rows + excluded.rows, last_at = now(), last_id = excluded.last_id
