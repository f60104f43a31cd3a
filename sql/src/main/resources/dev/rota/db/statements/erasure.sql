-- Erases a tenant; each step notes what it removes.

-- name: find_tenant_to_erase
-- Finds a tenant by its name.
select number from {tenants} where name = ?::text collate "C"

-- name: find_erasure
-- Finds the erasure of a name: the unfinished one, otherwise the latest.
select tenant, name, receipt from {erasures}
 where name = ? order by finished_at desc nulls first limit 1

-- name: lock_tenant_to_erase
-- Locks out every session that wants to change the tenant or put it under legal hold.
select t.closed, t.legal_hold, to_regclass(?) is not null,
       (select count(*) from {archive} a where a.tenant = t.number)
  from {tenants} t where t.number = ? for update of t

-- name: begin_erasure
-- Begins the erasure of a tenant.
insert into {erasures} (tenant, name) select number, name from {tenants} where number = ?

-- name: note_rows_to_erase
-- Notes how many rows of a table of all tenants are removed with the tenant.
insert into {parts} (tenant, kind, name, rows, removed_at)
select ?, 'registry', ?, count(*), now() from {table} where {column} = ?
having count(*) > 0

-- name: note_objects_to_erase
-- Notes the archived objects of the tenant.
insert into {parts} (tenant, kind, name, rows, bytes, sha256)
select tenant, 'object', key, rows, bytes, sha256 from {archive} where tenant = ?

-- name: expire_objects_to_erase
-- Expires the archived objects: they are read no more, and no archiver begins them again.
update {archive} set expired_at = coalesce(expired_at, now()) where tenant = ?

-- name: delete_errors_of_tenant
-- Deletes the sums of errors that no other tenant had: their texts may be about the tenant. It locks
-- them in the order in which workers write them, so that neither waits for the other.
with own as materialized (
       select e.hour, e.kind, e.fingerprint
         from {errors} e
         join {tenant_errors} t on t.hour = e.hour and t.kind = e.kind and t.fingerprint = e.fingerprint
        where t.tenant = ?
          and not exists (select 1 from {tenant_errors} o
                           where o.fingerprint = t.fingerprint and o.hour = t.hour and o.kind = t.kind
                             and o.tenant <> t.tenant)
        order by e.hour, e.kind, e.fingerprint
          for update of e)
delete from {errors} e using own o
 where e.hour = o.hour and e.kind = o.kind and e.fingerprint = o.fingerprint

-- name: delete_tenant
-- Deletes the tenant. Its segments, schedules, pools, statistics, rules and requests follow by
-- their foreign keys.
delete from {tenants} where number = ?

-- name: list_tables_to_erase
-- Lists the relations that are left in the schema, by the catalog, including those that others
-- made.
select c.relname, c.relkind::text
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ? and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
 order by c.oid

-- name: erase_view
-- Drops a view.
drop view if exists {relation} cascade

-- name: erase_materialized_view
-- call: erase view
-- Drops a materialized view.
drop materialized view if exists {relation} cascade

-- name: erase_foreign_table
-- Drops a foreign table.
drop foreign table if exists {relation} cascade

-- name: lock_table_to_erase
-- Keeps every session out of a table.
lock table {relation} in access exclusive mode

-- name: note_table_to_erase
-- Notes the final rows and bytes of a locked table.
insert into {parts} (tenant, kind, name, rows, bytes, removed_at)
select ?, 'table', ?, (select count(*) from {relation}),
       pg_total_relation_size(to_regclass(?)), now()

-- name: erase_table
-- Drops a table.
drop table {relation} cascade

-- name: ledger_segments_to_erase
-- call: list ledger segments
-- Lists the segments of the ledger.
select seq from {segments} order by seq

-- name: erase_batches
-- Deletes the tenant's batches. A worker that still holds one has lost its lease. It reads the
-- whole segment: an index on the tenant would cost each claim more than it saves.
with gone as (delete from {ledger} where tenant = ? returning id)
insert into {parts} as p (tenant, kind, name, rows, removed_at)
select ?, 'registry', ?, count(*), now() from gone having count(*) > 0
on conflict (tenant, kind, name)
   do update set rows = p.rows + excluded.rows, removed_at = now()

-- name: erase_schema
-- Drops the tenant's schema.
drop schema if exists {schema} cascade

-- name: list_objects_to_erase
-- Lists objects that are still to be deleted.
select name from {parts}
 where tenant = ? and kind = 'object' and removed_at is null order by name

-- name: note_object_to_erase
-- Notes an object that the manifest did not name, or one that came back.
insert into {parts} (tenant, kind, name, bytes) values (?, 'object', ?, ?)
on conflict (tenant, kind, name) do update set removed_at = null

-- name: note_erased_object
-- Notes that an object was deleted.
update {parts} set removed_at = now()
 where tenant = ? and kind = 'object' and name = ?

-- name: forget_erased_objects
-- Deletes the entries of archived objects, at which no archiver can be at work any more.
delete from {archive} where tenant = ? and archived_at is not null

-- name: list_begun_objects
-- Lists objects that a running archiver may be about to put.
select key from {archive} where tenant = ?

-- name: lock_out_archivers
-- Keeps archivers out until the transaction ends, unless one is at work.
select pg_try_advisory_xact_lock(?, ?)

-- name: forget_begun_objects
-- Deletes the entries of objects that were begun.
delete from {archive} where tenant = ?

-- name: read_erasure
-- Reads everything that was removed, with the times as texts in ISO 8601.
select kind, name, rows, bytes, sha256,
       to_char(removed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  from {parts} where tenant = ? order by kind, name

-- name: read_times_of_erasure
-- Reads when the erasure began, the present time, and the receipt; locks the erasure.
select to_char(begun_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), receipt
  from {erasures} where tenant = ? for update

-- name: finish_erasure
-- Finishes an erasure with its receipt.
update {erasures} set finished_at = now(), receipt = ? where tenant = ?
