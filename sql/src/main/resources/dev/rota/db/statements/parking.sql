-- Parking: the tables of an idle tenant are dropped, and made again for its next task. Parking runs
-- the statements behind the announcement in one transaction at READ COMMITTED.
--
-- Producers insert in transactions of their callers, which must not fail. So the daemon announces a
-- drop minutes before, and a producer that reads the announcement takes it back.

-- fragment: idle
-- What a tenant is that holds nothing beside one old segment, which is open. Such a segment has no
-- row if nothing was claimed or cancelled since it was opened.
t.parked_at is null and t.importing is not true
   and exists (select 1 from {segments} s
                where s.tenant = t.number and s.seq = t.current_segment and s.dropped_at is null
                  and s.opened_at <= now() - ?::float8 * interval '1 millisecond')
   and not exists (select 1 from {segments} s
                    where s.tenant = t.number and s.seq <> t.current_segment
                      and s.dropped_at is null)
   and not exists (select 1 from {schedules} s where s.tenant = t.number)
   and not exists (select 1 from {pools} p where p.tenant = t.number)
   and not exists (select 1 from {ledger} b where b.tenant = t.number and b.closed_at is null)

-- fragment: made_again
-- Whether a relation of the tenant is one that Rota makes, and makes again after a parking.
case c.relkind
       when 'r' then c.relname ~ ('^task_((init|hist)_' || t.number || '_[0-9]+|'
         || '(wait|key|assignment|free|graph|node|edge|held|spread)_' || t.number || ')$')
       when 'v' then c.relname ~ ('^task_(init|hist)_' || t.number || '$')
       else false end

-- name: find_idle_tenants
-- call: look for idle tenants
-- Finds the next tenants behind a number that may be idle.
--
-- Plan: the partial index on tenants with tables; parked ones cost nothing.
select t.number from {tenants} t
 where {idle}
   and t.park_at is null and t.number > ?
 order by t.number limit ?

-- name: announce_parking
-- Announces that the tables of tenants will be dropped, after a number of milliseconds.
update {tenants} set park_at = now() + ?::float8 * interval '1 millisecond'
 where number = any (?::int[]) and parked_at is null and park_at is null

-- name: find_announced_tenants
-- call: look for idle tenants
-- Finds tenants whose announcement is over, except for some.
select number from {tenants}
 where parked_at is null and park_at <= now() and number <> all (?::int[])
 order by park_at limit ?

-- name: lock_tenant_to_park
-- Locks the tenant's row against all that would make it busy, also against foreign keys, and checks
-- that it is still announced. Reads the isolation level of the statements that follow.
select park_at <= now(), current_setting('transaction_isolation')
  from {tenants} where number = ? and parked_at is null for update

-- name: take_gate_of_tenant
-- Takes the gate of the tenant for the rest of the transaction, so that no worker claims from it.
select pg_try_advisory_xact_lock(?, ?)

-- name: look_whether_idle
-- Checks under the lock that the tenant is still idle.
select t.number from {tenants} t
 where {idle} and t.number = ?

-- name: list_relations_of_tenant
-- Lists the tables and views that a parking drops, and whether each is a view.
select c.relname, c.relkind = 'v'
  from (values (?::text, ?::integer)) as t (schema, number)
  join pg_catalog.pg_class c on c.relnamespace = to_regnamespace(t.schema)
 where {made_again}
 order by c.relname collate "C"

-- name: look_for_additions
-- Finds what would be lost with a tenant's tables, since Rota did not make it: grants beyond the
-- default privileges of the owner, triggers, rules, policies, indexes, constraints, a replica
-- identity, views, publications. Other relations in the schema count too, since they may depend on a table of the tenant. An attached
-- archive stays. A tenant of an older version may lack the function that makes tables.
select a.what
  from (values (?::text, ?::integer)) as t (schema, number)
  join pg_catalog.pg_class c on c.relnamespace = to_regnamespace(t.schema)
 cross join lateral (
       select 'relation ' || c.relname || ', which Rota did not make'
        where c.relkind not in ('i', 'I') and not {made_again}
        union all
       select 'a grant to ' || coalesce(quote_ident(r.rolname), 'public') || ' on ' || c.relname
         from aclexplode(c.relacl) g left join pg_roles r on r.oid = g.grantee
        where g.grantee <> c.relowner
          and not exists (
                select 1 from pg_default_acl d cross join aclexplode(d.defaclacl) x
                 where d.defaclrole = c.relowner and d.defaclobjtype = 'r'
                   and d.defaclnamespace in (0, c.relnamespace)
                   and x.grantee = g.grantee and x.privilege_type = g.privilege_type
                   and x.is_grantable = g.is_grantable)
        union all
       select 'a grant on column ' || c.relname || '.' || a.attname
         from pg_attribute a where a.attrelid = c.oid and a.attacl is not null
        union all
       select 'trigger ' || t.tgname || ' on ' || c.relname
         from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
        union all
       select 'rule ' || w.rulename || ' on ' || c.relname
         from pg_rewrite w where w.ev_class = c.oid and w.rulename <> '_RETURN'
        union all
       select 'policy ' || p.polname || ' on ' || c.relname
         from pg_policy p where p.polrelid = c.oid
        union all
       select 'index ' || x.relname || ' on ' || c.relname
         from pg_index i join pg_class x on x.oid = i.indexrelid
        where i.indrelid = c.oid
          and x.relname !~ ('^task_((graph|node|edge|held|spread)_' || t.number || '_pkey'
                            || '|wait_' || t.number || '_(run_at|key)_idx'
                            || '|key_' || t.number || '_(pkey|free_at_idx)'
                            || '|(assignment|free)_' || t.number || '_(pkey|worker_pool_key))$')
        union all
       select 'constraint ' || k.conname || ' of ' || c.relname
         from pg_constraint k where k.conrelid = c.oid and k.contype in ('c', 'f', 'x')
        union all
       select 'the replica identity of ' || c.relname where c.relkind = 'r' and c.relreplident <> 'd'
        union all
       select 'view ' || v.oid::regclass || ' on ' || c.relname
         from pg_depend d join pg_rewrite w on w.oid = d.objid join pg_class v on v.oid = w.ev_class
        where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
          and d.refobjid = c.oid and v.relnamespace <> c.relnamespace
        union all
       select 'publication ' || p.pubname || ' of ' || c.relname
         from pg_publication_rel m join pg_publication p on p.oid = m.prpubid
        where m.prrelid = c.oid) as a (what)
 where c.relname !~ ('^task_archive_' || t.number || '(_[0-9]+)?$')
 union all
select 'no function make: run rota migrate'
 where not exists (select 1 from pg_proc p
                    where p.pronamespace = to_regnamespace(?) and p.proname = 'make')
 limit 1

-- name: lock_tables_of_tenant
-- Waits for every session that uses a table of the tenant, and keeps new ones out.
lock table {tables} in access exclusive mode

-- name: look_into_table
-- Finds a row, if the table has one. Under the lock, its snapshot sees all earlier writers.
select 1 from {table} limit 1

-- name: drop_views_of_tenant
-- Drops the views of a tenant.
drop view {views}

-- name: drop_tables_of_tenant
-- Drops the tables of a tenant. Not CASCADE: a view of another program keeps the tenant as it is.
drop table {tables}

-- name: note_parked
-- Records that the tenant has no tables. The next ones begin with a segment of a new number.
update {tenants} set parked_at = now(), park_at = null, postponed_reason = null,
       current_segment = current_segment + 1
 where number = ?

-- name: note_dropped_segments
-- Records that the last segment of a tenant, which was empty, was dropped.
update {segments} set dropped_at = now(), sealed_at = coalesce(sealed_at, now()), rows = 0
 where tenant = ? and dropped_at is null

-- name: withdraw_parking
-- Takes back the announcement, since the tenant is not idle.
update {tenants} set park_at = null where number = ? and park_at is not null
