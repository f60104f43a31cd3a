-- What Admin.status() reads. Each statement runs once for all tenants, except count_backlog.

-- name: read_server
-- Reads the clock and the version of the server.
select now(), current_setting('server_version')

-- name: read_schema_version
-- Reads the version of the newest migration. Only for roles that may read which migrations have
-- run; see look_for_migrations.
select m.version from {migrations} m
 where m.success and m.version is not null order by m.installed_rank desc limit 1

-- name: read_leader
-- Reads what the server lets this role see of the session that holds the leader's lock, given by
-- the two keys of the lock.
select l.pid, nullif(a.application_name, ''), host(a.client_addr), a.backend_start
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.classid::bigint = (?::bigint & 4294967295)
   and l.objid::bigint = (?::bigint & 4294967295)

-- name: count_live_workers
-- Counts the workers that have sent a heartbeat within their lease.
select count(*) from {workers} w where w.heartbeat_at > now() - w.lease

-- name: read_tenants
-- call: read the status of tenants
-- Reads the rows of the registry, of all tenants or of one name. Until its first rotation the row
-- of a tenant has the time of the registration as that of the rotation.
-- Plan: scans the registry; the segments of each tenant are a range of their primary key.
select t.number, t.name, t.closed, case when t.rotations > 0 then t.rotated_at end, t.rotations,
       t.postponed, t.postponed_reason, t.current_segment, coalesce(s.opened_at, t.created_at),
       case when t.parked_at is null
            then (select count(*) from {segments} k
                   where k.tenant = t.number and k.dropped_at is null)
            else 0 end,
       t.parked_at is not null
  from {tenants} t
  left join {segments} s on s.tenant = t.number and s.seq = t.current_segment
 where ?::text is null or t.name = ?::text
 order by t.number

-- name: count_running
-- Counts the open batches and their tasks, by tenant.
-- Plan: the partial index on the open batches of each segment of the ledger.
select b.tenant, sum(b.tasks)::bigint, count(*)
  from {ledger} b where b.closed_at is null group by b.tenant

-- name: size_backlogs
-- Reads the sizes and the estimated rows of the rings and wait tables in schemas of this pattern.
-- The size is null for a table that a session keeps readers out of, or is about to: asking for it
-- would wait.
-- Plan: reads the catalog and opens each table.
select n.nspname::text, c.relname::text,
       case when c.oid not in (select l.relation from pg_locks l
                                where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
                                  and l.database = (select d.oid from pg_database d
                                                     where d.datname = current_database()))
            then pg_relation_size(c.oid) end,
       pg_stat_get_live_tuples(c.oid)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and n.nspname ~ ?::text and c.relname ~ '^task_(init|wait)_'

-- name: count_backlog
-- Counts the tasks of one slot or wait table, and reads the age of the oldest in seconds. Rows of
-- other programs may have infinite times.
-- Plan: scans the table; the caller bounds the time and uses estimates beyond it.
select count(*),
       extract(epoch from now() - min(r.created_at) filter (where isfinite(r.created_at)))
  from {table} r

-- name: read_rows_set_aside
-- Reads the latest counters of rows that no worker could run, of all tenants or of one name.
select t.name, a.rows, a.last_id, a.last_at, a.reason
  from {set_aside} a join {tenants} t on t.number = a.tenant
 where ?::text is null or t.name = ?::text
 order by a.last_at desc limit ?

-- name: read_archive_troubles
-- Reads what hinders the archiving of segments, the oldest first, of all tenants or of one name.
select a.tenant, t.name, a.seq, a.trouble
  from {archive} a left join {tenants} t on t.number = a.tenant
 where a.trouble is not null and (?::text is null or t.name = ?::text)
 order by a.begun_at limit ?

-- name: read_erasure_troubles
-- Reads what hinders the removal of late objects of erased tenants, the oldest first, of all of
-- them or of one name.
select e.tenant, e.name, e.trouble
  from {erasures} e
 where e.trouble is not null and (?::text is null or e.name = ?::text)
 order by e.finished_at limit ?
