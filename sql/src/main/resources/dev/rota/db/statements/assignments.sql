-- Assignment pools: task_assignment_N and task_free_N.
--
-- A row of the former is an assignment. Its two unique keys keep a task to one worker and a worker
-- to one task. A row of the latter is a known worker or task that is free. Rows are inserted and
-- deleted and not updated, because insert ... on conflict do nothing answers where an UPDATE would
-- raise a unique violation and abort the caller's transaction.
--
-- No transaction waits. One that inserts an assignment holds, on each side of it, either the
-- advisory lock of an id that came from outside or the row lock of a free one, both of which are
-- only tried. So no two transactions ever insert the same key at the same time.
--
-- Advisory locks use the second keys from the lowest int up to minus a billion, where no tenant and
-- no daemon has its own.
--
-- The first column of an answer: 1 assigned, 2 held, 3 none free, 4 contended, 5 raced; see Answer.

-- name: assign
-- Assigns a free known member, of side given, to the caller's worker or task.
--
-- Free members are tried from a random spot on; each has a spot by a hash. So callers do not
-- compete for the first one, and no caller walks over assigned members, which are not in the table.
--
-- The row lock is taken in a subselect with a limit of its own. In the condition of the scan it
-- would be taken once for each row if the plan sorted them. Rejected: advisory locks in place of
-- row locks, which find a row free that was deleted since the snapshot.
--
-- The server keeps it prepared (see StatementCache).
with held as materialized (
       select worker, task, token from {assignments} where pool = ? and {asker} = ?),
     gate as materialized (
       select pg_try_advisory_xact_lock({namespace}, ?) as open
        where not exists (select 1 from held)),
     ahead as materialized (
       select id, spot, ctid from {free}
        where pool = ? and spot >= ? and (select open from gate)
        order by spot limit 1 for update skip locked),
     behind as materialized (
       select id, spot, ctid from {free}
        where pool = ? and spot < ? and (select open from gate)
          and not exists (select 1 from ahead)
        order by spot limit 1 for update skip locked),
     picked as materialized (
       select id, spot, ctid from ahead union all select id, spot, ctid from behind),
     made as (
       insert into {assignments}
              (pool, {asker}, {given}, token, holder, returns, spot, assigned_at)
       select ?::int, ?::bigint, id, nextval({tokens}), ?::bigint, id, spot, now()
         from picked
       on conflict do nothing
       returning worker, task, token),
     gone as (
       delete from {free}
        where ctid = any (array(select picked.ctid from picked, made)))
select 1, worker, task, token from made
union all
select 2, worker, task, token from held
union all
select case when not open then 4 when exists (select 1 from picked) then 5 else 3 end,
       0, 0, 0
  from gate where not exists (select 1 from made)

-- name: assign_pairs
-- Assigns workers to tasks, none of which was known before: the requests of several callers, with
-- one answer each, in their order.
--
-- Each request that gets both locks draws a token, which shows afterwards whose row it was. Of two
-- equal requests in one statement the second is answered with 5, raced.
--
-- Plan: the limit keeps the search for older assignments an index search for each request, also in
-- a plan that was made while the table was empty. Rejected: a statement for each request, with up
-- to 64 results a flush: 6,700 a second where this one makes 9,100 (see docs/assignment.md).
with asked as materialized (
       select u.place, u.worker, u.task, u.holder, held.worker as held_worker,
              held.task as held_task, held.token as held_token,
              case when held.token is null
                   then case when pg_try_advisory_xact_lock({namespace}, u.task_key)
                             then case when pg_try_advisory_xact_lock(
                                              {namespace}, u.worker_key)
                                       then nextval({tokens}) end end end as token
         from unnest(?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::bigint[])
                with ordinality
                as u (worker, task, worker_key, task_key, holder, place)
         left join lateral (
                select worker, task, token from {assignments}
                 where pool = ? and task = u.task
                union all
                select worker, task, token from {assignments}
                 where pool = ? and worker = u.worker and task <> u.task
                limit 1) as held on true),
     made as (
       insert into {assignments} (pool, worker, task, token, holder, assigned_at)
       select ?::int, worker, task, token, holder, now() from asked
        where token is not null
       on conflict do nothing
       returning token)
select case when made.token is not null then 1 when held_token is not null then 2
            when asked.token is not null then 5 else 4 end,
       coalesce(held_worker, worker), coalesce(held_task, task),
       coalesce(held_token, asked.token)
  from asked left join made on made.token = asked.token
 order by place

-- name: find_assignment
-- Finds the assignment of a worker or of a task.
select worker, task, token from {assignments} where pool = ? and {side} = ?

-- fragment: ending
-- Locks the assignments of several callers by task and token. Assignments that another transaction
-- is ending at this moment are passed over.
with ending as materialized (
       select held.ctid from unnest(?::bigint[], ?::bigint[]) as u (task, token),
              lateral (
                select ctid from {assignments}
                 where pool = ? and task = u.task and token = u.token
                   for update skip locked) as held),

-- fragment: gone
-- Deletes the assignments that are ending.
gone as (
  delete from {assignments} where ctid = any (array(select ctid from ending))
  returning pool, spot, returns, token),

-- fragment: back
-- Makes the known members free.
back as (
  insert into {free} (pool, spot, id)
  select pool, spot, returns from gone where returns is not null
  on conflict do nothing)

-- name: release_assignment
-- call: release
-- Ends assignments of several callers, and makes their known members free. Returns the tokens of
-- those that ended.
{ending}
{gone}
{back}
select token from gone

-- name: finish_assignment
-- call: finish
-- Ends assignments of several callers for good. Returns their tokens.
{ending}
{gone}
back as (
  insert into {free} (pool, spot, id)
  select pool, spot, returns from gone where false
  on conflict do nothing)
select token from gone

-- name: await_change_of_membership
-- Waits for keep_assigned or let_assigned_go, if one of these made an ending pass over the
-- assignment, and returns a row if so. Both update no key and so share the key lock, which a
-- transaction that ends the assignment does not.
with changing as materialized (
       select 1 from {assignments} where pool = ? and task = ? and token = ?
          for key share skip locked)
select 1 from {assignments}
 where pool = ? and task = ? and token = ? and exists (select 1 from changing)
   for no key update

-- name: hand_back_assignments
-- Ends all assignments of a process that signs off.
with ending as materialized (
       select ctid from {assignments} where holder = ? for update skip locked),
{gone}
{back}
select count(*) from gone

-- name: lock_membership
-- Lets one process at a time change which members a pool knows. It is sent ahead of the statements
-- that do. What add_to_pool finds unknown stays unknown to all others until it has committed.
select pg_advisory_xact_lock({namespace}, ?)

-- name: add_to_pool
-- Makes members known and free, unless they are free or assigned.
--
-- It waits for no transaction, and none waits for it: a member that is being assigned or released
-- at this moment is found to be one or the other. Rejected: inserting members that are not assigned
-- and looking which were there. That waited for assignments under way while releases waited for it,
-- and a transaction with both was a deadlock.
insert into {free} (pool, spot, id)
select ?::int, u.spot, u.id from unnest(?::int[], ?::bigint[]) as u (spot, id)
 where not exists (
       select 1 from {free} f where f.pool = ? and f.spot = u.spot and f.id = u.id)
   and not exists (
       select 1 from {assignments} a where a.pool = ? and a.{given} = u.id)
on conflict do nothing

-- name: keep_assigned
-- Lets assigned members become free when they are released, although they had been removed.
update {assignments} a set returns = u.id, spot = u.spot
  from unnest(?::int[], ?::bigint[]) as u (spot, id)
 where a.pool = ? and a.{given} = u.id and a.returns is null

-- name: remove_free
-- Removes free members.
delete from {free} f using unnest(?::int[], ?::bigint[]) as u (spot, id)
 where f.pool = ? and f.spot = u.spot and f.id = u.id

-- name: let_assigned_go
-- Lets assigned members leave the pool when they are released.
update {assignments} set returns = null
 where pool = ? and {given} = any (?::bigint[]) and returns is not null

-- name: count_free
-- Counts free members.
select count(*) from {free} where pool = ?

-- name: find_pools
-- Finds tenants that have pools.
select distinct tenant from {pools} order by tenant

-- name: free_assignments
-- Ends assignments of dead processes, and of processes that are not registered: their row was
-- deleted while an assignment was under way.
with ending as materialized (
       select ctid from {assignments} where holder = any (?::bigint[]) or not exists (select 1 from {workers} w where w.id = holder) limit {most} for update skip locked),
{gone}
{back}
select count(*) from gone
