-- Hourly statistics (rota.statistic).

-- name: read_the_clock_for_statistics
-- Reads the clock, in microseconds since 1970. now() would be the time at which the transaction
-- began.
select (extract(epoch from clock_timestamp()) * 1000000)::bigint

-- name: add_statistics
-- Adds to the hourly counters, in one order in all processes, so that no two wait for each other.
-- Rows of erased tenants are left out. Returns the number of the transaction, by which
-- look_up_a_transaction finds its fate.
--
-- Rejected: a row for each worker, summed up by the reader, which needs a process that folds the
-- rows of dead workers; writing in the transaction of the settle, in which workers of one tenant
-- would wait for each other's commits.
insert into {statistics} as s (tenant, hour, kind, done, failed, dead, cancelled, run_micros,
                               first_attempts, wait_micros)
select u.tenant, timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.done, u.failed,
       u.dead, u.cancelled, u.run_micros, u.first_attempts, u.wait_micros
  from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
       as u (tenant, hour, kind, done, failed, dead, cancelled, run_micros, first_attempts,
             wait_micros)
  join {tenants} t on t.number = u.tenant
 order by u.tenant, u.hour, u.kind collate "C"
on conflict (tenant, hour, kind) do update
   set done = s.done + excluded.done,
       failed = s.failed + excluded.failed,
       dead = s.dead + excluded.dead,
       cancelled = s.cancelled + excluded.cancelled,
       run_micros = s.run_micros + excluded.run_micros,
       first_attempts = s.first_attempts + excluded.first_attempts,
       wait_micros = s.wait_micros + excluded.wait_micros
returning pg_current_xact_id()::text

-- name: look_up_a_transaction
-- Reads the fate of a transaction whose COMMIT had no answer.
select pg_xact_status(?::text::xid8)

-- name: read_statistics
-- Reads the hours of a tenant that overlap a time, in order.
select extract(epoch from s.hour)::bigint, s.kind, s.done, s.failed, s.dead, s.cancelled,
       s.run_micros, s.first_attempts, s.wait_micros
  from {statistics} s
 where s.tenant = ? and s.hour > ?::timestamptz - interval '1 hour'
   and s.hour < ?::timestamptz
 order by s.hour, s.kind

-- name: forget_statistics
-- Deletes some counters that were kept long enough, and none under legal hold.
delete from {statistics} where ctid = any (array(
  select s.ctid from {statistics} s
   where s.hour < now() - ?::float8 * interval '1 millisecond'
     and s.tenant not in (select number from {tenants} where legal_hold) limit ?))
