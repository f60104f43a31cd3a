-- The live shares of tenants: two looks at the ledger, some seconds apart. No statement locks what
-- another session waits for, and none opens tables of all tenants.

-- name: mark_ledger
-- Notes the time, in microseconds since 1970, and how many blocks the newest segment of the ledger
-- has: new batches go behind them. Values: schema.
select s.seq, pg_relation_size(c.oid) / current_setting('block_size')::bigint,
       (extract(epoch from now()) * 1000000)::bigint
  from {ledger_segments} s
  join pg_catalog.pg_namespace n on n.nspname = ?::text
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'task_batch_' || s.seq
 order by s.seq desc limit 1

-- name: list_open_batches
-- Lists the open batches with the segments of the ledger that have them.
-- Plan: the partial index on the open batches of each segment of the ledger.
select b.seq, b.id from {ledger} b where b.closed_at is null

-- name: list_newer_ledger_segments
-- Lists the segments of the ledger from one on, and some older ones. Values: the first, the older ones.
select s.seq from {ledger_segments} s
 where s.seq >= ?::integer or s.seq = any (?::integer[]) order by s.seq

-- name: sum_run_time
-- Sums up by tenant and worker the run time of batches that ended since a time, in microseconds, as far
-- as it belongs to the time since then, and how many handlers they kept busy. A worker runs the batches
-- of a tenant in the order of its claims: a batch begins about when those before it end, not when it is
-- claimed. Of batches that were claimed before that time, the part after it counts: their run time is
-- taken as even since the last end before it. One that a later batch overtook runs since its claim.
-- Where no batch ended since, those of the ten seconds before tell how many handlers are busy. Times are
-- in microseconds since 1970. Values: since, first block, batches that were open then.
--
-- Plan: a range of blocks at the end of the segment, and its primary key. Rejected: a condition on
-- closed_at alone, which reads the whole segment, a second for an hour of many small batches.
with since as materialized (
       select timestamptz 'epoch' + ?::bigint * interval '1 microsecond' as t),
     ended as (
       select b.id, b.tenant, b.worker, b.tasks, b.run_micros::float8 as micros, b.claimed_at, b.closed_at
         from {ledger} b
        where b.ctid >= ?::tid and b.run_micros is not null
          and b.closed_at > (select s.t - interval '10 seconds' from since s)
        union
       select b.id, b.tenant, b.worker, b.tasks, b.run_micros::float8, b.claimed_at, b.closed_at
         from {ledger} b
        where b.id = any (?::bigint[]) and b.run_micros is not null
          and b.closed_at > (select s.t from since s)),
     earlier as (
       select e.tenant, e.worker, max(e.closed_at) as closed_at, max(e.claimed_at) as claimed_at,
              sum(e.micros) / greatest(1, extract(epoch from max(e.closed_at) - min(e.claimed_at))::float8
                                            * 1000000) as handlers
         from ended e cross join since s where e.closed_at <= s.t group by 1, 2),
     later as (
       select e.tenant, e.worker, e.micros, e.tasks, e.claimed_at, e.closed_at, s.t,
              b.closed_at as before, e.claimed_at >= s.t as whole,
              coalesce(e.claimed_at < b.claimed_at, false) as overtaken,
              extract(epoch from e.closed_at - s.t)::float8 * 1000000 as within
         from ended e cross join since s
         left join earlier b on b.tenant = e.tenant and b.worker = e.worker
        where e.closed_at > s.t),
     summed as (
       select l.tenant, l.worker, max(l.closed_at) as closed_at, max(l.claimed_at) as claimed_at,
              sum(l.micros) filter (where l.whole) as whole,
              sum(l.micros * l.within
                    / greatest(1, extract(epoch from l.closed_at - l.claimed_at)::float8 * 1000000))
                filter (where l.overtaken and not l.whole) as alone,
              sum(l.micros) filter (where not l.overtaken and not l.whole) as queued,
              sum(l.tasks * l.within) filter (where not l.overtaken and not l.whole) as most,
              max(l.within) filter (where not l.overtaken and not l.whole) as within,
              extract(epoch from max(l.closed_at) filter (where not l.overtaken and not l.whole)
                - greatest(min(l.claimed_at) filter (where not l.overtaken and not l.whole),
                           max(l.before)))::float8 * 1000000 as span,
              sum(l.micros) filter (where not l.overtaken)
                / greatest(1, extract(epoch from max(l.closed_at)
                                - greatest(min(l.claimed_at) filter (where not l.overtaken),
                                           max(l.before)))::float8 * 1000000) as handlers
         from later l group by l.tenant, l.worker)
select tenant, worker,
       coalesce(l.whole, 0) + coalesce(l.alone, 0)
         + coalesce(least(l.most, l.queued * l.within / greatest(1, l.span)), 0),
       coalesce(l.handlers, e.handlers, 0),
       (extract(epoch from coalesce(l.closed_at, e.closed_at)) * 1000000)::bigint,
       (extract(epoch from greatest(l.claimed_at, e.claimed_at)) * 1000000)::bigint
  from summed l full join earlier e using (tenant, worker)

-- name: list_open_work
-- Lists the open batches with the mean run time of tasks of their tenants in this hour and the last
-- one, those of a worker in the order of its claims. Times are in microseconds, since 1970.
-- Plan: the partial index on the open batches; the statistics of few tenants by primary key.
with open as materialized (
       select b.tenant, b.worker, b.id, b.tasks, b.claimed_at from {ledger} b where b.closed_at is null),
     means as materialized (
       select s.tenant, sum(s.run_micros)::float8
                / nullif(sum(s.done + s.failed + s.dead + s.cancelled), 0)::float8 as micros
         from {statistics} s
        where s.tenant = any (array(select distinct o.tenant from open o))
          and s.hour >= date_bin('1 hour', now(), timestamptz 'epoch') - interval '1 hour'
        group by s.tenant)
select o.tenant, o.worker, o.tasks, (extract(epoch from o.claimed_at) * 1000000)::bigint,
       coalesce(m.micros, -1)
  from open o left join means m on m.tenant = o.tenant
 order by o.tenant, o.worker, o.claimed_at, o.id

-- name: estimate_backlogs
-- Estimates the tasks in rings, of each schema that has some, how many were removed from them so far, and
-- the tables that seem to have some.
-- Plan: the index of the catalog on names; opens no table. Rejected: a condition on the name of the schema.
-- Until the catalog is analyzed, each table is compared with all schemas then: 250 ms for 1,000 tenants
-- instead of 5, and a hundred times as much for 10,000.
with rings as materialized (
       select c.relnamespace, sum(pg_stat_get_live_tuples(c.oid))::bigint as pending,
              sum(pg_stat_get_tuples_deleted(c.oid))::bigint as removed,
              array_agg(c.relname::text order by c.relname collate "C")
                filter (where pg_stat_get_live_tuples(c.oid) > 0) as slots
         from pg_catalog.pg_class c
        where c.relkind = 'r' and c.relname ~ '^task_init_'
        group by c.relnamespace having sum(pg_stat_get_live_tuples(c.oid)) > 0)
select n.nspname::text, r.pending, r.removed, r.slots
  from rings r join pg_catalog.pg_namespace n on n.oid = r.relnamespace

-- name: find_oldest_pending
-- Reads the age of the oldest of the first tasks of a slot, in seconds. Producers append to a slot and
-- claims take from its front, so that the first rows are old ones.
-- Plan: scans the table until it has some rows; the caller bounds the time.
select extract(epoch from now() - min(r.created_at))::float8
  from (select t.created_at from {table} t where isfinite(t.created_at) limit 1000) r

-- name: count_processes_alive
-- Counts the processes that have sent a heartbeat within their lease.
select count(*) from {workers} w where w.heartbeat_at > now() - w.lease

-- name: name_tenants
-- Reads the names of tenants.
select t.number, t.name from {tenants} t where t.number = any (?::integer[])

-- name: read_present_time
-- Reads the clock, in microseconds since 1970.
select (extract(epoch from now()) * 1000000)::bigint
