-- Metering: what tenants used, by hours of UTC (rota.usage).
--
-- The rows of the ledger count it: bytes since the claim, attempts and run_micros since the close.
-- Rows without run_micros belong to open batches, to processes of an older version, to imports, or
-- are copies that a legal hold keeps; none of them counts. A batch counts in the hour of its close.

-- name: list_unmetered_segments
-- call: list ledger segments
-- Lists segments of the ledger whose batches are not in the usage and may have ended before a time,
-- by a clock that stepped by no more than a day.
select seq from {ledger_segments}
 where metered_at is null and opened_at < ?::timestamptz + interval '1 day' order by seq

-- name: list_segments_to_meter
-- call: list ledger segments
-- Lists the sealed segments of the ledger that claims have left for some milliseconds. A clock that
-- was ahead has sealed those of the future, long enough ago.
select seq from {ledger_segments}
 where metered_at is null
   and (sealed_at <= now() - ?::float8 * interval '1 millisecond'
        or sealed_at > now() + interval '1 minute')
 order by seq

-- name: lock_segment_to_meter
-- Waits for every claim and settle in the segment, and keeps new ones out, but not readers: a dump
-- or a long report does not delay the metering. Another session that meters waits too.
lock table {ledger} in share row exclusive mode

-- name: look_for_open_batches_to_meter
-- call: look for open batches
-- Checks behind the lock whether the segment has an open batch, whose use is not known yet.
select exists (select 1 from {ledger} where closed_at is null)

-- name: refuse_batches
-- Makes the segment refuse batches: they would be in no usage. Settles find no open batch there.
--
-- Rejected: a constraint that no row meets, which needs a lock that waits for readers.
create trigger metered before insert on {ledger}
   for each statement execute function {refuse_batches}()

-- name: meter_segment
-- Adds the batches of a locked segment to the usage, unless they are there already. The tenant of a
-- batch may be erased.
--
-- Plan: one scan of the segment, about a second for three million batches.
with counted as materialized (
       select b.tenant, date_bin('1 hour', b.closed_at, timestamptz 'epoch') as hour,
              sum(b.attempts) as attempts, sum(b.run_micros) as run_micros,
              sum(b.bytes) as bytes, sum(case when b.ended = 2 then b.tasks - b.attempts else 0 end) as lost,
              max(b.closed_at) as last
         from {ledger} b join {tenants} t on t.number = b.tenant
        where b.run_micros is not null and b.bytes is not null
          and exists (select 1 from {ledger_segments} where seq = ?::int and metered_at is null)
        group by 1, 2),
     added as (
       insert into {usage} as u (tenant, hour, attempts, run_micros, bytes, lost)
       select tenant, hour, attempts, run_micros, bytes, lost from counted
        order by tenant, hour
       on conflict (tenant, hour) do update
          set attempts = u.attempts + excluded.attempts,
              run_micros = u.run_micros + excluded.run_micros,
              bytes = u.bytes + excluded.bytes,
              lost = u.lost + excluded.lost)
update {ledger_segments}
   set metered_at = now(), closed_until = (select max(last) from counted)
 where seq = ?::int and metered_at is null

-- name: read_the_hour
-- Reads the present hour, in seconds since 1970.
select extract(epoch from date_bin('1 hour', now(), timestamptz 'epoch'))::bigint

-- name: sample_storage
-- Notes the sizes of tenants as their storage of this hour, for those that have none yet.
--
-- Plan: the catalog is read once for all of them.
insert into {usage} as u (tenant, hour, storage_byte_hours)
select w.tenant, date_bin('1 hour', now(), timestamptz 'epoch'),
       coalesce(sum(pg_total_relation_size(c.oid)), 0)
  from unnest(?::int[], ?::text[]) as w (tenant, schema)
  join {tenants} t on t.number = w.tenant
  join pg_catalog.pg_namespace n on n.nspname = w.schema
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'm')
 group by w.tenant order by w.tenant
on conflict (tenant, hour) do update
   set storage_byte_hours = excluded.storage_byte_hours where u.storage_byte_hours = 0

-- name: bounds_of_usage
-- Reads the times between which all hours of usage are, in seconds since 1970.
select extract(epoch from least((select min(hour) from {usage}),
                                (select min(opened_at) - interval '1 day'
                                   from {ledger_segments} where metered_at is null)))::bigint,
       extract(epoch from greatest((select max(hour) from {usage}), now())
                            + interval '1 day')::bigint

-- name: read_usage
-- Reads the usage of hours, of one tenant or of all.
select u.tenant, t.name, extract(epoch from u.hour)::bigint, u.attempts, u.run_micros, u.bytes,
       u.lost, u.storage_byte_hours
  from {usage} u join {tenants} t on t.number = u.tenant
 where u.hour >= ?::timestamptz and u.hour < ?::timestamptz
   and (?::int = 0 or u.tenant = ?::int)

-- name: usage_of_ledger_segment
-- call: read usage
-- Reads the usage of hours from a segment of the ledger, of one tenant or of all.
select b.tenant, t.name, extract(epoch from b.hour)::bigint, b.attempts, b.run_micros, b.bytes,
       b.lost, 0::bigint
  from (select tenant, date_bin('1 hour', closed_at, timestamptz 'epoch') as hour,
               sum(attempts)::bigint as attempts, sum(run_micros)::bigint as run_micros,
               sum(bytes)::bigint as bytes,
               sum(case when ended = 2 then tasks - attempts else 0 end)::bigint as lost
          from {ledger}
         where run_micros is not null and bytes is not null
           and closed_at >= ?::timestamptz and closed_at < ?::timestamptz
           and (?::int = 0 or tenant = ?::int)
         group by 1, 2) as b
  join {tenants} t on t.number = b.tenant

-- name: read_completeness
-- Reads the first hour from which on the ledger has every batch, in seconds since 1970.
select coalesce(extract(epoch from date_bin('1 hour', max(complete_after), timestamptz 'epoch')
                                     + interval '1 hour')::bigint, 0)
  from {ledger_segments}

-- name: list_hours_of_ledger
-- Lists hours, tenants and segments of history for which the ledger has metered batches, and
-- whether the segment is there.
select b.tenant, b.segment,
       extract(epoch from date_bin('1 hour', b.closed_at, timestamptz 'epoch'))::bigint,
       s.seq is not null and s.dropped_at is null
  from {ledger} b
  join {tenants} t on t.number = b.tenant
  left join {segments} s on s.tenant = b.tenant and s.seq = b.segment
 where b.run_micros is not null and b.bytes is not null
   and b.closed_at >= ?::timestamptz and b.closed_at < ?::timestamptz
 group by 1, 2, 3, 4

-- name: count_history_of_hours
-- Counts attempts and bytes of hours in a segment of history: of all rows but the lost ones and
-- those that were handed back.
--
-- Plan: one scan of the segment, and one of the ledger.
select extract(epoch from date_bin('1 hour', b.closed_at, timestamptz 'epoch'))::bigint,
       count(*), coalesce(sum(octet_length(h.payload)), 0)
  from {segment} h join {ledger} b on b.id = h.batch_id
 where b.tenant = ? and b.segment = ? and b.run_micros is not null and b.bytes is not null
   and b.closed_at >= ?::timestamptz and b.closed_at < ?::timestamptz
   and h.state not in (5, 6)
 group by 1
