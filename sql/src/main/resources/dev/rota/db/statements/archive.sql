-- The manifest of the archive, the segments that are read to be archived, and archived files as
-- foreign tables.

-- name: find_archivable_segments
-- Finds sealed segments without open batches that are not archived yet. Their rows no longer change
-- except by a redrive. A clock that was ahead has sealed those of the future, long enough ago.
-- Rejected: an outer join, for which the whole manifest may be read.
select s.tenant, s.seq from {segments} s
  join {tenants} t on t.number = s.tenant
 where s.dropped_at is null and coalesce(t.archive, true)
   and coalesce((select a.archived_at is null and a.expired_at is null from {archive} a
                  where a.tenant = s.tenant and a.seq = s.seq), true)
   and (s.sealed_at <= now() - ?::float8 * interval '1 millisecond'
        or s.sealed_at > now() + interval '1 minute')
   and (s.tenant, s.seq) not in (select * from unnest(?::int[], ?::int[]))
   and not exists (select 1 from {ledger} b
                    where b.closed_at is null and b.tenant = s.tenant
                      and b.segment = s.seq)
 order by s.sealed_at limit 100

-- name: begin_archiving
-- Notes an object before it is put, so that no object is ever unknown. Returns its key, whether an
-- object may exist already, when the segment was opened and sealed, and the digest of the object
-- that was archived before. The key is that of SegmentKey, with the hour of the database's clock.
insert into {archive} as a (tenant, seq, opened_at, sealed_at, key)
select s.tenant, s.seq, s.opened_at, s.sealed_at,
       'tenant=' || s.tenant || '/hour='
         || to_char(s.opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24')
         || 'Z/seq=' || s.seq || '.parquet'
  from {segments} s
 where s.tenant = ? and s.seq = ? and s.dropped_at is null and s.sealed_at is not null
on conflict (tenant, seq) do update set archived_at = null where a.expired_at is null
returning a.key, a.xmax <> 0, (extract(epoch from a.opened_at) * 1000000)::bigint,
          (extract(epoch from a.sealed_at) * 1000000)::bigint, a.sha256

-- name: look_whether_it_is_still_to_be_archived
-- Checks that no other archiver has finished the segment.
select 1 from {archive}
 where tenant = ? and seq = ? and archived_at is null and expired_at is null

-- name: note_archived_segment
-- Notes that the object is there and was read back.
update {archive} a
   set bytes = ?, rows = ?, id_sum = ?::numeric, state_sum = ?, sha256 = ?,
       id_from = ?, id_to = ?,
       created_from = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       created_to = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       claimed_from = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       claimed_to = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       archived_at = now(), trouble = ?
 where tenant = ? and seq = ? and expired_at is null

-- name: find_archived_segments_to_drop
-- Finds segments that were archived and are kept long enough in the database. Values: how long the
-- daemon keeps them, for which time of keeping the clock is trusted, segments to leave out.
select a.tenant, a.seq, a.key, a.bytes, a.sha256, a.rows, a.id_sum::text, a.state_sum
  from {archive} a
  join {segments} s on s.tenant = a.tenant and s.seq = a.seq
  join {tenants} t on t.number = a.tenant
 cross join (values (?::float8 * interval '1 millisecond', ?::float8 * interval '1 millisecond'))
         as p (keep, trusted)
 where s.dropped_at is null and a.archived_at is not null and a.expired_at is null
   and coalesce(t.archive, true) and not t.legal_hold
   and s.sealed_at <= now() - coalesce(t.keep_history, p.keep)
   and coalesce(t.keep_history, p.keep) <= p.trusted
   and (a.tenant, a.seq) not in (select * from unnest(?::int[], ?::int[]))
 order by s.sealed_at limit 100

-- name: look_for_a_legal_hold
-- Checks, in the transaction that drops a segment and with the tenant's row locked, that it may
-- still be dropped: a policy may have changed, and another archiver may be at work.
select t.number from {tenants} t join {archive} a on a.tenant = t.number
 where t.number = ? and a.seq = ? and a.sha256 = ? and a.archived_at is not null
   and a.expired_at is null and not t.legal_hold
   for update of a

-- name: archive_again
-- Marks a segment to be archived again, because its rows changed after it was archived.
update {archive} set archived_at = null where tenant = ? and seq = ?

-- name: note_trouble_with_the_archive
-- Notes why archiving a segment failed.
update {archive} set trouble = ?
 where tenant = ? and seq = ? and trouble is distinct from ?

-- name: mark_expired_archive
-- Marks objects that are kept long enough, those that were begun for segments that were dropped
-- without an archive, and those of erased tenants. Segments that are still in the database keep
-- their objects. Values: how long the daemon keeps objects, and for which time of keeping the clock
-- is trusted: what is marked is deleted next.
--
-- It visits the tenants one by one, by index, and marks up to a hundred objects of each. Rejected:
-- one condition over all rows, which reads the whole manifest every ten seconds, a million rows
-- after some years.
with recursive known (tenant) as (
       select min(tenant) from {archive}
       union all
       select (select min(a.tenant) from {archive} a where a.tenant > k.tenant)
         from known k where k.tenant is not null),
     due (place) as (
       select a.place
         from known k
        cross join lateral (select a.ctid as place from {archive} a
                             where a.tenant = k.tenant and a.expired_at is null
                             order by a.sealed_at limit 100) a
        where not exists (select 1 from {tenants} t where t.number = k.tenant)
       union all
       select a.place
         from {tenants} t
        cross join (values (?::float8 * interval '1 millisecond',
                            ?::float8 * interval '1 millisecond')) as p (keep, trusted)
        cross join lateral (select a.ctid as place from {archive} a
                             where a.tenant = t.number and a.expired_at is null
                               and a.sealed_at <= now() - coalesce(t.keep_archive, p.keep)
                               and not exists (
                                 select 1 from {segments} s
                                  where s.tenant = t.number and s.seq = a.seq
                                    and s.dropped_at is null)
                             order by a.sealed_at limit 100) a
        where not t.legal_hold and coalesce(t.keep_archive, p.keep) <= p.trusted
       union all
       select a.ctid
         from {archive} a
         join {tenants} t on t.number = a.tenant and not t.legal_hold
        where a.archived_at is null and a.expired_at is null
          and not exists (select 1 from {segments} s
                           where s.tenant = a.tenant and s.seq = a.seq
                             and s.dropped_at is null))
update {archive} a set expired_at = now()
 where a.ctid = any (array(select d.place from due d)) and a.expired_at is null

-- name: list_expired_archive
-- Lists objects to delete.
select a.tenant, a.seq, a.key from {archive} a
 where a.expired_at is not null
   and not exists (select 1 from {tenants} t where t.number = a.tenant and t.legal_hold)
   and (a.tenant, a.seq) not in (select * from unnest(?::int[], ?::int[]))
 order by a.expired_at limit 100

-- name: look_whether_an_object_may_be_deleted
-- Checks, just before the delete of a listed object, that no legal hold came meanwhile. It takes no
-- lock: the delete may take long, and a lock on the tenant would stop its rotations.
select a.seq from {archive} a
 where a.tenant = ? and a.seq = ? and a.expired_at is not null
   and not exists (select 1 from {tenants} t where t.number = a.tenant and t.legal_hold)

-- name: forget_archived_segment
-- Deletes the entry of an object that is gone.
delete from {archive} where tenant = ? and seq = ? and expired_at is not null

-- name: note_recovery_of_the_archive
-- Clears the trouble of a segment that was archived after all.
update {archive} set trouble = null
 where tenant = ? and seq = ? and trouble is not null

-- name: list_erased_tenants
-- Lists tenants that were erased in the last seven days, and how many seconds ago.
select e.tenant, extract(epoch from now() - e.finished_at)::bigint from {erasures} e
 where e.finished_at > now() - interval '7 days'
   and not exists (select 1 from {tenants} t where t.number = e.tenant)
 order by e.tenant

-- name: note_trouble_after_an_erasure
-- Notes why the daemon could not check whether objects appeared after a tenant was erased; null
-- clears the note.
update {erasures} set trouble = ?
 where tenant = ? and trouble is distinct from ?

-- name: create_file_fdw
-- call: create file_fdw
-- Installs the foreign data wrapper for files, which comes with PostgreSQL.
create extension if not exists file_fdw

-- name: create_file_server
-- Creates the foreign server, one for all tenants; it has no options.
create server if not exists rota_archive foreign data wrapper file_fdw

-- name: create_archive_table
-- Creates the parent of a tenant's archived parts, with the columns of the view of all attempts. It
-- has no rows of its own.
create table if not exists {parent} ({columns})

-- name: widen_archive_table
-- Adds the column that the parent lacks if an older version created it, and its parts with it.
alter table {parent} add column if not exists headers text

-- name: create_archive_part
-- Creates the foreign table of one file. The server believes the constraint without checking it, so
-- that a query by time of enqueue leaves other files closed. NULL is a backslash and N, which text
-- in quotes is not.
create foreign table {child} (
  check (created_at >= {from}::timestamptz and created_at <= {to}::timestamptz))
inherits ({parent}) server rota_archive
options (filename {file}, format 'csv', null E'\\N')

-- name: list_archive_parts
-- Lists the foreign tables that exist, each with its file.
select substring(c.relname from '[0-9]+$')::int,
       (select o.option_value from pg_options_to_table(f.ftoptions) o
         where o.option_name = 'filename')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
       join pg_foreign_table f on f.ftrelid = c.oid
 where i.inhparent = to_regclass(?) order by 1

-- name: drop_archive_part
-- Drops the foreign table of one file.
drop foreign table if exists {child}

-- name: drop_archive_table
-- Drops the parent of a tenant's archived parts.
drop table if exists {parent} cascade

-- name: list_archived_segments
-- Lists segments that are archived and no longer in the database, with the times of their tasks.
select a.seq, a.key, a.bytes, a.sha256, a.created_from::text, a.created_to::text
  from {archive} a
 where a.tenant = ? and a.archived_at is not null and a.expired_at is null
   and not exists (select 1 from {segments} s
                    where s.tenant = a.tenant and s.seq = a.seq and s.dropped_at is null)
 order by a.seq

-- name: divide_segment
-- Divides a range of blocks into parts of some megabytes of text each, however large single rows
-- are: where each part begins, and the batches of its rows. Lengths of texts are known without
-- reading them.
--
-- The cast to bigint is needed: the sum is a numeric, no two quotients of which are equal, so that
-- each row would be a part.
select min(p.place)::text, array_agg(distinct p.batch_id)
  from (select h.ctid as place, h.batch_id,
               (sum(200 + octet_length(h.payload)
                    + coalesce(octet_length(h.error), 0)::bigint)
                  over (order by h.ctid))::bigint / ? as part
          from {segment} h where h.ctid >= ?::tid and h.ctid < ?::tid) p
 group by p.part order by min(p.place)

-- name: read_batches
-- Reads the ends of batches, by primary key in each segment of the ledger.
select b.id, b.worker, (extract(epoch from b.claimed_at) * 1000000)::bigint,
       (extract(epoch from b.closed_at) * 1000000)::bigint
  from {ledger} b where b.id = any (?::bigint[])

-- name: read_segment
-- Reads the rows of a part; times are in microseconds since 1970.
select h.id, h.batch_id, h.parent_id, h.attempt, h.state, h.kind, h.payload, h.error, h.key,
       coalesce((select t.priorities from {tenants} t
                  where t.number = {number})[h.lane], 0)::integer,
       coalesce(h.lane, 0)::smallint, h.traits,
       (extract(epoch from h.created_at) * 1000000)::bigint,
       (extract(epoch from h.finished_at) * 1000000)::bigint
  from {segment} h where h.ctid >= ?::tid and h.ctid < ?::tid

-- name: read_archive_owner
-- Reads the identity of this database in an object store.
select id::text from {owner}
