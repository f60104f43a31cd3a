-- Slots of new tenants have no TOAST table, and so one file instead of three: a switch of a ring and a registration take
-- about half as long. A row must then fit a page, 8,160 bytes: a payload takes at most 7,000 of them beside the longest
-- kind and key. A tenant is wide once it has, or is about to have, a larger payload; then its slots have TOAST tables.
-- Tenants of older versions are wide.

alter table "${schema}".tenant
  add column wide boolean not null default true;
alter table "${schema}".tenant
  alter column wide set default false;
comment on column "${schema}".tenant.wide is
  'Whether the slots take payloads of more than 7,000 bytes. It becomes true with the first of them, and stays so.';

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
revoke all on function "${schema}".make_wide(integer) from public;

-- As before, but that a task that does not fit a slot of its tenant goes through the wait table. The daemon makes the
-- slots wide and promotes it. Rejected: making them wide here, which would lock them until the caller commits.

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
  select r.number, r.current_slot, r.closed, r.wide into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
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
  select r.number, r.current_slot, r.closed, r.wide into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
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
  select r.number, r.closed, r.priorities, r.lane_slots, r.wide into owner
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
