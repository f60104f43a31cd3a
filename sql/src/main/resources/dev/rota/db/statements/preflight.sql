-- The checks of the preflight, which read settings and catalogs alone, but for old_workers and
-- idle_pools.

-- name: server_version
-- call: preflight
-- Reads the version of the server.
select current_setting('server_version_num')::integer, current_setting('server_version')

-- name: standby
-- call: preflight
-- Returns a row if the server is a standby.
select 'standby' where pg_is_in_recovery()

-- name: reset_default_isolation
-- call: preflight
-- Resets the default isolation level until the end of the transaction. Pools set that of their
-- connections.
set local default_transaction_isolation to default

-- name: settings_with_values
-- call: preflight
-- Finds settings of a list that have the value beside them, and where the value comes from.
select s.name, s.setting, s.source
  from pg_settings s join unnest(?::text[], ?::text[]) as bad (name, setting)
    on bad.name = s.name and bad.setting = s.setting
 order by s.name

-- name: settings_with_other_values
-- call: preflight
-- Finds settings of a list that have another value than the one beside them.
select s.name, s.setting, s.source
  from pg_settings s join unnest(?::text[], ?::text[]) as good (name, setting)
    on good.name = s.name and good.setting <> s.setting
 order by s.name

-- name: publications
-- call: preflight
-- Finds publications that publish deletes or updates of tables of tenants, which have no replica
-- identity. Tables of the registry have primary keys.
select p.pubname, w.what
  from pg_publication p
 cross join lateral (
       select 'all tables' as what where p.puballtables
        union all
       select 'the tables of schema ' || n.nspname
         from pg_publication_namespace m join pg_namespace n on n.oid = m.pnnspid
        where m.pnpubid = p.oid and n.nspname ~ ?
        union all
       select 'table ' || n.nspname || '.' || c.relname
         from pg_publication_rel m join pg_class c on c.oid = m.prrelid
         join pg_namespace n on n.oid = c.relnamespace
        where m.prpubid = p.oid and n.nspname ~ ?
          and (c.relreplident = 'n'
               or c.relreplident = 'd'
                  and not exists (select 1 from pg_index i
                                   where i.indrelid = c.oid and i.indisprimary))
        limit 1) w
 where p.pubdelete or p.pubupdate
 order by p.pubname

-- name: room_for_locks
-- call: preflight
-- Reads how many locks fit into the lock table, at least; how many a transaction may count on; how
-- many tables there are; and how many relations the largest schema of a tenant has.
select l.per_transaction * (l.connections + l.prepared), l.per_transaction,
       (select count(*) from pg_class c where c.relkind in ('r', 'p')),
       (select coalesce(max(t.relations), 0)
          from (select c.relnamespace, count(*) as relations
                  from pg_class c group by c.relnamespace) t
         where btrim(t.relnamespace::regnamespace::text, '"') ~ ?)
  from (select current_setting('max_locks_per_transaction')::bigint,
               current_setting('max_connections')::bigint,
               current_setting('max_prepared_transactions')::bigint)
    as l (per_transaction, connections, prepared)

-- name: foreign_advisory_locks
-- call: preflight
-- Finds sessions that hold locks of Rota's namespace as Rota never does: for a minute, or outside
-- of transactions. The keys of the leader and of migrations are left out. A role without the rights
-- of pg_read_all_stats sees its own sessions alone.
select a.pid, a.application_name, a.usename, a.state,
       extract(epoch from now() - coalesce(a.xact_start, a.state_change))::bigint, count(*)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.classid::bigint = (?::bigint & 4294967295)
   and l.objid::bigint not in (0, 4294967294, 4294967295)
   and (a.state = 'idle' or a.xact_start < now() - interval '1 minute')
 group by a.pid, a.application_name, a.usename, a.state, a.xact_start, a.state_change
 order by a.pid limit 5

-- name: old_transactions
-- call: preflight
-- Finds transactions of this database, prepared ones too, that are older than a number of
-- milliseconds.
select t.what, t.name, t.seconds
  from (select 'session ' || a.pid || ' (' || coalesce(a.state, 'unknown') || ')',
               a.application_name, extract(epoch from now() - a.xact_start)::bigint
          from pg_stat_activity a
         where a.datname = current_database() and a.pid <> pg_backend_pid()
           and a.backend_type = 'client backend'
           and a.xact_start < now() - ?::float8 * interval '1 millisecond'
         union all
        select 'prepared transaction ' || quote_literal(x.gid), x.owner::text,
               extract(epoch from now() - x.prepared)::bigint
          from pg_prepared_xacts x
         where x.database = current_database()
           and x.prepared < now() - ?::float8 * interval '1 millisecond')
    as t (what, name, seconds)
 order by t.seconds desc limit 5

-- name: rights_of_public
-- call: preflight
-- Finds Rota's objects that PUBLIC may use. Values: pattern of schemas, of the names of tables, and
-- twice of schemas.
--
-- Plan: relations and functions are not joined with their schemas, here and in room_for_locks.
-- While the catalog has no statistics, and with sequential scans off, the join read the index of
-- pg_class once for each schema: over 31 s at 4,000 young tenants.
select t.what
  from (select 'schema ' || n.nspname
          from pg_namespace n cross join lateral aclexplode(n.nspacl) a
         where n.nspacl is not null and n.nspname ~ ? and a.grantee = 0
         union all
        select c.relnamespace::regnamespace || '.' || c.relname
          from pg_class c cross join lateral aclexplode(c.relacl) a
         where c.relacl is not null and c.relname ~ ?
           and btrim(c.relnamespace::regnamespace::text, '"') ~ ?
           and a.grantee = 0
         union all
        select 'function ' || p.pronamespace::regnamespace || '.' || p.proname
          from pg_proc p
         cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
         where p.proname ~ '^(enqueue.*|make.*|open_tenant)$'
           and btrim(p.pronamespace::regnamespace::text, '"') ~ ? and a.grantee = 0) as t (what)
 group by t.what order by t.what limit 5

-- name: open_search_path
-- call: preflight
-- Finds schemas of the session's search_path in which PUBLIC may create objects.
select n.nspname
  from pg_namespace n
 cross join lateral pg_catalog.aclexplode(n.nspacl) a
 where n.nspname = any (pg_catalog.current_schemas(false))
   and a.grantee = 0 and a.privilege_type = 'CREATE'
 order by n.nspname

-- name: rules_in_sight
-- call: preflight
-- Returns a row if old_workers and idle_pools can run: the tables are those of this version, and the session may
-- read them. Value: schema.
--
-- Rejected: to_regclass, which fails without the right to enter the schema.
select 'rules'
  from pg_namespace n
  join pg_class w on w.relnamespace = n.oid and w.relname = 'worker'
  join pg_class r on r.relnamespace = n.oid and r.relname = 'rule'
  join pg_class t on t.relnamespace = n.oid and t.relname = 'tenant'
  join pg_attribute a on a.attrelid = w.oid and a.attname = 'rules' and not a.attisdropped
  join pg_attribute p on p.attrelid = w.oid and p.attname = 'pools' and not p.attisdropped
 where n.nspname = ? and has_schema_privilege(n.oid, 'USAGE')
   and has_table_privilege(w.oid, 'SELECT') and has_table_privilege(r.oid, 'SELECT')
   and has_table_privilege(t.oid, 'SELECT')

-- name: old_workers
-- call: preflight
-- Finds live workers of versions that do not obey all rules, if there are rules: how many, and the
-- host and process of one.
select count(*), min(w.host)
  from {workers} w
 where w.heartbeat_at > now() - w.lease
   and exists (select 1 from {rules} r
                where coalesce(w.rules, 0) < case when r.pool is null then 1 else 2 end)
having count(*) > 0

-- name: idle_pools
-- call: preflight
-- Finds pools with tenants and without a live worker: how many tenants each has, and one of them.
-- A worker of the default pool registers with its first claim alone: that pool is left out.
select e.pool, count(*), min(e.name)
  from (select t.name, coalesce(own.pool, plans.pool) as pool
          from {tenants} t
          left join {rules} own on own.tenant = t.number and own.pool is not null
          left join {rules} plans on plans.plan = t.plan and plans.pool is not null) e
 where e.pool <> 'default'
   and not exists (select 1 from {workers} w
                    where e.pool = any (w.pools) and w.heartbeat_at > now() - w.lease)
 group by e.pool order by e.pool
