-- The hot path, from top to bottom: find work, enqueue, claim, settle.
--
-- Rows of a ring are inserted and deleted, never updated. Statements that insert also make the
-- backend report its counters at commit (pg_stat_force_next_flush). Workers find work by these
-- counters, and would otherwise see a single task up to ten seconds late.
--
-- Settling writes only exceptions into history: a task that succeeded with its whole batch keeps
-- state 0, "as the batch says". Measured: 600 to 740 thousand tasks a second claimed and settled
-- so, against 330 to 400 thousand when each row is updated.
--
-- Rows of history are found by ctid (nested loop over a Tid Scan) and checked by batch and id. A
-- place is a hint: VACUUM FULL, CLUSTER, some forms of ALTER TABLE and a restored dump move rows.
-- The caller compares the count and finds the rest by find_tasks_of_batches or
-- find_rows_of_batches, which read the whole segment. Rejected: finding rows by batch and id alone,
-- which needs an index on history or a scan for each settle.

-- name: discover
-- Finds the slots whose insert counters differ from what the worker saw last, with the new counts. A
-- row for table 0 has the version of the rules, if it differs. So a worker notices changed rules
-- without a statement of their own.
--
-- Rejected: pg_relation_size beside it, which opens and locks each table; a query on each ring, 100
-- microseconds a tenant.
select u.oid, pg_stat_get_tuples_inserted(u.oid::oid)
  from unnest(?::bigint[], ?::bigint[]) as u (oid, seen)
 where pg_stat_get_tuples_inserted(u.oid::oid) <> u.seen
 union all
select 0, v.version from {rule_version} v where v.version <> ?

-- name: look_for_tasks
-- Finds the slots that hold anything at all, dead rows included. It opens each table, 2 to 3
-- microseconds, and waits while a session locks readers out of one.
select u.oid from unnest(?::bigint[]) as u (oid) where pg_relation_size(u.oid::oid) > 0

-- name: measure_slots
-- Reads how many blocks slots have, in the order of their names; a missing table has none.
select coalesce(pg_relation_size(to_regclass(u.name)), 0)
       / current_setting('block_size')::bigint
  from unnest(?::text[]) with ordinality as u (name, place) order by u.place

-- name: draw_ids
-- Draws blocks of numbers from a sequence, several at once.
select nextval(?::regclass) from generate_series(1, ?::bigint)

-- name: enqueue
-- Stores tasks of one tenant. Measured on two cores, batches of 1,000: 1.4 million rows a second.
--
-- Rejected: COPY, 1.1 million; multi-row VALUES as the driver rewrites it, 0.9 million; a statement
-- a row, 23 thousand.
insert into {slot} (id, created_at, parent_id, attempt, kind, payload)
select u.id, now(), u.parent_id, 0, u.kind, u.payload
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (id, parent_id, kind, payload)
 where (select pg_stat_force_next_flush()::text) is not null

-- name: enqueue_of_one_kind
-- call: enqueue
-- Stores tasks of one kind without parents, as most lists are. Single values instead of arrays save
-- the server a tenth.
insert into {slot} (id, created_at, parent_id, attempt, kind, payload)
select u.id, now(), null, 0, ?::text, u.payload
  from unnest(?::bigint[], ?::text[]) as u (id, payload)
 where (select pg_stat_force_next_flush()::text) is not null

-- name: enqueue_marked
-- Stores tasks, some of which have a key or traits.
insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
select u.id, now(), u.parent_id, 0, u.kind, u.payload, u.key, u.traits
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::int[])
       as u (id, parent_id, kind, payload, key, traits)
 where (select pg_stat_force_next_flush()::text) is not null

-- name: enqueue_one
-- call: enqueue
-- Stores one task of one of many tenants, together with report_counters. Planning it takes half as
-- long as planning enqueue, and for single tasks planning is most of the work.
insert into {slot} (id, created_at, parent_id, attempt, kind, payload)
values (?::bigint, now(), null, 0, ?::text, ?::text)

-- name: report_counters
-- Makes the backend report its counters when the transaction commits.
select pg_stat_force_next_flush()

-- name: enqueue_delayed
-- Stores delayed tasks: each waits until a time, in microseconds since 1970, or for a number of
-- microseconds from now.
insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select u.id,
       case when u.absolute then timestamptz 'epoch' else now() end
         + u.micros * interval '1 microsecond',
       now(), u.parent_id, 0, u.kind, u.payload, u.key, u.traits, u.lane
  from unnest(?::bigint[], ?::boolean[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
              ?::text[], ?::int[], ?::smallint[])
       as u (id, absolute, micros, parent_id, kind, payload, key, traits, lane)
 where (select pg_stat_force_next_flush()::text) is not null

-- name: notify
-- Rings the doorbell: tells workers of other processes which tenants have new tasks.
select pg_notify(?, ?)

-- name: gate
-- Takes the gates of several tenants, in the order of the array, for the rest of the transaction. A
-- session that holds the gate and claims nothing knows that there was nothing to claim.
select u.tenant, pg_try_advisory_xact_lock(?, u.tenant)
  from unnest(?::int[]) as u (tenant)

-- fragment: into_segment
-- Moves the picked tasks from a slot to a segment of history.
     moved as (
       delete from {slot} where ctid = any (array(select ctid from picked)) returning *)
insert into {segment} (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, {lane}
  from moved

-- fragment: up_to_n
-- Moves up to n tasks from a slot, starting at a block.
with picked as materialized (
       select ctid from {slot}
        where ctid >= ?
          and (select pg_try_advisory_xact_lock({namespace}, {tenant})){and_kinds}{and_some_kinds}{but_kinds} limit ?),
{into_segment}

-- name: claim
-- Moves up to n tasks from a slot to a segment of history, starting at a block.
--
-- The lock is taken in a scalar subselect, and so once a statement. A lock in the WHERE clause of
-- the scan is taken once a row and exhausts the lock table of the whole cluster at about 10,000
-- rows. The DELETE decides who owns a row, not the lock.
--
-- Plan: it must be made with enable_seqscan = off. A plan made while the slot is empty would
-- otherwise scan the whole slot for as long as it is cached.
--
-- created_at is sent as the eight bytes of the binary protocol. Writing and parsing it as text took
-- a twelfth of a claim of 1,000.
--
-- The server keeps it prepared (see StatementCache). The kinds of a worker never change and are
-- part of the text. It has no cast and no column that it can do without: the server keeps the
-- parsed text in a block of 16 kB, and takes one of 32 kB for a few nodes more.
--
-- Rejected: FOR UPDATE SKIP LOCKED and a status column, 12 thousand tasks a second; INSERT as a
-- further CTE, a top-level DELETE fed by the lock, and a DELETE by block range, none of which works
-- through every node of a Citus cluster; a second text without the column lane for lane 0, where it
-- is null: the plan is the same, since the server adds the null by itself.
{up_to_n}
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- name: claim_wide
-- call: claim
-- Like claim, for slots that take payloads of any size. A thousand rows could be any number of
-- bytes. So it leaves large payloads out; the caller rolls back, and weighs.
{up_to_n}
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= {largest_light} then payload end, key,
          traits, (select max(ctid) from picked)

-- name: claim_weighed
-- call: claim
-- Like claim, for tenants with larger payloads: takes as many tasks as fit into a number of bytes,
-- and at least one. The last column says whether more were there. The size of a payload is read
-- without the payload, also if it is compressed or stored out of line.
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from {slot}
        where ctid >= ?
          and (select pg_try_advisory_xact_lock({namespace}, {tenant})){and_kinds}{and_some_kinds}{but_kinds} limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
{into_segment}
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- option: and_kinds
-- For a worker that knows only some kinds; all others stay where they are.
 and kind = any ({kinds})

-- option: and_some_kinds
-- For a worker that knows only some kinds, while some of these may not begin. They are a value: with
-- a text for each set of kinds, most claims were planned anew where caps of six kinds were short.
 and kind = any (?)

-- option: but_kinds
-- For a claim of any kind while some kinds may not begin.
 and kind <> all (?)

-- name: look_for_unknown_kinds
-- Finds one kind among the tasks of a slot for which the worker has no handler.
select kind from {slot} where ctid >= '(0,0)'::tid and (kind is null or kind <> all (?::text[])) limit 1

-- name: open_batches
-- Opens the batches of one transaction. The bytes of their payloads are counted here, their
-- attempts and run times when they are closed.
insert into {ledger} (id, worker, claimed_at, first_block, last_block, tenant, segment, tasks,
                      ended, bytes)
select u.id, ?::bigint, now(), u.first_block, u.last_block, u.tenant, u.segment, u.tasks, 0,
       u.bytes
  from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[],
              ?::bigint[])
       as u (id, first_block, last_block, tenant, segment, tasks, bytes)

-- name: book_ended_batches
-- call: open batches
-- Books batches that end in the transaction of their claim.
insert into {ledger} (id, worker, claimed_at, closed_at, first_block, last_block, tenant,
                      segment, tasks, ended, attempts, run_micros, bytes)
select u.id, ?::bigint, now(), now(), u.first_block, u.last_block, u.tenant, u.segment,
       u.tasks, ?::smallint, u.attempts, u.run_micros, u.bytes
  from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[],
              ?::int[], ?::bigint[], ?::bigint[])
       as u (id, first_block, last_block, tenant, segment, tasks, attempts, run_micros, bytes)

-- name: close_batches
-- Closes batches of one worker and returns those that were open. The others have lost their lease,
-- and their outcomes must not be written. The worker is compared because after a restore the same
-- number may belong to a batch of another worker.
--
-- Each batch gets its run time. The numbers are in order, so that width_bucket finds the place of
-- each by a binary search. While a batch is open, attempts is null, or minus the number of tasks
-- that were handed back.
--
-- Plan: "open" is tested by ended, so that only the primary key fits. Rejected: closed_at is null.
-- Planned over a young segment, it walks through the whole index of open batches, which keeps an
-- entry for every batch that ever was open: 7 ms after 200,000 batches. A join with the run times
-- instead of width_bucket: planned over a young segment, it may read the whole primary key.
update {ledger}
   set closed_at = now(), ended = ?::smallint, attempts = tasks + coalesce(attempts, 0),
       run_micros = (?::bigint[])[width_bucket(id, ?::bigint[])]
 where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
returning id

-- name: fence_batches
-- Locks open batches of one worker that stay open while some outcomes are written.
select id from {ledger}
 where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
 order by id for update

-- name: look_up_batches
-- Finds which batches of a worker ended in a given way. It distinguishes a settle whose answer was
-- lost from a lost lease.
select id from {ledger}
 where id = any (?::bigint[]) and worker = ?::bigint and ended = ?::smallint

-- fragment: exceptions
-- Writes outcomes into the rows of their tasks, found by place and checked by batch and id.
update {segment} h set state = u.state, error = u.error, finished_at = now()
  from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::smallint[], ?::text[],
              ?::bigint[]) as u (place, batch, id, state, error, pause)
 where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0

-- name: mark
-- Writes final outcomes: done before the rest of the batch, dead, cancelled.
{exceptions}

-- name: retry
-- Writes failed attempts and stores their tasks in the wait table.
with settled as (
{exceptions}
 returning h.id, h.created_at, h.parent_id, h.attempt, h.kind, h.payload, h.key,
           h.traits, h.lane, u.pause)
insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select id, now() + pause * interval '1 microsecond', created_at, parent_id, attempt,
       kind, payload, key, traits, lane
  from settled where (select pg_stat_force_next_flush()::text) is not null

-- name: release
-- Returns tasks of one lane that did not begin to its ring. The attempt does not count, nor are the
-- bytes of its payload metered.
with settled as (
{exceptions}
 returning h.id, h.created_at, h.parent_id, h.attempt, h.kind, h.payload, h.key,
           h.traits, h.batch_id),
     left_out as (
       update {ledger} b
          set attempts = coalesce(b.attempts, 0) - s.tasks, bytes = b.bytes - s.bytes
         from (select batch_id, count(*)::int as tasks,
                      coalesce(sum(octet_length(payload)), 0) as bytes
                 from settled group by batch_id) s
        where b.id = any (?::bigint[]) and b.id = s.batch_id)
insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt - 1, kind, payload, key, traits
  from settled where (select pg_stat_force_next_flush()::text) is not null

-- fragment: moved
-- Writes that tasks have passed a stage of their pipeline. Only the caller that finds a row
-- unsettled moves its task, so that the task is at one stage however often a move is repeated.
with moved as (
       update {segment} h set state = 1, finished_at = now()
         from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
                     ?::bigint[]) as u (place, batch, id, kind, payload, pause)
        where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0
       returning h.id, h.parent_id, u.kind, coalesce(u.payload, h.payload) as payload, h.key,
                 h.traits, h.lane, u.pause)

-- name: move
-- Writes that tasks of one lane have passed a stage of their pipeline, and makes them pending at
-- the next one, where attempts and time begin anew.
{moved}
insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, now(), parent_id, 0, kind, payload, key, traits
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- name: move_delayed
-- Like move, but the tasks wait before they are pending again.
{moved}
insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select id, now() + pause * interval '1 microsecond', now(), parent_id, 0, kind, payload,
       key, traits, lane
  from moved where (select pg_stat_force_next_flush()::text) is not null
