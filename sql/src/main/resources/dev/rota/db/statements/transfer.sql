-- Export and import of tenants.

-- name: be_oneself
-- Returns to the role that logged in, after tables were made as the owner of all.
select set_config('role', 'none', true)

-- name: flush_counters
-- Makes the inserts count when they commit. Workers find work by the counters of the tables.
select pg_stat_force_next_flush()::text

-- name: lock_for_export
-- Keeps a table from being truncated or dropped while a snapshot is read.
lock table {table} in access share mode

-- name: list_tables_of_tenant
-- Lists the tables of a schema.
select c.relname from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ? and c.relkind = 'r'

-- name: read_tenant
-- Reads a tenant's row of the registry; spans of time are in microseconds.
select gen_random_uuid()::text, t.closed, t.importing, t.current_segment,
       t.priorities, t.lane_slots, pg_sequence_last_value({task_ids}),
       (extract(epoch from now()) * 1000000)::bigint,
       (extract(epoch from t.created_at) * 1000000)::bigint,
       (extract(epoch from t.keep_history) * 1000000)::bigint, t.archive,
       (extract(epoch from t.keep_archive) * 1000000)::bigint, t.legal_hold,
       (extract(epoch from t.segment_age) * 1000000)::bigint, t.segment_bytes
  from {tenants} t where t.number = ?

-- name: read_tenant_limits
-- Reads the plan and the rules of a tenant, if it has another plan than most or any rule. Ended pauses
-- of rules without limits are read too; a change of rules removes them.
select t.plan,
       coalesce(jsonb_agg(to_jsonb(r) - 'id' - 'tenant') filter (where r.id is not null), '[]')::text
  from {tenants} t left join {rules} r on r.tenant = t.number
 where t.number = ? group by t.number having t.plan <> 'default' or count(r.id) > 0

-- name: find_open_batches
-- Finds the open batches of a tenant.
select b.id from {ledger} b where b.closed_at is null and b.tenant = ?

-- name: count_requests
-- Counts the cancellation requests for running tasks.
select count(*) from {requests} where tenant = ? and batch = any (?::bigint[])

-- name: read_rows_of_tenant
-- Reads the rows of a tenant in a table of the registry.
select {columns} from {table} h where h.tenant = ? {condition}

-- name: look_for_archived_file
-- Checks whether an archived file is kept.
select 1 from {archive} where tenant = ? and seq = ? and expired_at is null

-- name: divide_table
-- Divides a range of blocks into parts of some megabytes: where each begins.
select min(p.place)::text
  from (select h.ctid as place,
               (sum({size}) over (order by h.ctid))::bigint / ? as part
          from {table} h where h.ctid >= ?::tid and h.ctid < ?::tid) p
 group by p.part order by min(p.place)

-- name: read_rows
-- Reads the rows of a part, in their order.
select {columns} from {table} h where h.ctid >= ?::tid and h.ctid < ?::tid
 order by h.ctid

-- name: insert_rows
-- Inserts rows. Columns with one value for all rows come first.
insert into {table} ({fixed}{columns}) select {fixed_values}{values}
  from unnest({arrays}) with ordinality as u ({columns}, place_of_row)
 order by u.place_of_row

-- name: find_import
-- Finds the tenant that was made, or is being made, out of an export under a name.
select number, importing from {tenants}
 where name = ?::text collate "C" and imported_from = ?::uuid

-- name: reserve_tenant
-- Registers a tenant that is being imported, without tables. No caller sees its tasks yet.
insert into {tenants} (name, closed, legal_hold, importing, imported_from, ids_above,
                       current_segment, parked_at)
values (?, true, true, true, ?::uuid, ?, ?, now()) returning number

-- name: lock_import
-- Checks whether the tenant is still being imported; others wait.
select importing from {tenants} where number = ? for no key update

-- name: name_archived_files
-- Moves the objects of an imported tenant under its own number.
update {archive} set key = regexp_replace(key, '^tenant=[0-9]+/', 'tenant=' || tenant || '/')
 where tenant = ?

-- name: list_archived_files
-- Lists the objects that are to be put.
select seq, key, sha256 from {archive} where tenant = ? order by seq

-- name: settle_segments
-- Seals the segment that was open, because another one is open now, and notes empty segments as
-- dropped.
update {segments} t
   set sealed_at = coalesce(sealed_at, now()),
       rows = case when seq = any (s.kept) then rows else coalesce(rows, 0) end,
       dropped_at = case when seq = any (s.kept) then null
                         else coalesce(dropped_at, now()) end
  from (select ?::integer as tenant, ?::integer as last, ?::integer[] as kept) s
 where t.tenant = s.tenant and seq <= s.last

-- name: note_archived_files
-- Notes that all objects are there.
update {archive} set archived_at = now() where tenant = ? and archived_at is null

-- name: finish_import
-- Ends an import and applies the policies of the tenant.
update {tenants}
   set importing = false, closed = ?, legal_hold = ?, archive = ?::boolean,
       created_at = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       keep_history = ?::bigint * interval '1 microsecond',
       keep_archive = ?::bigint * interval '1 microsecond',
       segment_age = ?::bigint * interval '1 microsecond', segment_bytes = ?::bigint
 where number = ?

-- name: import_plan
-- Gives an imported tenant its plan, which is a name: there may be no rule of it here.
update {tenants} set plan = ?::text where number = ?

-- name: import_rules
-- Gives an imported tenant its rules, with numbers of this database. Values: tenant, rules.
insert into {rules} overriding user value
select (jsonb_populate_record(null::{rules}, e.rule || jsonb_build_object('tenant', ?::integer))).*
  from jsonb_array_elements(?::jsonb) e (rule)

-- name: add_pool
-- Registers a pool and returns its new number.
insert into {pools} (tenant, kind, name, created_at)
values (?, ?::smallint, ?, timestamptz 'epoch' + ?::bigint * interval '1 microsecond')
returning number

-- name: draw_ids_for_import
-- call: draw ids
-- Draws blocks of numbers from a sequence.
select nextval(?::regclass) from generate_series(1, ?::bigint)

-- name: find_newest_ledger
-- Finds the segment of the ledger into which claims write.
select max(seq) from {segments}

-- name: read_last_id
-- Reads the last value of the sequence; 0 before its first value.
select coalesce(pg_sequence_last_value({task_ids}), 0)

-- name: hold_sequence
-- Keeps other sessions from drawing numbers until the commit.
alter sequence {sequence} no cycle

-- name: find_holder_of_sequence
-- Describes the session that holds the sequence for longest: its process, and what the server lets
-- this role see of its application, role, address, and the start of its transaction.
select coalesce('session ' || l.pid, 'a prepared transaction') || ' ('
       || concat_ws(', ', 'application ' || quote_literal(a.application_name),
                    'role ' || quote_literal(a.usename), 'address ' || host(a.client_addr),
                    'in a transaction since '
                    || to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC')
       || ')'
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'relation' and l.granted and l.relation = to_regclass(?)
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
 order by a.xact_start nulls last limit 1

-- name: move_sequence
-- Lets the sequence continue with the block that ends with this id.
alter sequence {sequence} restart with {next}
