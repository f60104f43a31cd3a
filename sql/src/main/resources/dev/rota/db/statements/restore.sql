-- Restores the history of a tenant from its archive.

-- name: find_tenant_to_restore
-- Finds a tenant by its name.
select number, importing from {tenants} where name = ?::text collate "C"

-- name: look_for_tenants_of_an_archive
-- Finds tenants with these numbers.
select number, name from {tenants} where number = any (?::integer[]) order by number

-- name: look_for_an_erasure
-- Checks whether a tenant of that number was erased, or is being erased.
select name from {erasures} where tenant = ?

-- name: look_for_the_holder_of_archived_files
-- Finds another tenant that has files under these keys. Reads the whole manifest, once.
select t.name from {archive} a join {tenants} t on t.number = a.tenant
 where starts_with(a.key, ?) and t.name <> ? limit 1

-- name: restore_tenant
-- Registers a tenant under its former number, which is part of the keys of its files. No archive
-- holds its policies, so that nothing may be deleted yet.
insert into {tenants} (number, name, closed, legal_hold, current_segment, parked_at)
overriding system value values (?, ?, true, true, ?, now())
on conflict do nothing

-- name: hold_tenants
-- Keeps other sessions from changing the registry of tenants, and from drawing numbers for new
-- ones.
lock table {tenants} in share row exclusive mode

-- name: move_tenant_numbers
-- Gives later tenants greater numbers.
select setval(s.name::regclass, s.last)
  from (select pg_get_serial_sequence(?, 'number') as name, ?::bigint as last) s
 where coalesce(pg_sequence_last_value(s.name::regclass), 0) < s.last

-- name: look_whether_segment_is_empty
-- Checks whether a segment has a row.
select 1 from {segment} limit 1

-- name: look_for_archived_segment
-- Reads the entry of a segment in the manifest.
select key, bytes, sha256, archived_at is not null and expired_at is null
  from {archive} where tenant = ? and seq = ?

-- name: look_for_segment
-- Reads when a segment that exists was opened and sealed.
select (extract(epoch from opened_at) * 1000000)::bigint,
       (extract(epoch from sealed_at) * 1000000)::bigint from {segments}
 where tenant = ? and seq = ? and dropped_at is null

-- name: note_restored_ids
-- Records the highest id, and keeps an erasure or another restore from running at the same time.
update {tenants} set ids_above = greatest(ids_above, ?) where number = ?

-- name: note_restored_file
-- Notes an archived file. Files of older versions do not say when their segments were sealed: not
-- before the last time in them.
insert into {archive} (tenant, seq, key, bytes, rows, id_sum, state_sum, sha256,
                       opened_at, sealed_at, id_from, id_to, created_from, created_to,
                       claimed_from, claimed_to, archived_at)
select f.tenant, f.seq, f.key, f.bytes, f.rows, f.id_sum, f.states, f.sha256,
       coalesce(timestamptz 'epoch' + f.opened * f.micro, f.hour),
       coalesce(timestamptz 'epoch' + f.sealed * f.micro,
                greatest(f.hour, timestamptz 'epoch' + f.bounds[7] * f.micro)),
       f.bounds[1], f.bounds[2],
       timestamptz 'epoch' + f.bounds[3] * f.micro,
       timestamptz 'epoch' + f.bounds[4] * f.micro,
       timestamptz 'epoch' + f.bounds[5] * f.micro,
       timestamptz 'epoch' + f.bounds[6] * f.micro, now()
  from (select ?::integer as tenant, ?::integer as seq, ?::text as key, ?::bigint as bytes,
               ?::bigint as rows, ?::numeric as id_sum, ?::bigint as states,
               ?::text as sha256, ?::timestamptz as hour, ?::bigint as opened,
               ?::bigint as sealed, ?::bigint[] as bounds,
               interval '1 microsecond' as micro) f
on conflict (tenant, seq) do nothing
