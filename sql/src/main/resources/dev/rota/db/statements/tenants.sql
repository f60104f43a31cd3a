-- The registry of tenants beyond its simple statements, which jOOQ builds.

-- name: register_lane
-- Registers one more lane of a tenant, whose row is locked.
update {tenants} set priorities = array_append(priorities, ?::smallint),
       lane_slots = array_append(lane_slots, ?::smallint),
       lane_rotated_at = array_append(lane_rotated_at, now())
 where number = ?

-- name: make_wide
-- Gives the slots of a tenant TOAST tables, for payloads that fit no page. It runs with the rights
-- of their owner.
select {make}('wide')

-- name: grants_on_first_slot
-- call: look up grants
-- Writes the statements that grant on one slot the rights on another. A role that may write into
-- the first ring of a tenant may write into all of them.
select pg_catalog.format('grant %s on %s to %s', a.privilege_type, ?::text,
                         coalesce(pg_catalog.quote_ident(r.rolname), 'public'))
  from pg_class c
 cross join pg_catalog.aclexplode(c.relacl) a
  left join pg_roles r on r.oid = a.grantee
 where c.oid = ?::text::regclass and a.grantee <> c.relowner

-- name: look_for_outdated_tenants
-- Finds tenants with tables that an older version made, all or one. The second column says whether the
-- wait table, which is altered together with the others, lacks the newest column. The third says
-- whether a function is missing: enqueue, or make, which is younger. The fourth says whether the
-- views lack their newest column. Functions are qualified, since a superuser may run it; see roles.sql.
with tenant as (
       select r.number, n.oid as schema,
              pg_catalog.to_regclass(
                pg_catalog.format('%I.%I', n.nspname, 'task_wait_' || r.number::text)) as waiting,
              pg_catalog.to_regclass(
                pg_catalog.format('%I.%I', n.nspname, 'task_hist_' || r.number::text)) as history
         from {tenants} r
         join pg_namespace n on n.nspname = ?::text || '_' || r.number::text
        where r.parked_at is null and (?::integer is null or r.number = ?::integer)),
     lacking as (
       select t.number,
              not exists (select 1 from pg_attribute a
                           where a.attrelid = t.waiting and a.attname = 'lane') as columns,
              (select pg_catalog.count(*) from pg_proc p
                where p.pronamespace = t.schema and p.proname in ('enqueue', 'make')) < 2
                as functions,
              not exists (select 1 from pg_attribute a
                           where a.attrelid = t.history and a.attname = 'headers') as views
         from tenant t where t.waiting is not null)
select l.number, l.columns, l.functions, l.views from lacking l
 where l.columns or l.functions or l.views order by l.number

-- name: make_tables
-- Makes the tables of a parked tenant, and before its first task its schema, with the rights of the
-- role that owns those of all tenants. Nothing happens if it has them, but that they stay.
select {open_tenant}(?)
