-- Lanes: a further ring for each priority that a tenant uses. Their tables are made by the library (TenantDdl). They
-- stand in the tenant's row, element L for lane L, so that whoever reads the registry reads them with it, by the grants
-- that it has. Lane 0 has priority 0 and is none of them; null means that there are no others.

alter table "${schema}".tenant
  add column lane_priorities smallint[] check (cardinality(lane_priorities) <= 9),
  add column lane_slots      smallint[],
  add column lane_rotated_at timestamptz[];
alter table "${schema}".tenant add check
  (num_nulls(lane_priorities, lane_slots, lane_rotated_at) in (0, 3)
   and cardinality(lane_priorities) = cardinality(lane_slots)
   and cardinality(lane_priorities) = cardinality(lane_rotated_at));

alter table "${schema}".schedule
  add column priority smallint not null default 0 check (priority between -1000 and 1000);

-- A function beside the others, as in V2: whoever was granted those need not be granted this one.
create function "${schema}".enqueue(
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
  select r.number, r.current_slot, r.closed, r.lane_priorities, r.lane_slots into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  if priority <> 0 then
    lane := array_position(owner.lane_priorities, priority::smallint);
    if lane is null then
      raise exception 'tenant % has no lane of priority %', quote_literal(tenant), priority
        using errcode = '42704',
              hint = format('Make it first, once: rota tenant lane %s --priority %s.', quote_literal(tenant), priority);
    end if;
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
        into holder using key, task, lane;
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
  if run_at is null then
    execute format(
      'insert into %I.%I (id, created_at, parent_id, attempt, kind, payload, key) values ($1, now(), null, 0, $2, $3, $4)',
      '${schema}_' || owner.number,
      'task_init_' || owner.number || '_' || coalesce(owner.lane_slots[lane], owner.current_slot))
      using task, kind, payload, key;
  else
    execute format(
      'insert into %I.%I (id, run_at, created_at, parent_id, attempt, kind, payload, lane, key) values ($1, $2, now(), null, 0, $3, $4, $5, $6)',
      '${schema}_' || owner.number, 'task_wait_' || owner.number)
      using task, run_at, kind, payload, lane, key;
  end if;
  -- Workers find work by the counters of the tables: make this insert count when it commits.
  perform pg_stat_force_next_flush();
  return task;
end
$body$;
comment on function "${schema}".enqueue(text, text, text, timestamptz, integer, text) is
  'Enqueues one task of a registered tenant in the current transaction, into the lane of a priority, and returns its id; with a key that another task has, it adds nothing and returns the id of that one. It waits until run_at, or is pending at once if that is null.';
revoke all on function "${schema}".enqueue(text, text, text, timestamptz, integer, text) from public;
