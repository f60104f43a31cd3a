-- Tables in the catalog.

-- name: look_up_tables
-- Reads the numbers of tables by their names, in the order of the names; 0 for a missing one.
select coalesce(to_regclass(u.name)::oid, 0)::bigint
  from unnest(?::text[]) with ordinality as u (name, place) order by u.place

-- name: look_for_tables
-- Checks whether a table of this schema and name exists. It reads the catalog: the answer that
-- to_regclass caches for a missing table may be older than a lock that was waited for.
select count(*) from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ? and c.relname = ?

-- name: read_extent
-- Reads the file and the blocks of a table. Both are certain if an earlier statement of the same
-- transaction has locked the table.
select pg_relation_filenode(u.name::regclass)::bigint,
       pg_relation_size(u.name::regclass) / current_setting('block_size')::bigint
  from (select ?::text as name) u

-- name: look_for_tables_that_are_gone
-- Finds the numbers that belong to no table of this schema and name any more. Such a table was
-- dropped or renamed, and perhaps made anew, as by pg_restore --clean. The statement opens no
-- table and waits for no lock.
select u.oid
  from unnest(?::bigint[], ?::text[], ?::text[]) as u (oid, schema, name)
 where not exists (select 1 from pg_catalog.pg_class c
                     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                    where c.oid = u.oid::oid and c.relname = u.name
                      and n.nspname = u.schema)
