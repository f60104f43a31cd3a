-- Owners of Rota's objects, and rights on them. Most of these statements write other statements, which
-- may run as a superuser. So names of functions are qualified and values have the types that
-- operators want: what others put into a schema of the session's search_path would fit better else.
-- The server itself qualifies an unnest of several arrays.

-- name: act_as_keeper
-- Continues as the role that owns the ledger, for the rest of the transaction, if the session may.
-- New tables then belong to the owner of the others, whichever session makes them. Rejected:
-- functions that run with the rights of their owner, which would have to take DDL as text.
select pg_catalog.set_config('role', pg_catalog.pg_get_userbyid(c.relowner), true)
  from pg_class c
 where c.oid = pg_catalog.to_regclass(?::text)
   and pg_catalog.pg_get_userbyid(c.relowner) <> current_user
   and pg_catalog.pg_has_role(session_user, c.relowner,
                   case when pg_catalog.current_setting('server_version_num')::integer >= 160000
                        then 'SET' else 'MEMBER' end)

-- name: look_for_roles
-- Finds which of these roles exist, and whether each is a superuser.
select rolname, rolsuper from pg_roles where rolname = any (?::text[])

-- name: create_role
-- Creates a group role. Another database of the server may be creating it at the same moment.
do $$
begin
  create role {role};
exception when duplicate_object or unique_violation then null;
end $$

-- name: grant_membership
-- call: look for membership
-- Writes the statement that makes one role a member of another, if it is not. Values: role, member.
select pg_catalog.format('grant %I to %I', g.role, g.member)
  from (values (?::text, ?::text)) as g (role, member)
 where not pg_catalog.pg_has_role(g.member, g.role, 'USAGE')

-- name: grant_own_membership
-- call: look for membership
-- Writes the statement that makes the role that migrates a member of another, if it is not.
select pg_catalog.format('grant %I to %I', g.role, session_user)
  from (values (?::text)) as g (role)
 where not pg_catalog.pg_has_role(session_user, g.role, 'USAGE')

-- name: grants_on_database
-- call: look up grants
-- Writes the statements that give roles the privileges they lack in this database. Values: roles,
-- privileges.
select pg_catalog.format('grant %s on database %I to %I', g.privilege,
                         pg_catalog.current_database(), g.role)
  from unnest(?::text[], ?::text[]) as g (role, privilege)
 where not pg_catalog.has_database_privilege(g.role, pg_catalog.current_database(), g.privilege)

-- name: owners_of_schemas
-- call: look up owners
-- Writes the statements that change the owner of schemas, with each schema and its present owner.
-- Values: role, pattern of schemas.
select pg_catalog.format('alter schema %I owner to %I', n.nspname, o.rolname), n.nspname,
       pg_catalog.pg_get_userbyid(n.nspowner)
  from pg_namespace n join pg_roles o on o.rolname = ?::text
 where n.nspname ~ ?::text and n.nspowner <> o.oid

-- name: owners_of_tables
-- call: look up owners
-- Writes the statements that change the owner of tables, views and sequences, with the schema and
-- the present owner. Values: role, pattern of schemas, pattern of names. Sequences of identity
-- columns follow their tables.
select pg_catalog.format('alter %s %I.%I owner to %I',
              case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
              n.nspname, c.relname, o.rolname),
       n.nspname, pg_catalog.pg_get_userbyid(c.relowner)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_roles o on o.rolname = ?::text
 where n.nspname ~ ?::text and c.relname ~ ?::text and c.relkind in ('r', 'v', 'S')
   and c.relowner <> o.oid
   and not exists (select 1 from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid
                      and d.deptype = 'i' and c.relkind = 'S')

-- name: owners_of_functions
-- call: look up owners
-- Writes the statements that change the owner of the functions, with the schema and the present
-- owner. Values: role, pattern of schemas, pattern of names.
select pg_catalog.format('alter function %I.%I(%s) owner to %I', n.nspname, p.proname,
              pg_catalog.pg_get_function_identity_arguments(p.oid), o.rolname),
       n.nspname, pg_catalog.pg_get_userbyid(p.proowner)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  join pg_roles o on o.rolname = ?::text
 where n.nspname ~ ?::text and p.proname ~ ?::text and p.proowner <> o.oid

-- name: schemas_of_tenants
-- call: look up owners
-- Lists the schemas of registered tenants with their numbers. Other schemas may have such names.
-- Value: schema of the registry.
select n.nspname, t.number
  from {tenants} t
  join pg_namespace n on n.nspname = ?::text || '_' || t.number::text

-- name: trusted_owners
-- call: look up owners
-- Lists the roles whose objects may be handed over: those that may register tenants, which can write
-- the registry anyway, and the role that migrates. Values: trusted roles, table of tenants.
select r.rolname
  from pg_roles r
 where r.rolname = session_user or r.rolname = any (?::text[])
       or pg_catalog.has_table_privilege(r.oid, ?::text, 'INSERT')

-- name: grants_on_schemas
-- call: look up grants
-- Writes the statements that grant rights on schemas. Values: role, privilege, pattern of schemas.
select pg_catalog.format('grant %s on schema %I to %I', g.privilege, n.nspname, g.role), n.nspname
  from pg_namespace n
 cross join (values (?::text, ?::text)) as g (role, privilege)
 where n.nspname ~ ?::text and not pg_catalog.has_schema_privilege(g.role, n.oid, g.privilege)

-- name: grants_on_tables
-- call: look up grants
-- Writes the statements that grant rights on tables and views. Values: role, privileges, pattern of
-- schemas, pattern of names.
select pg_catalog.format('grant %s on %I.%I to %I', pg_catalog.string_agg(p.privilege, ', '),
              n.nspname, c.relname, g.role),
       n.nspname
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text, ?::text[])) as g (role, privileges)
 cross join pg_catalog.unnest(g.privileges) as p (privilege)
 where n.nspname ~ ?::text and c.relname ~ ?::text and c.relkind in ('r', 'v')
   and not pg_catalog.has_table_privilege(g.role, c.oid, p.privilege)
 group by n.nspname, c.relname, g.role

-- name: grants_on_plans
-- call: look up grants
-- Writes the statement that lets a role change the plans of tenants. Values: role, pattern of
-- schemas.
select pg_catalog.format('grant update (plan) on %I.%I to %I', n.nspname, c.relname, g.role)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ?::text and c.relname = 'tenant'
   and not pg_catalog.has_column_privilege(g.role, c.oid, 'plan', 'UPDATE')

-- name: grants_on_sequences
-- call: look up grants
-- Writes the statements that let a role draw numbers. Values: role, pattern of schemas, pattern of
-- names.
select pg_catalog.format('grant usage on sequence %I.%I to %I', n.nspname, c.relname, g.role)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ?::text and c.relname ~ ?::text and c.relkind = 'S'
   and not pg_catalog.has_sequence_privilege(g.role, c.oid, 'USAGE')

-- name: grants_on_functions
-- call: look up grants
-- Writes the statements that let a role call functions. Values: role, pattern of schemas, pattern
-- of names, how many arguments the function has at least.
select pg_catalog.format('grant execute on function %I.%I(%s) to %I', n.nspname, p.proname,
              pg_catalog.pg_get_function_identity_arguments(p.oid), g.role),
       n.nspname
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ?::text and p.proname ~ ?::text and p.pronargs >= ?::integer
   and not pg_catalog.has_function_privilege(g.role, p.oid, 'EXECUTE')

-- name: default_functions_not_public
-- call: change default privileges
-- Takes from PUBLIC the functions that a role makes later.
alter default privileges for role {role} revoke execute on functions from public

-- name: default_calling_of_functions
-- call: change default privileges
-- Lets one role call the functions that another makes later.
alter default privileges for role {role} grant execute on functions to {other}

-- name: default_usage_of_schemas
-- call: change default privileges
-- Lets one role enter the schemas that another makes later.
alter default privileges for role {role} grant usage on schemas to {other}

-- name: default_writing_of_tables
-- call: change default privileges
-- Lets one role write the tables that another makes later.
alter default privileges for role {role}
  grant select, insert, update, delete on tables to {other}

-- name: default_reading_of_tables
-- call: change default privileges
-- Lets one role read the tables that another makes later.
alter default privileges for role {role} grant select on tables to {other}
