-- Reads across all tenants, each at a cost that grows neither with tasks nor with history. None opens
-- the tables of tenants, so none waits for a session that locks one.

-- name: list_tenants_with_tables
-- Lists the tenants that have tables. The numbers of tables that were made and of priorities tell
-- when a tenant has other tables than before.
-- Plan: the partial index on such tenants; 10,000 rows.
select t.number, t.name, t.closed, t.tables_made, cardinality(t.priorities), t.rotated_at
  from {tenants} t where t.parked_at is null

-- name: list_parked_tenants
-- Lists the tenants without tables.
-- Plan: scans the registry, which the caller does every half minute.
select t.number, t.name, t.closed from {tenants} t where t.parked_at is not null

-- name: list_backlog_tables
-- Lists rings and wait tables with numbers above one, and the schemas of their tenants.
-- Plan: the index of the catalog on numbers for those above the highest known, of which there are
-- few; that on names for all, 200 ms for 10,000 tenants.
select c.oid::bigint, n.nspname::text, left(c.relname::text, 9) = 'task_wait'
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and c.relname ~ '^task_(init|wait)_' and c.oid > ?::bigint::oid

-- name: read_counters_directly
-- Lets this transaction read each counter without a copy of all counters of its table, which halves
-- the time for 40,000 tables.
select set_config('stats_fetch_consistency', 'none', true)

-- name: read_backlog_counters
-- Reads the clock, live and inserted rows of each ring, and live rows of each wait table, in the
-- order of their numbers. Values: the numbers of rings, those of wait tables.
-- Plan: asks for each counter, half a microsecond each; arrays come in the order of the scan.
-- Rejected: sums by tenant with deleted rows, twice the time; finding the tables by their names,
-- which reads 40,000 rows of the catalog for 10,000 tenants.
select now(), coalesce(r.live, '{}'), coalesce(r.inserted, '{}'), coalesce(w.live, '{}')
  from (select array_agg(pg_stat_get_live_tuples(u.oid::oid)) as live,
               array_agg(pg_stat_get_tuples_inserted(u.oid::oid)) as inserted
          from unnest(?::bigint[]) as u (oid)) r,
       (select array_agg(pg_stat_get_live_tuples(u.oid::oid)) as live
          from unnest(?::bigint[]) as u (oid)) w

-- name: sum_kinds
-- Reads the sums over all tenants of the hours that overlap a time. Values: from, to, kind or null.
-- Plan: a range of the primary key; a row an hour and kind.
select extract(epoch from s.hour)::bigint, s.kind, s.done, s.failed, s.dead, s.cancelled,
       s.run_micros, s.first_attempts, s.wait_micros, s.run_buckets, s.wait_buckets
  from {kind_statistics} s
 where s.hour > ?::timestamptz - interval '1 hour' and s.hour < ?::timestamptz
   and (?::text is null or s.kind = ?::text)

-- name: list_tenants_of_kind
-- Lists the tenants with the most ended attempts of a kind, how many attempts all tenants have, and
-- the first hour of them. It reads the newest hours that overlap a time: as many as make a number of
-- rows if each has as many as the larger one of the newest two.
-- Values: kind, from, to, kind, rows, kind, limit.
-- Plan: the sums of the kind tell the hours; the index on hour and kind has the rows of each.
--
-- Rejected: the primary key, which looks for a row of each tenant in each hour: 0.5 s for twelve hours
-- of 10,000 tenants. A limit on rows in the order of hours: the planner sorts those of all hours.
with hours as materialized (
       select k.hour, row_number() over (order by k.hour desc) as place from {kind_statistics} k
        where k.kind = ? and k.hour > ?::timestamptz - interval '1 hour' and k.hour < ?::timestamptz),
     newest as materialized (
       select count(*) as rows from {statistics} s
        where s.hour = any (array(select h.hour from hours h where h.place <= 2)) and s.kind = ?
        group by s.hour),
     chosen as materialized (
       select h.hour from hours h
        where h.place <= greatest(1, ?::bigint / (select greatest(1, max(n.rows)) from newest n)))
select t.name, s.done, s.failed, s.dead, s.cancelled, (sum(s.ended) over ())::bigint,
       (select min(c.hour) from chosen c)
  from (select a.tenant, sum(a.done)::bigint as done, sum(a.failed)::bigint as failed,
               sum(a.dead)::bigint as dead, sum(a.cancelled)::bigint as cancelled,
               sum(a.done + a.failed + a.dead + a.cancelled)::bigint as ended
          from {statistics} a
         where a.hour = any (array(select c.hour from chosen c)) and a.kind = ?
         group by a.tenant) s
  join {tenants} t on t.number = s.tenant
 where s.ended > 0
 order by s.ended desc, t.name limit ?

-- name: list_processes
-- Lists processes that hold batches, and what they hold; the ages in microseconds.
-- Plan: the partial index on the open batches of each segment of the ledger.
select w.id, w.host, w.started_at, w.heartbeat_at > now() - w.lease,
       (extract(epoch from now() - w.heartbeat_at) * 1000000)::bigint,
       (extract(epoch from w.lease) * 1000000)::bigint,
       coalesce(o.tasks, 0), coalesce(o.batches, 0), w.pools, w.kinds, w.left_kinds
  from {workers} w
  left join (select b.worker, sum(b.tasks)::bigint as tasks, count(*) as batches
               from {ledger} b where b.closed_at is null group by b.worker) o on o.worker = w.id
 order by 4 desc, w.started_at, w.id limit 1000

-- name: list_running_batches
-- Lists open batches, the longest claimed first; the age in microseconds.
-- Plan: the partial index on the open batches of each segment of the ledger.
select b.id, coalesce(t.name, ''), b.worker, b.tasks,
       (extract(epoch from now() - b.claimed_at) * 1000000)::bigint
  from (select o.id, o.tenant, o.worker, o.tasks, o.claimed_at from {ledger} o
         where o.closed_at is null order by o.claimed_at, o.id limit ?) b
  left join {tenants} t on t.number = b.tenant
 order by b.claimed_at, b.id

-- name: list_errors
-- Lists errors over all tenants, those with the most failures first. Values: from, to, kind or
-- null, limit.
-- Plan: a range of the primary key, a row an hour, kind and error; then the last row of each error
-- that is shown. Rejected: the last row by array_agg, which sorts each group.
with sums as materialized (
       select e.fingerprint, e.kind, max(e.hour) as hour, sum(e.failed)::bigint as failed,
              sum(e.dead)::bigint as dead
         from {errors} e
        where e.hour > ?::timestamptz - interval '1 hour' and e.hour < ?::timestamptz
          and (?::text is null or e.kind = ?::text)
        group by e.fingerprint, e.kind
        order by sum(e.failed + e.dead) desc, e.kind, e.fingerprint limit ?)
select s.fingerprint, s.kind, l.error, s.failed, s.dead, l.last_at, t.name, l.last_task
  from sums s
  join {errors} l on l.hour = s.hour and l.kind = s.kind and l.fingerprint = s.fingerprint
  left join {tenants} t on t.number = l.last_tenant
 order by s.failed + s.dead desc, s.kind, s.fingerprint

-- name: list_errors_of_tenant
-- Lists errors of one tenant. Values: tenant, from, to, kind or null, limit.
-- Plan: a range of the primary key; the texts by the primary key of the sums over all tenants.
with sums as materialized (
       select e.fingerprint, e.kind, max(e.hour) as hour, sum(e.failed)::bigint as failed,
              sum(e.dead)::bigint as dead, max(e.tenant) as tenant
         from {tenant_errors} e
        where e.tenant = ? and e.hour > ?::timestamptz - interval '1 hour' and e.hour < ?::timestamptz
          and (?::text is null or e.kind = ?::text)
        group by e.fingerprint, e.kind
        order by sum(e.failed + e.dead) desc, e.kind, e.fingerprint limit ?)
select s.fingerprint, s.kind, a.error, s.failed, s.dead, l.last_at, null::text, l.last_task
  from sums s
  join {tenant_errors} l on l.tenant = s.tenant and l.hour = s.hour and l.kind = s.kind
   and l.fingerprint = s.fingerprint
  join {errors} a on a.hour = s.hour and a.kind = s.kind and a.fingerprint = s.fingerprint
 order by s.failed + s.dead desc, s.kind, s.fingerprint

-- name: list_tenants_with_error
-- Lists the tenants that had an error. Values: fingerprint, from, to, kind or null, tenant or null,
-- limit.
-- Plan: a range of the index on fingerprint and hour. Rejected: sums by name, a fifth slower for an
-- error of 10,000 tenants.
select t.name, s.failed, s.dead
  from (select e.tenant, sum(e.failed)::bigint as failed, sum(e.dead)::bigint as dead
          from {tenant_errors} e
         where e.fingerprint = ? and e.hour > ?::timestamptz - interval '1 hour'
           and e.hour < ?::timestamptz and (?::text is null or e.kind = ?::text)
         group by e.tenant) s
  join {tenants} t on t.number = s.tenant
 where ?::text is null or t.name = ?::text collate "C"
 order by s.dead desc, t.name limit ?

-- name: summarize_storage
-- Reads the clock and the numbers of segments. Values: the registry of segments, the
-- manifest of the archive.
-- Plan: beyond some thousand segments, and for archived ones, the number comes from the planner's
-- statistics, which autovacuum renews. Rejected: counting them, 195 ms for 240,000 segments of 10,000
-- tenants on a busy machine.
select now(),
       (select count(*) from {tenants} t where t.parked_at is null),
       coalesce((select i.reltuples::bigint from pg_catalog.pg_class i
                  where i.relname = 'segment_present' and i.reltuples > 10000
                    and i.relnamespace = (select c.relnamespace from pg_catalog.pg_class c
                                           where c.oid = to_regclass(?))),
                (select count(*) from {segments} s where s.dropped_at is null)),
       (select count(*) from {ledger_segments}),
       (select greatest(0, c.reltuples)::bigint from pg_catalog.pg_class c where c.oid = to_regclass(?)),
       (select count(*) from {archive} a where a.archived_at is null)

-- name: sum_storage
-- call: summarize storage
-- Sums the sizes of tenants in the last whole hour, and in the same hour a day before, if the daemon
-- noted them.
-- Plan: two ranges of the index on the hour.
select max(u.hour), sum(u.storage_byte_hours) filter (where u.hour = h.last)::bigint,
       sum(u.storage_byte_hours) filter (where u.hour < h.last)::bigint
  from (select date_bin('1 hour', now(), timestamptz 'epoch') - interval '1 hour' as last) h
  join {usage} u on u.hour in (h.last, h.last - interval '1 day')
 where u.storage_byte_hours > 0
having max(u.hour) = max(h.last)

-- name: count_postponed_rotations
-- Counts the tenants whose last switch was put off, by the reason.
-- Plan: scans the tenants that have tables.
select count(*), t.postponed_reason from {tenants} t
 where t.parked_at is null and t.postponed_reason is not null
 group by t.postponed_reason order by 1 desc, 2

-- name: find_oldest_transaction
-- Finds what keeps the server from removing old rows longest: a session, a prepared transaction or
-- a replica that fell behind. The server shows sessions of other roles to some roles alone.
select h.pid, h.name, h.seconds
  from (select a.pid, nullif(a.application_name, '') as name,
               extract(epoch from now() - a.xact_start)::float8 as seconds,
               greatest(age(a.backend_xid), age(a.backend_xmin)) as age
          from pg_stat_activity a
         where a.pid <> pg_backend_pid() and num_nonnulls(a.backend_xid, a.backend_xmin) > 0
        union all
        select 0, 'prepared transaction ' || p.gid, extract(epoch from now() - p.prepared)::float8,
               age(p.transaction)
          from pg_prepared_xacts p
        union all
        select 0, 'replication slot ' || r.slot_name, null,
               greatest(age(r.xmin), age(r.catalog_xmin))
          from pg_replication_slots r where num_nonnulls(r.xmin, r.catalog_xmin) > 0) h
 order by h.age desc limit 1
