-- Why tasks of a tenant do not begin. All statements read, and read a bounded number of rows; so a
-- deep backlog costs as much as one of some thousand tasks.

-- name: find_tenant_to_explain
-- Reads what the registry has of a tenant.
-- Plan: the index on the names.
select t.number, t.name, t.plan, t.closed, t.importing, t.parked_at is not null, e.begun_at
  from {tenants} t left join {erasures} e on e.tenant = t.number
 where t.name = ?::text

-- name: look_for_renamed_tenant
-- Finds the present name of a tenant that had this one. Only for names that no tenant has.
-- Plan: scans the registry.
select t.name from {tenants} t where t.former_name = ?::text order by t.renamed_at desc limit 1

-- name: look_for_erased_tenant
-- Finds the erasure of the last tenant of a name.
select e.begun_at, e.finished_at from {erasures} e where e.name = ?::text
 order by e.begun_at desc limit 1

-- name: list_tables_to_explain
-- Lists the tables of a tenant in which tasks may be, and the estimated number of their rows. Values:
-- schema.
-- Plan: the index of the catalog on names; opens no table.
select c.relname::text, pg_stat_get_live_tuples(c.oid)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ?::text and c.relkind = 'r' and c.relname ~ '^task_(init|wait|held|key)_'
 order by c.relname collate "C"

-- name: count_running_of_tenant
-- Counts the tasks in open batches of a tenant.
-- Plan: the partial index on the open batches of each segment of the ledger.
select coalesce(sum(b.tasks), 0)::bigint from {ledger} b
 where b.closed_at is null and b.tenant = ?::integer

-- name: count_pending_kinds
-- Counts the tasks of a slot by kind, or those of one kind, and reads the age of the oldest in
-- seconds. Rows of other programs may have infinite times, and no kind. Values: kind twice, most.
-- Plan: scans the table until it has the most rows; the caller bounds the time.
select coalesce(r.kind, ''), count(*),
       extract(epoch from now() - min(r.created_at) filter (where isfinite(r.created_at)))
  from (select t.kind, t.created_at from {table} t
         where ?::text is null or t.kind = ?::text limit ?::integer) r
 group by 1

-- name: count_delayed
-- Counts the tasks of a wait table, and those that are due, and reads when the next one is due, in
-- microseconds since 1970. Values: kind twice, most.
-- Plan: the index on the time, until it has the most rows.
select count(*), count(*) filter (where r.run_at <= now()), count(*) filter (where r.attempt > 0),
       (extract(epoch from min(r.run_at) filter (where isfinite(r.run_at))) * 1000000)::bigint
  from (select w.run_at, w.attempt from {waiting} w
         where ?::text is null or w.kind = ?::text order by w.run_at limit ?::integer) r

-- name: count_blocked
-- Counts the tasks of graphs whose prerequisites have not ended. Values: kind twice, most.
select count(*)
  from (select 1 from {held} h where ?::text is null or h.kind = ?::text limit ?::integer) r

-- name: count_taken_keys
-- Counts the keys that are taken, and those of them whose tasks have ended. Values: most.
select count(*), count(*) filter (where not r.live)
  from (select k.live from {keys} k where k.live or k.free_at > now() limit ?::integer) r

-- name: look_for_leader
-- Checks whether a session holds the leader's lock, given by the two keys of the lock.
select l.pid from pg_locks l
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.classid::bigint = (?::bigint & 4294967295)
   and l.objid::bigint = (?::bigint & 4294967295)

-- name: read_rows_set_aside_of_tenant
-- Reads the latest counters of rows of a tenant that no worker could run.
select a.rows, a.last_id, a.last_at, a.reason
  from {set_aside} a where a.tenant = ?::integer order by a.last_at desc limit ?::integer

-- name: list_workers
-- Lists processes that hold a lease, the latest heartbeats first: whether it is not over, the age of
-- the heartbeat in seconds, which rules they obey, 0 for none, and the pools and kinds that they told.
select w.host, w.heartbeat_at > now() - w.lease, extract(epoch from now() - w.heartbeat_at)::float8,
       coalesce(w.rules, 0), w.pools, w.kinds
  from {workers} w order by w.heartbeat_at desc limit ?::integer

-- name: look_for_handled_kinds
-- Finds the kinds that had attempts, of any tenant, that ended in this hour or the last one, as far as
-- workers write statistics. Plan: the index on the hour; a row for each tenant and kind.
select distinct s.kind from {statistics} s
 where s.hour >= date_bin('1 hour', now(), timestamptz 'epoch') - interval '1 hour'

-- name: list_holders
-- Lists the workers that hold slots of budgets, those with most slots first. Values: tenants, kinds.
select s.tenant, s.kind, s.worker, w.host, s.held, w.heartbeat_at > now() - w.lease
  from {shares} s join {workers} w on w.id = s.worker
 where (s.tenant, s.kind) in (select * from unnest(?::integer[], ?::text[])) and s.held > 0
 order by s.held desc, s.worker

-- name: sum_shares
-- Sums up the slots of budgets that workers hold, and tells whether one wants more, and how many
-- hold some.
select s.tenant, s.kind, sum(s.held)::integer, bool_or(s.wanted), count(*) filter (where s.held > 0)
  from {shares} s group by 1, 2

-- name: list_used_rates
-- Lists those of some rates whose next start is still to come, with its time: workers have leased all
-- before it. Values: tenants, kinds, microseconds between starts.
select r.place - 1, b.last_at + r.step * interval '1 microsecond'
  from unnest(?::integer[], ?::text[], ?::float8[]) with ordinality as r (tenant, kind, step, place)
  join {buckets} b on b.tenant = r.tenant and b.kind = r.kind
 where b.last_at + r.step * interval '1 microsecond' > clock_timestamp()

-- name: list_pools_served
-- Lists which rules live workers obey, 0 for none, and the pools that they told, null for the default
-- one alone.
select distinct coalesce(w.rules, 0), w.pools, null::text[]
  from {workers} w where w.heartbeat_at > now() - w.lease
