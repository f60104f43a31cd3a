-- Owners of Rota's objects, and rights on them. Most of these statements write other statements.

-- name: act_as_keeper
-- Continues as the role that owns the ledger, for the rest of the transaction, if the session may.
-- New tables then belong to the owner of the others, whichever session makes them. Rejected:
-- functions that run with the rights of their owner, which would have to take DDL as text.
select set_config('role', pg_get_userbyid(c.relowner), true)
  from pg_class c
 where c.oid = to_regclass(?) and pg_get_userbyid(c.relowner) <> current_user
   and pg_has_role(session_user, c.relowner,
                   case when current_setting('server_version_num')::integer >= 160000
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
select format('grant %I to %I', g.role, g.member)
  from (values (?::text, ?::text)) as g (role, member)
 where not pg_has_role(g.member, g.role, 'USAGE')

-- name: grant_own_membership
-- call: look for membership
-- Writes the statement that makes the role that migrates a member of another, if it is not.
select format('grant %I to %I', g.role, session_user)
  from (values (?::text)) as g (role)
 where not pg_has_role(session_user, g.role, 'USAGE')

-- name: grants_on_database
-- call: look up grants
-- Writes the statements that give roles the privileges they lack in this database. Values: roles,
-- privileges.
select format('grant %s on database %I to %I', g.privilege, current_database(), g.role)
  from unnest(?::text[], ?::text[]) as g (role, privilege)
 where not has_database_privilege(g.role, current_database(), g.privilege)

-- name: owners_of_schemas
-- call: look up owners
-- Writes the statements that change the owner of schemas. Values: role, pattern of schemas.
select format('alter schema %I owner to %I', n.nspname, o.rolname), n.nspname
  from pg_namespace n join pg_roles o on o.rolname = ?
 where n.nspname ~ ? and n.nspowner <> o.oid

-- name: owners_of_tables
-- call: look up owners
-- Writes the statements that change the owner of tables, views and sequences. Values: role, pattern
-- of schemas, pattern of names. Sequences of identity columns follow their tables.
select format('alter %s %I.%I owner to %I',
              case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
              n.nspname, c.relname, o.rolname),
       n.nspname
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_roles o on o.rolname = ?
 where n.nspname ~ ? and c.relname ~ ? and c.relkind in ('r', 'v', 'S')
   and c.relowner <> o.oid
   and not exists (select 1 from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid
                      and d.deptype = 'i' and c.relkind = 'S')

-- name: owners_of_functions
-- call: look up owners
-- Writes the statements that change the owner of the functions. Values: role, pattern of schemas,
-- pattern of names.
select format('alter function %I.%I(%s) owner to %I', n.nspname, p.proname,
              pg_get_function_identity_arguments(p.oid), o.rolname),
       n.nspname
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  join pg_roles o on o.rolname = ?
 where n.nspname ~ ? and p.proname ~ ? and p.proowner <> o.oid

-- name: grants_on_schemas
-- call: look up grants
-- Writes the statements that grant rights on schemas. Values: role, privilege, pattern of schemas.
select format('grant %s on schema %I to %I', g.privilege, n.nspname, g.role), n.nspname
  from pg_namespace n
 cross join (values (?::text, ?::text)) as g (role, privilege)
 where n.nspname ~ ? and not has_schema_privilege(g.role, n.oid, g.privilege)

-- name: grants_on_tables
-- call: look up grants
-- Writes the statements that grant rights on tables and views. Values: role, privileges, pattern of
-- schemas, pattern of names.
select format('grant %s on %I.%I to %I', string_agg(p.privilege, ', '), n.nspname,
              c.relname, g.role),
       n.nspname
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text, ?::text[])) as g (role, privileges)
 cross join unnest(g.privileges) as p (privilege)
 where n.nspname ~ ? and c.relname ~ ? and c.relkind in ('r', 'v')
   and not has_table_privilege(g.role, c.oid, p.privilege)
 group by n.nspname, c.relname, g.role

-- name: grants_on_plans
-- call: look up grants
-- Writes the statement that lets a role change the plans of tenants. Values: role, pattern of
-- schemas.
select format('grant update (plan) on %I.%I to %I', n.nspname, c.relname, g.role)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ? and c.relname = 'tenant'
   and not has_column_privilege(g.role, c.oid, 'plan', 'UPDATE')

-- name: grants_on_sequences
-- call: look up grants
-- Writes the statements that let a role draw numbers. Values: role, pattern of schemas, pattern of
-- names.
select format('grant usage on sequence %I.%I to %I', n.nspname, c.relname, g.role)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ? and c.relname ~ ? and c.relkind = 'S'
   and not has_sequence_privilege(g.role, c.oid, 'USAGE')

-- name: grants_on_functions
-- call: look up grants
-- Writes the statements that let a role call functions. Values: role, pattern of schemas, pattern
-- of names, how many arguments the function has at least.
select format('grant execute on function %I.%I(%s) to %I', n.nspname, p.proname,
              pg_get_function_identity_arguments(p.oid), g.role),
       n.nspname
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ? and p.proname ~ ? and p.pronargs >= ?
   and not has_function_privilege(g.role, p.oid, 'EXECUTE')

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
