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
-- Sums up by tenant the run time of batches that were closed since a time, as far as it belongs to
-- the time since then. Of a batch that was open for longer, a part counts: its own run time is taken
-- as even. Values: first block, since, batches that were open then, since, since.
--
-- Plan: a range of blocks at the end of the segment, and its primary key. Rejected: a condition on
-- closed_at alone, which reads the whole segment, a second for an hour of many small batches.
with ended as (
       select b.id, b.tenant, b.run_micros, b.claimed_at, b.closed_at from {ledger} b
        where b.ctid >= ?::tid and b.closed_at > timestamptz 'epoch' + ?::bigint * interval '1 microsecond'
        union
       select b.id, b.tenant, b.run_micros, b.claimed_at, b.closed_at from {ledger} b
        where b.id = any (?::bigint[])
          and b.closed_at > timestamptz 'epoch' + ?::bigint * interval '1 microsecond'),
     looked as (
       select extract(epoch from now())::float8 * 1000000 - ?::bigint as micros)
select e.tenant,
       sum(e.run_micros * least(1, l.micros / greatest(1,
             extract(epoch from e.closed_at - e.claimed_at)::float8 * 1000000)))::float8
  from ended e cross join looked l
 where e.run_micros is not null
 group by e.tenant

-- name: sum_open_run_time
-- Counts the tasks in open batches by tenant, and estimates the run time since a time of those that
-- were open then. A batch cannot have run for longer than its tasks take at the mean of this hour
-- and the last one, and each of its tasks occupies at most one handler. Workers write the statistics
-- every few seconds: a tenant that has none after 15 seconds has long tasks, which all run. Before,
-- its batch counts as one handler. Values: since twice.
-- Plan: the partial index on the open batches; the statistics of few tenants by primary key.
with open as materialized (
       select b.tenant, b.tasks, extract(epoch from now() - b.claimed_at)::float8 * 1000000 as age,
              b.claimed_at <= timestamptz 'epoch' + ?::bigint * interval '1 microsecond' as was_open
         from {ledger} b where b.closed_at is null),
     means as materialized (
       select s.tenant, sum(s.run_micros)::float8
                / nullif(sum(s.done + s.failed + s.dead + s.cancelled), 0)::float8 as micros
         from {statistics} s
        where s.tenant = any (array(select distinct o.tenant from open o where o.was_open))
          and s.hour >= date_bin('1 hour', now(), timestamptz 'epoch') - interval '1 hour'
        group by s.tenant),
     looked as (
       select extract(epoch from now())::float8 * 1000000 - ?::bigint as micros)
select o.tenant, sum(o.tasks)::bigint,
       coalesce(sum(l.micros * least(o.tasks,
                      coalesce(o.tasks * m.micros / greatest(o.age, 1),
                               case when o.age > 15000000 then o.tasks else 1 end)))
                  filter (where o.was_open), 0)::float8
  from open o cross join looked l left join means m on m.tenant = o.tenant
 group by o.tenant

-- name: estimate_backlogs
-- Estimates the tasks in rings, of schemas of this pattern, with the tables that seem to have some.
-- Plan: the index of the catalog on names; opens no table.
select n.nspname::text, sum(pg_stat_get_live_tuples(c.oid))::bigint,
       array_agg(c.relname::text order by c.relname collate "C")
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and c.relname ~ '^task_init_' and n.nspname ~ ?::text
   and pg_stat_get_live_tuples(c.oid) > 0
 group by n.nspname

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
