-- Hourly statistics (rota.statistic).

-- name: read_the_clock_for_statistics
-- Reads the clock, in microseconds since 1970. now() would be the time at which the transaction
-- began.
select (extract(epoch from clock_timestamp()) * 1000000)::bigint

-- fragment: added_statistics
-- The sums of a row and of one that is added to it.
done = s.done + excluded.done,
failed = s.failed + excluded.failed,
dead = s.dead + excluded.dead,
cancelled = s.cancelled + excluded.cancelled,
run_micros = s.run_micros + excluded.run_micros,
first_attempts = s.first_attempts + excluded.first_attempts,
wait_micros = s.wait_micros + excluded.wait_micros,
run_buckets = array(select coalesce(b.old, 0) + coalesce(b.new, 0)
                      from unnest(s.run_buckets, excluded.run_buckets) with ordinality
                           as b (old, new, place) order by b.place),
wait_buckets = array(select coalesce(b.old, 0) + coalesce(b.new, 0)
                       from unnest(s.wait_buckets, excluded.wait_buckets) with ordinality
                            as b (old, new, place) order by b.place)

-- name: add_statistics
-- Adds to the hourly counters, in one order in all processes, so that no two wait for each other.
-- Rows of erased tenants are left out. Returns the number of the transaction, by which
-- look_up_a_transaction finds its fate.
--
-- Rejected: a row for each worker, summed up by the reader, which needs a process that folds the
-- rows of dead workers; writing in the transaction of the settle, in which workers of one tenant
-- would wait for each other's commits.
insert into {statistics} as s (tenant, hour, kind, done, failed, dead, cancelled, run_micros,
                               first_attempts, wait_micros, run_buckets, wait_buckets)
select u.tenant, timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.done, u.failed,
       u.dead, u.cancelled, u.run_micros, u.first_attempts, u.wait_micros,
       u.run_buckets::bigint[], u.wait_buckets::bigint[]
  from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (tenant, hour, kind, done, failed, dead, cancelled, run_micros, first_attempts,
             wait_micros, run_buckets, wait_buckets)
  join {tenants} t on t.number = u.tenant
 order by u.tenant, u.hour, u.kind collate "C"
on conflict (tenant, hour, kind) do update
   set {added_statistics}
returning pg_current_xact_id()::text

-- name: add_statistics_of_kinds
-- Adds the same counters to the sums over all tenants, behind the others in the transaction. All
-- processes write these few rows, each of them every few seconds and for the time of a COMMIT.
--
-- Rejected: sums that the daemon makes of finished hours, which miss the present one and what is
-- written late; sums that the reader makes, which read 720,000 rows for 10,000 tenants, three kinds
-- and a day.
insert into {kind_statistics} as s (hour, kind, done, failed, dead, cancelled, run_micros,
                                    first_attempts, wait_micros, run_buckets, wait_buckets)
select timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.done, u.failed, u.dead,
       u.cancelled, u.run_micros, u.first_attempts, u.wait_micros, u.run_buckets::bigint[],
       u.wait_buckets::bigint[]
  from unnest(?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (hour, kind, done, failed, dead, cancelled, run_micros, first_attempts, wait_micros,
             run_buckets, wait_buckets)
 order by u.hour, u.kind collate "C"
on conflict (hour, kind) do update
   set {added_statistics}

-- name: add_errors_of_tenants
-- Adds to the counters of errors, in one order in all processes. Rows of erased tenants are left
-- out. Values: tenants, hours, kinds, fingerprints, failed, dead, last tasks, and times of the last
-- failures in microseconds since 1970.
insert into {tenant_errors} as e (tenant, hour, kind, fingerprint, failed, dead, last_task, last_at)
select u.tenant, timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.fingerprint,
       u.failed, u.dead, u.last_task, timestamptz 'epoch' + u.last_at * interval '1 microsecond'
  from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[])
       as u (tenant, hour, kind, fingerprint, failed, dead, last_task, last_at)
  join {tenants} t on t.number = u.tenant
 order by u.tenant, u.hour, u.kind collate "C", u.fingerprint
on conflict (tenant, hour, kind, fingerprint) do update
   set failed = e.failed + excluded.failed,
       dead = e.dead + excluded.dead,
       last_task = case when excluded.last_at >= e.last_at then excluded.last_task else e.last_task end,
       last_at = greatest(e.last_at, excluded.last_at)

-- name: add_errors
-- Adds the same counters to the sums over all tenants. Values: the tenants of the last tasks, and
-- the others of add_errors_of_tenants, with the texts of the errors.
insert into {errors} as e (hour, kind, fingerprint, failed, dead, last_task, last_at, last_tenant, error)
select timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.fingerprint, u.failed, u.dead,
       u.last_task, timestamptz 'epoch' + u.last_at * interval '1 microsecond', t.number, u.error
  from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[], ?::text[])
       as u (last_tenant, hour, kind, fingerprint, failed, dead, last_task, last_at, error)
  join {tenants} t on t.number = u.last_tenant
 order by u.hour, u.kind collate "C", u.fingerprint
on conflict (hour, kind, fingerprint) do update
   set failed = e.failed + excluded.failed,
       dead = e.dead + excluded.dead,
       last_task = case when excluded.last_at >= e.last_at then excluded.last_task else e.last_task end,
       last_tenant = case when excluded.last_at >= e.last_at then excluded.last_tenant
                          else e.last_tenant end,
       last_at = greatest(e.last_at, excluded.last_at)

-- name: look_up_a_transaction
-- Reads the fate of a transaction whose COMMIT had no answer.
select pg_xact_status(?::text::xid8)

-- name: read_statistics
-- Reads the hours of a tenant that overlap a time, in order.
select extract(epoch from s.hour)::bigint, s.kind, s.done, s.failed, s.dead, s.cancelled,
       s.run_micros, s.first_attempts, s.wait_micros, s.run_buckets, s.wait_buckets
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

-- name: forget_kind_statistics
-- call: forget statistics
-- Deletes sums over all tenants that were kept long enough.
delete from {kind_statistics} where ctid = any (array(
  select s.ctid from {kind_statistics} s
   where s.hour < now() - ?::float8 * interval '1 millisecond' limit ?))

-- name: forget_errors
-- call: forget statistics
-- Deletes counters of errors that were kept long enough.
delete from {errors} where ctid = any (array(
  select e.ctid from {errors} e
   where e.hour < now() - ?::float8 * interval '1 millisecond' limit ?))

-- name: forget_errors_of_tenants
-- call: forget statistics
-- Deletes those of tenants, and none under legal hold.
delete from {tenant_errors} where ctid = any (array(
  select e.ctid from {tenant_errors} e
   where e.hour < now() - ?::float8 * interval '1 millisecond'
     and e.tenant not in (select number from {tenants} where legal_hold) limit ?))
