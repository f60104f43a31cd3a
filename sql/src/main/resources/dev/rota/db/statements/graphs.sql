-- Graphs of tasks.
--
-- task_node_N has a small row for each task of a graph, with the number of its parents that have
-- not ended. task_edge_N has the dependencies. The contents of a blocked task are in task_held_N,
-- written once and deleted once, so that counting down copies no payloads. A task that ended
-- without running is in task_spread_N until it was propagated to its children.
--
-- A transaction locks all rows of task_node_N that it is going to change by one statement and in
-- the order of their ids, so that no two wait for each other in a circle. The effects of tasks that
-- end without running are therefore left to further transactions, one for each generation, instead
-- of a recursive statement.
--
-- State: 0 blocked, 1 active, 2 done, 3 dead, 4 cancelled, 5 skipped; see NodeCode. on_dead: 1
-- skip, 2 release, otherwise cancel.

-- name: add_graph
-- Stores a new graph.
insert into {graphs} (id, created_at, first_id, last_id) values (?, now(), ?, ?)

-- name: add_nodes
-- Stores the tasks of a new graph.
insert into {nodes} (id, graph, culprit, missing, state, on_dead)
select u.id, ?::bigint, u.culprit, u.missing, u.state, u.on_dead
  from unnest(?::bigint[], ?::bigint[], ?::int[], ?::smallint[], ?::smallint[])
       as u (id, culprit, missing, state, on_dead)

-- name: add_edges
-- Stores which task depends on which.
insert into {edges} (parent, child)
select u.parent, u.child from unnest(?::bigint[], ?::bigint[]) as u (parent, child)

-- name: hold_tasks
-- Stores tasks that cannot begin yet; times are in microseconds.
insert into {held} (id, created_at, run_at, pause, parent_id, lane, kind, payload)
select u.id, now(), timestamptz 'epoch' + u.run_at * interval '1 microsecond',
       u.pause * interval '1 microsecond', u.parent_id, u.lane, u.kind, u.payload
  from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[],
              ?::text[], ?::text[])
       as u (id, run_at, pause, parent_id, lane, kind, payload)

-- name: spread
-- Stores tasks that ended without running, so that a later transaction propagates it.
insert into {spread} (id, reason) select u.id, u.reason from unnest(?::bigint[], ?::text[]) as u (id, reason)

-- name: lock_parents
-- Locks earlier tasks that new ones depend on. No worker can settle them until the new ones are
-- stored.
select id, state from {nodes} where id = any (?::bigint[]) order by id for share

-- name: lock_nodes
-- Locks tasks that end and their children, in the order of their ids.
select count(*) from (
  select n.id from {nodes} n
   where n.id = any (array(
         select unnest(?::bigint[])
         union all
         select e.child from {edges} e where e.parent = any (?::bigint[])))
   order by n.id for no key update) as locked

-- fragment: tell_children
-- Updates the children of ended parents. Those that have no parent left begin, unless a parent
-- died: then as their policy says. Returns how many begin, and how many end without running.
     heard as materialized (
       select e.child, count(*)::int as parents, min(ended.id) filter (where ended.bad) as bad
         from ended join {edges} e on e.parent = ended.id group by e.child),
     resolved as (
       update {nodes} c
          set missing = c.missing - h.parents, culprit = coalesce(c.culprit, h.bad),
              state = case when c.missing > h.parents then 0
                           when coalesce(c.culprit, h.bad) is null or c.on_dead = 2 then 1
                           when c.on_dead = 1 then 5
                           else 4 end
         from heard h where c.id = h.child and c.state = 0
       returning c.id, c.state, c.culprit),
     freed as (
       delete from {held} w using resolved r where w.id = r.id and r.state = 1
       returning w.id, w.created_at, w.run_at, w.pause, w.parent_id, w.lane, w.kind,
                 w.payload),
     moved as (
       select id, created_at, parent_id, 0 as attempt, kind, payload, null::text as key,
              {trait} as traits, lane
         from freed
        where run_at is null and pause is null
          and (select pg_stat_force_next_flush()::text) is not null){insertions},
     waiting as (
       insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload,
                              traits, lane)
       select id, coalesce(run_at, now() + pause), created_at, parent_id, 0, kind, payload,
              {trait}, lane
         from freed
        where (run_at is not null or pause is not null)
          and (select pg_stat_force_next_flush()::text) is not null),
     unrun as (
       insert into {spread} (id, reason)
       select id, case state when 5 then 'skipped' else 'cancelled' end
                  || ': its parent, task ' || culprit || ', did not succeed'
         from resolved where state in (5, 4)
       returning id)
select (select count(*) from moved), (select count(*) from unrun)

-- name: end_nodes
-- Writes that tasks have ended which ran, or were to run. Repeating it for an ended task changes
-- nothing, except for a dead task that ran again and succeeded: it becomes done, and its children
-- are not updated a second time.
--
-- Measured with a fan-out of 100,000: see docs/dependencies.md.
with told as materialized (
       select u.id, u.state from unnest(?::bigint[], ?::smallint[]) as u (id, state)),
     revived as (
       update {nodes} n set state = 2 from told
        where n.id = told.id and n.state = 3 and told.state = 2),
     ended as (
       update {nodes} n set state = told.state from told
        where n.id = told.id and n.state = 1
       returning n.id, n.state <> 2 as bad),
{tell_children}

-- name: take_spread
-- Takes tasks that ended without running, oldest first. Tasks that another transaction is taking
-- are passed over.
delete from {spread}
 where id = any (array(
       select id from {spread} order by id limit ? for update skip locked))
returning id, reason

-- name: end_unrun_nodes
-- Moves tasks that ended without running into history, and updates their children.
with told as materialized (
       select u.id, u.reason from unnest(?::bigint[], ?::text[]) as u (id, reason)),
     gone as (
       delete from {held} w using told where w.id = told.id
       returning w.id, w.created_at, w.parent_id, w.lane, w.kind, w.payload,
                 told.reason),
     history as (
       insert into {segment} (id, batch_id, created_at, parent_id, finished_at, attempt,
                              state, kind, payload, error, traits, lane)
       select id, 0, created_at, parent_id, now(), 1, 4, kind, payload, reason, {trait},
              lane
         from gone),
     ended as materialized (
       select n.id, n.state = 4 as bad from {nodes} n
        where n.id = any (array(select id from told))),
{tell_children}

-- name: find_graph
-- Counts the tasks of a graph by state.
select g.id, g.created_at, n.state, count(n.id)
  from {graphs} g
  left join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
 where g.id = ?
 group by g.id, n.state order by g.id desc

-- name: list_graphs
-- Counts the tasks of the newest graphs by state.
select g.id, g.created_at, n.state, count(n.id)
  from {graphs} g
  left join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
 where g.id = any (array(select id from {graphs} order by id desc limit ?))
 group by g.id, n.state order by g.id desc

-- name: list_nodes
-- Lists tasks of a graph, each with the tasks of the graph that depend on it. An index scan over
-- the ids, and one of the edges of each. Only blocked tasks have their kind at hand.
select n.id, n.state, h.kind,
       array(select e.child from {edges} e
              where e.parent = n.id and e.child >= g.first_id and e.child <= g.last_id
              order by e.child limit ?)
  from {graphs} g
  join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
  left join {held} h on h.id = n.id
 where g.id = ? and n.id > ?
 order by n.id limit ?

-- name: cancel_blocked_nodes
-- Cancels blocked tasks of a graph, some at a time.
with picked as materialized (
       select n.id from {graphs} g
         join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
        where g.id = ? and n.state = 0 order by n.id limit ? for no key update of n),
     cancelled as (
       update {nodes} n set state = 4 from picked where n.id = picked.id
       returning n.id)
insert into {spread} (id, reason) select id, ? from cancelled

-- name: list_active_nodes
-- Lists the tasks of a graph that are pending, wait for their time, or run.
select n.id from {graphs} g
  join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
 where g.id = ? and n.state = 1

-- name: find_graphs
-- Finds tenants that have graphs, by the catalog. The name of a table contains the number of its
-- tenant.
select t.number from (
  select c.relnamespace, substring(c.relname from '[0-9]+$') as number
    from pg_catalog.pg_class c
   where c.relname >= 'task_spread_' and c.relname < 'task_spread`' and c.relkind = 'r')
    as g
  join pg_catalog.pg_namespace n on n.oid = g.relnamespace
  join {tenants} t on t.number::text = g.number and t.parked_at is null
 where n.nspname = ? || '_' || g.number
 order by t.number

-- name: finish_graphs
-- Notes when graphs finished. They are kept for a time from then on.
update {graphs} g set finished_at = now()
 where g.finished_at is null
   and not exists (
       select 1 from {nodes} n
        where n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
          and n.state in (0, 1))
   and not exists (
       select 1 from {spread} s where s.id >= g.first_id and s.id <= g.last_id)

-- name: forget_graphs
-- Deletes graphs that finished long enough ago, unless their tenant is under legal hold. A graph
-- that is too large is deleted in several steps. Returns how many tasks and graphs it deleted: after
-- none there are no more.
with expired as materialized (
       select id, first_id, last_id from {graphs}
        where finished_at <= now() - ?::bigint * interval '1 microsecond'
          and not exists (select 1 from {tenants} where number = ? and legal_hold)
        order by id limit 100),
     doomed as materialized (
       select n.id from expired g
         join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
        limit {most_tasks}),
     cut as (
       delete from {edges} e using doomed d where e.parent = d.id),
     gone as (
       delete from {nodes} n using doomed d where n.id = d.id),
     forgotten as (
       delete from {graphs} g using expired x
        where g.id = x.id and (select count(*) from doomed) < {most_tasks}
       returning g.id)
select (select count(*) from doomed) + (select count(*) from forgotten)
