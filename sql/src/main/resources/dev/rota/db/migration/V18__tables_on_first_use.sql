-- A registered tenant is a row of the registry. Its schema, functions and tables are made when its first task needs
-- them, by any role that may enqueue. open_tenant runs with the rights of its owner, who then owns the schema and the
-- tables. Later the function make of a tenant's schema adds what the tenant lacks, also with the rights of its owner.

create function "${schema}".make(tenant integer, thing text) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
begin
  -- A thing is what a function make_<thing>(tenant integer) of this schema makes. It takes the tenant's row lock.
  if thing is null or thing !~ '^[a-z]{1,30}$'
     or to_regprocedure(format('%I.%I(integer)', '${schema}', 'make_' || thing)) is null then
    raise exception 'a tenant has no %', coalesce(quote_literal(left(thing, 30)), 'null')
      using errcode = '22023', hint = 'Call it with the name of what the library makes, such as tables.';
  end if;
  execute format('select %I.%I($1)', '${schema}', 'make_' || thing) using tenant;
end
$body$;
comment on function "${schema}".make(integer, text) is
  'Makes what a tenant lacks, such as its tables, with the rights of the caller. Nothing happens if it has it.';
revoke all on function "${schema}".make(integer, text) from public;

-- A tenant without tables is parked. Rows of older versions have tables. A column of the index changes only when tables
-- come or go, so that other updates stay HOT.
alter table "${schema}".tenant
  add column parked_at   timestamptz,
  add column park_at     timestamptz,
  add column tables_made integer not null default 0,
  add column wide        boolean not null default true;
alter table "${schema}".tenant
  alter column wide set default false;
create index tenant_with_tables on "${schema}".tenant (number) where parked_at is null;
-- Registering looks for former names among a hundred thousand tenants.
create index tenant_former_name on "${schema}".tenant (former_name collate "C") where former_name is not null;
comment on column "${schema}".tenant.parked_at is
  'Since when the tenant has no tables; null if it has them. current_segment is then the next one to be made.';
comment on column "${schema}".tenant.park_at is
  'When the daemon may drop the tables of an idle tenant. It is set minutes before, so that producers see it.';
comment on column "${schema}".tenant.tables_made is
  'How often the tables were made, so that processes notice that they have others.';
comment on column "${schema}".tenant.wide is
  'Whether the slots take payloads of more than 7,000 bytes. It becomes true with the first of them, and stays so.';

-- The generators of tables. Rings and segments have no index, no constraint and no autovacuum. A segment has no
-- constraint that a ring lacks, or one bad row would block a tenant for ever. A slot has eight columns: with a ninth,
-- the null bitmap would make each row eight bytes longer.
--
-- Slots of new tenants have no TOAST table, and so one file instead of three: a switch of a ring and the making of the
-- tables take about half as long. A row must then fit a page, 8,160 bytes: a payload takes at most 7,000 of them beside
-- the longest kind and key. A tenant is wide once it has, or is about to have, a larger payload; then its slots have
-- TOAST tables. Tenants of older versions are wide.
--
-- PostgreSQL gives a table a TOAST table as soon as it has a text that is not stored plain. CREATE TABLE cannot say so
-- before PostgreSQL 16, and a later ALTER keeps the TOAST table. Rejected: a table from which others are made by LIKE,
-- one more object of the registry.
create function "${schema}".make_slot(tenant integer, slot integer) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  name constant text := format('%I.%I', '${schema}_' || tenant, 'task_init_' || tenant || '_' || slot);
begin
  execute format(
    'create table %s ('
    'id bigint, created_at timestamptz, parent_id bigint, attempt integer) '
    'with (autovacuum_enabled = off)', name);
  execute format(
    'alter table %s '
    'add column kind text, alter column kind set storage plain, '
    'add column payload text, alter column payload set storage plain, '
    'add column key text, alter column key set storage plain, '
    'add column traits integer', name);
end
$body$;
comment on function "${schema}".make_slot(integer, integer) is 'Creates one slot of a ring.';

create function "${schema}".make_segment(tenant integer, seq integer) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
begin
  execute format(
    'create table %I.%I ('
    'id bigint, batch_id bigint, created_at timestamptz, parent_id bigint, finished_at timestamptz, '
    'attempt integer, state smallint, kind text, payload text, error text, key text, traits integer, lane smallint) '
    'with (autovacuum_enabled = off, toast.autovacuum_enabled = off)',
    '${schema}_' || tenant, 'task_hist_' || tenant || '_' || seq);
end
$body$;
comment on function "${schema}".make_segment(integer, integer) is 'Creates one segment of history.';

create function "${schema}".make_pending_view(tenant integer, priorities integer[]) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  columns constant text := 'created_at, parent_id, attempt, kind, payload, key, ';
  rows      text := '';
  by_lane   text := 'case coalesce(lane, 0) when 0 then 0';
  priority  integer;
  lane      integer := 0;
begin
  foreach priority in array priorities loop
    for slot in 3 * lane .. 3 * lane + 2 loop
      rows := rows || format(
        'select id, ''pending'', null::timestamptz, %s%s from %I.%I union all ',
        columns, priority, '${schema}_' || tenant, 'task_init_' || tenant || '_' || slot);
    end loop;
    if lane > 0 then
      by_lane := by_lane || format(' when %s then %s', lane, priority);
    end if;
    lane := lane + 1;
  end loop;
  execute format(
    'create or replace view %1$I.%2$I (id, state, run_at, created_at, parent_id, attempt, kind, payload, key, priority) as '
    '%4$s select id, ''waiting'', run_at, %5$s%6$s end from %1$I.%3$I',
    '${schema}_' || tenant, 'task_init_' || tenant, 'task_wait_' || tenant, rows, columns, by_lane);
end
$body$;
comment on function "${schema}".make_pending_view(integer, integer[]) is
  'Creates the view of tasks that are pending in any lane, or waiting. The priorities are in the order of the lanes.';

create function "${schema}".make_history_view(tenant integer, segments integer[]) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  rows text;
begin
  select string_agg(
           format('select *, %s as segment from %I.%I', u.seq, '${schema}_' || tenant,
                  'task_hist_' || tenant || '_' || u.seq),
           ' union all ' order by u.place)
    into rows from unnest(segments) with ordinality as u (seq, place);
  -- A segment of the ledger is dropped only when all its batches are closed, so no batch means done.
  execute format(
    'create or replace view %I.%I (id, state, attempt, kind, payload, parent_id, created_at, claimed_at, '
    'finished_at, error, batch_id, segment, worker, key, priority) as '
    'select h.id, case h.state when 1 then ''done'' when 2 then ''failed'' when 3 then ''dead'' '
    'when 4 then ''cancelled'' when 5 then ''lost'' when 6 then ''released'' '
    'else case when b.id is not null and b.closed_at is null then ''running'' else ''done'' end end, '
    'h.attempt, h.kind, h.payload, h.parent_id, h.created_at, b.claimed_at, coalesce(h.finished_at, b.closed_at), '
    'h.error, h.batch_id, h.segment, b.worker, h.key, '
    'coalesce((select t.priorities from "${schema}".tenant t where t.number = %s)[h.lane], 0)::integer '
    'from (%s) h left join "${schema}".task_batch b on b.id = h.batch_id',
    '${schema}_' || tenant, 'task_hist_' || tenant, tenant, rows);
end
$body$;
comment on function "${schema}".make_history_view(integer, integer[]) is
  'Creates the view of all attempts, with effective states and the times of the ledger.';

-- The function make of a tenant's schema calls it for 'wide'. It looks at the columns, not for a TOAST table: a restored
-- dump has one behind columns that do not use it.
create function "${schema}".make_wide(tenant integer) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  slot text;
begin
  perform from "${schema}".tenant t where t.number = make_wide.tenant for no key update;
  if not found then
    raise exception 'tenant number % is not registered', tenant
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  for slot in
    select a.attrelid::regclass::text
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = to_regnamespace(format('%I', '${schema}_' || tenant))
       and c.relname ~ ('^task_init_' || tenant || '_[0-9]+$') and c.relkind = 'r'
       and a.attname = 'payload' and a.attstorage = 'p'
     order by length(c.relname), c.relname
  loop
    execute format('alter table %s alter column payload set storage extended', slot);
    execute format('alter table %s set (toast.autovacuum_enabled = off)', slot);
  end loop;
  update "${schema}".tenant t set wide = true where t.number = make_wide.tenant and not t.wide;
end
$body$;
comment on function "${schema}".make_wide(integer) is
  'Gives the slots of a tenant TOAST tables, with the rights of the caller. Nothing happens if they have them.';
create function "${schema}".make_tables(tenant integer) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  owner record;
begin
  -- Waits for another session that makes them, or parks the tenant, and reads the row as that one left it.
  select t.parked_at, t.park_at, t.current_segment, t.priorities, t.wide into owner
    from "${schema}".tenant t where t.number = make_tables.tenant for no key update;
  if not found then
    raise exception 'no tenant has the number %', tenant
      using errcode = '42704', hint = 'It was erased. Register it anew: rota tenant add NAME.';
  end if;
  if owner.parked_at is null then
    update "${schema}".tenant t set park_at = null
     where t.number = make_tables.tenant and t.park_at is not null;
    return;
  end if;
  for slot in 0 .. 3 * cardinality(owner.priorities) - 1 loop
    perform "${schema}".make_slot(tenant, slot);
  end loop;
  if owner.wide then
    perform "${schema}".make_wide(tenant);
  end if;
  execute format(
    'create table %I.%I ('
    'id bigint, run_at timestamptz, created_at timestamptz, parent_id bigint, attempt integer, '
    'kind text, payload text, key text, traits integer, lane smallint) '
    'with (autovacuum_vacuum_scale_factor = 0.05)',
    '${schema}_' || tenant, 'task_wait_' || tenant);
  execute format('create index on %I.%I (run_at)', '${schema}_' || tenant, 'task_wait_' || tenant);
  perform "${schema}".make_segment(tenant, owner.current_segment);
  perform "${schema}".make_pending_view(tenant, owner.priorities);
  perform "${schema}".make_history_view(tenant, array[owner.current_segment]);
  insert into "${schema}".segment (tenant, seq) values (make_tables.tenant, owner.current_segment);
  update "${schema}".tenant t
     set parked_at = null, park_at = null, tables_made = t.tables_made + 1,
         lane_rotated_at = array_fill(now(), array[cardinality(t.priorities)], array[0])
   where t.number = make_tables.tenant;
end
$body$;
comment on function "${schema}".make_tables(integer) is
  'Makes the tables of a tenant that has none, and takes back an announcement that they will be dropped.';

-- A session without rights on the database calls it before the first task of a tenant. The schema of a new tenant has
-- two functions, for sessions with rights on that tenant alone. Their bodies are not checked: a check would compile
-- them, and the server's process would keep 16 kB for each tenant.
--
-- A role that may create schemas can take the name of a tenant's schema first. So nothing in a schema of another owner
-- is called or changed.
create function "${schema}".make_own_functions(tenant integer) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
  set check_function_bodies = off
as $body$
declare
  own constant text := '${schema}_' || tenant;
begin
  execute format(
    'create or replace function %I.enqueue(kind text, payload text, run_at timestamptz default null, '
    'priority integer default 0, key text default null) returns bigint '
    'language plpgsql volatile parallel unsafe security definer set search_path = pg_catalog, pg_temp as %L',
    own, format(
      E'\nbegin\n  return "${schema}".enqueue(\n'
      '    (select t.name from "${schema}".tenant t where t.number = %s),\n'
      '    kind, payload, run_at, priority, key);\nend\n', tenant));
  execute format('revoke all on function %I.enqueue(text, text, timestamptz, integer, text) from public', own);
  execute format(
    'create or replace function %I.make(thing text) returns void '
    'language plpgsql volatile parallel unsafe security definer set search_path = pg_catalog, pg_temp as %L',
    own, format(E'\nbegin\n  perform "${schema}".make(%s, thing);\nend\n', tenant));
  execute format('revoke all on function %I.make(text) from public', own);
end
$body$;
comment on function "${schema}".make_own_functions(integer) is
  'Creates the functions enqueue and make in the schema of a tenant.';

create function "${schema}".open_tenant(tenant integer) returns void
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $body$
declare
  own       constant text := '${schema}_' || tenant;
  its_owner name;
begin
  -- Waits for another session that does the same.
  perform from "${schema}".tenant t where t.number = open_tenant.tenant for no key update;
  if not found then
    raise exception 'no tenant has the number %', tenant
      using errcode = '42704', hint = 'It was erased. Register it anew: rota tenant add NAME.';
  end if;
  select pg_get_userbyid(n.nspowner) into its_owner from pg_namespace n where n.nspname = own;
  if not found then
    execute format('create schema %I', own);
    perform "${schema}".make_own_functions(tenant);
  elsif its_owner <> current_user then
    raise exception 'schema % of tenant % belongs to %', quote_ident(own), tenant, its_owner
      using errcode = '42P06',
            hint = format('It must belong to %I: alter schema %I owner to %I.', current_user, own, current_user);
  end if;
  perform "${schema}".make_tables(tenant);
end
$body$;
comment on function "${schema}".open_tenant(integer) is
  'Makes the schema and the tables that a tenant lacks, with the rights of the owner of this function.';

revoke all on function
  "${schema}".make_slot(integer, integer),
  "${schema}".make_segment(integer, integer),
  "${schema}".make_pending_view(integer, integer[]),
  "${schema}".make_history_view(integer, integer[]),
  "${schema}".make_wide(integer),
  "${schema}".make_tables(integer),
  "${schema}".make_own_functions(integer),
  "${schema}".open_tenant(integer)
  from public;

-- As in V1, V2 and V17, but that a parked tenant gets its tables, in the transaction of the caller. A task that does
-- not fit a slot of its tenant goes through the wait table. The daemon makes the slots wide and promotes it. Rejected:
-- making them wide here, which would lock them until the caller commits; calling the longest form from the shorter ones,
-- since a login may have a right on one of these alone.
create or replace function "${schema}".enqueue(tenant text, kind text, payload text) returns bigint
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  owner     record;
  task      bigint;
  max_bytes integer := least(
    coalesce(nullif(current_setting('rota.payload_limit', true), '')::integer, 65536), 1048576);
begin
  if kind is null or kind !~ '^[A-Za-z0-9._:/-]{1,128}$' then
    raise exception 'kind % is malformed', coalesce(quote_literal(left(kind, 128)), 'null')
      using errcode = '22023',
            hint = 'A kind is 1 to 128 characters out of A-Z a-z 0-9 . _ : / -';
  end if;
  if payload is null or octet_length(payload) > max_bytes then
    raise exception 'payload is %', coalesce(octet_length(payload) || ' bytes', 'null')
      using errcode = '22023',
            hint = format('A payload is at most %s bytes of UTF-8.', max_bytes);
  end if;
  select r.number, r.current_slot, r.closed,
         r.parked_at, r.park_at, r.wide into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  if owner.parked_at is not null or owner.park_at is not null then
    -- Other sessions that need the tables wait for this transaction.
    perform "${schema}".open_tenant(owner.number);
  end if;
  task := nextval('"${schema}".task_id');
  if owner.wide or octet_length(payload) <= 7000 then
    execute format(
      'insert into %I.%I (id, created_at, parent_id, attempt, kind, payload) values ($1, now(), null, 0, $2, $3)',
      '${schema}_' || owner.number, 'task_init_' || owner.number || '_' || owner.current_slot)
      using task, kind, payload;
  else
    execute format(
      'insert into %I.%I (id, run_at, created_at, parent_id, attempt, kind, payload) values ($1, now(), now(), null, 0, $2, $3)',
      '${schema}_' || owner.number, 'task_wait_' || owner.number)
      using task, kind, payload;
  end if;
  -- Workers find work by the counters of the tables: make this insert count when it commits.
  perform pg_stat_force_next_flush();
  return task;
end
$body$;

create or replace function "${schema}".enqueue(tenant text, kind text, payload text, run_at timestamptz)
  returns bigint
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  owner     record;
  task      bigint;
  max_bytes integer := least(
    coalesce(nullif(current_setting('rota.payload_limit', true), '')::integer, 65536), 1048576);
begin
  if kind is null or kind !~ '^[A-Za-z0-9._:/-]{1,128}$' then
    raise exception 'kind % is malformed', coalesce(quote_literal(left(kind, 128)), 'null')
      using errcode = '22023',
            hint = 'A kind is 1 to 128 characters out of A-Z a-z 0-9 . _ : / -';
  end if;
  if payload is null or octet_length(payload) > max_bytes then
    raise exception 'payload is %', coalesce(octet_length(payload) || ' bytes', 'null')
      using errcode = '22023',
            hint = format('A payload is at most %s bytes of UTF-8.', max_bytes);
  end if;
  if run_at is not null and (run_at < '1700-01-01 00:00Z' or run_at >= '2251-01-01 00:00Z') then
    raise exception 'run_at is %', run_at
      using errcode = '22023', hint = 'Allowed are the years 1700 to 2250; null means at once.';
  end if;
  select r.number, r.current_slot, r.closed,
         r.parked_at, r.park_at, r.wide into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  if owner.parked_at is not null or owner.park_at is not null then
    -- Other sessions that need the tables wait for this transaction.
    perform "${schema}".open_tenant(owner.number);
  end if;
  task := nextval('"${schema}".task_id');
  if run_at is null and not owner.wide and octet_length(payload) > 7000 then
    run_at := now();
  end if;
  if run_at is null then
    execute format(
      'insert into %I.%I (id, created_at, parent_id, attempt, kind, payload) values ($1, now(), null, 0, $2, $3)',
      '${schema}_' || owner.number, 'task_init_' || owner.number || '_' || owner.current_slot)
      using task, kind, payload;
  else
    execute format(
      'insert into %I.%I (id, run_at, created_at, parent_id, attempt, kind, payload) values ($1, $2, now(), null, 0, $3, $4)',
      '${schema}_' || owner.number, 'task_wait_' || owner.number)
      using task, run_at, kind, payload;
  end if;
  -- Workers find work by the counters of the tables: make this insert count when it commits.
  perform pg_stat_force_next_flush();
  return task;
end
$body$;

create or replace function "${schema}".enqueue(
    tenant text, kind text, payload text, run_at timestamptz, priority integer,
    key text default null) returns bigint
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  owner     record;
  lane      integer;
  keys      text;
  holder    bigint;
  task      bigint;
  max_bytes integer := least(
    coalesce(nullif(current_setting('rota.payload_limit', true), '')::integer, 65536), 1048576);
begin
  if kind is null or kind !~ '^[A-Za-z0-9._:/-]{1,128}$' then
    raise exception 'kind % is malformed', coalesce(quote_literal(left(kind, 128)), 'null')
      using errcode = '22023',
            hint = 'A kind is 1 to 128 characters out of A-Z a-z 0-9 . _ : / -';
  end if;
  if payload is null or octet_length(payload) > max_bytes then
    raise exception 'payload is %', coalesce(octet_length(payload) || ' bytes', 'null')
      using errcode = '22023',
            hint = format('A payload is at most %s bytes of UTF-8.', max_bytes);
  end if;
  if run_at is not null and (run_at < '1700-01-01 00:00Z' or run_at >= '2251-01-01 00:00Z') then
    raise exception 'run_at is %', run_at
      using errcode = '22023', hint = 'Allowed are the years 1700 to 2250; null means at once.';
  end if;
  if priority is null or priority not between -1000 and 1000 then
    raise exception 'priority is %', coalesce(priority::text, 'null')
      using errcode = '22023', hint = 'Allowed are -1000 to 1000; 0 is that of tasks without one.';
  end if;
  if key is not null and octet_length(key) not between 1 and 500 then
    raise exception 'key has % bytes', octet_length(key)
      using errcode = '22023', hint = 'A key is 1 to 500 bytes of UTF-8; hash what is longer.';
  end if;
  select r.number, r.closed, r.priorities, r.lane_slots,
         r.parked_at, r.park_at, r.wide into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  lane := array_position(owner.priorities, priority::smallint);
  if lane is null then
    raise exception 'tenant % has no lane of priority %', quote_literal(tenant), priority
      using errcode = '42704',
            hint = format('Make it first, once: rota tenant lane %s --priority %s.', quote_literal(tenant), priority);
  end if;
  if owner.parked_at is not null or owner.park_at is not null then
    -- Other sessions that need the tables wait for this transaction.
    perform "${schema}".open_tenant(owner.number);
  end if;
  task := nextval('"${schema}".task_id');
  if key is not null then
    keys := format('%I.%I', '${schema}_' || owner.number, 'task_key_' || owner.number);
    if to_regclass(keys) is null then
      raise exception 'tenant % has had no keys yet', quote_literal(tenant)
        using errcode = '42704',
              hint = 'Its table of keys is made with its first task that has one: enqueue that with the library or with rota enqueue --key.';
    end if;
    -- A key is found taken, and free when it is looked up, only if its task ended in between.
    for attempt in 1 .. 20 loop
      execute format('delete from %s k where k.key = $1 and not k.live and k.free_at <= now()', keys)
        using key;
      execute format(
        'insert into %s (key, task_id, live, run, lane) values ($1, $2, true, 0, $3) on conflict (key) do nothing returning task_id', keys)
        into holder using key, task, nullif(lane, 0);
      exit when holder is not null;
      execute format('select k.task_id from %s k where k.key = $1', keys) into holder using key;
      if holder is not null then
        return holder;
      end if;
    end loop;
    if holder is null then
      raise exception 'key % is taken and freed all the time', quote_literal(key)
        using errcode = '40001', hint = 'Try again.';
    end if;
  end if;
  if run_at is null and not owner.wide and octet_length(payload) > 7000 then
    run_at := now();
  end if;
  if run_at is null then
    execute format(
      'insert into %I.%I (id, created_at, parent_id, attempt, kind, payload, key) values ($1, now(), null, 0, $2, $3, $4)',
      '${schema}_' || owner.number,
      'task_init_' || owner.number || '_' || owner.lane_slots[lane])
      using task, kind, payload, key;
  else
    execute format(
      'insert into %I.%I (id, run_at, created_at, parent_id, attempt, kind, payload, lane, key) values ($1, $2, now(), null, 0, $3, $4, $5, $6)',
      '${schema}_' || owner.number, 'task_wait_' || owner.number)
      using task, run_at, kind, payload, nullif(lane, 0), key;
  end if;
  -- Workers find work by the counters of the tables: make this insert count when it commits.
  perform pg_stat_force_next_flush();
  return task;
end
$body$;
