-- Quotas of payloads: how many bytes a tenant may enqueue in an hour, a day or a month of UTC. A process leases some of
-- them and charges its enqueues to these without further statements.

alter table "${schema}".rule
  add column max_payload    bigint,
  add column payload_period text collate "C",
  add check ((max_payload is null) = (payload_period is null)),
  add check (max_payload between 1 and 1000000000000000000),
  add check (payload_period in ('hour', 'day', 'month')),
  add check (max_payload is null
             or ((tenant is not null or plan is not null) and kind is null and priority is null));
comment on column "${schema}".rule.max_payload is
  'How many bytes of payloads the tenant, or each tenant of the plan, may enqueue in each payload_period.';
comment on column "${schema}".rule.payload_period is 'hour, day or month, each by the calendar of UTC.';

-- Every enqueue knows this row anyway. So tenants without such a quota have no statement more.
alter table "${schema}".tenant add column payload_quota boolean not null default false;
comment on column "${schema}".tenant.payload_quota is
  'Whether a rule of the tenant or of its plan has max_payload. Triggers and the daemon keep it.';

create table "${schema}".allowance (
  tenant   integer     primary key references "${schema}".tenant (number) on delete cascade,
  period   text        not null collate "C",
  began_at timestamptz not null,
  used     bigint      not null check (used >= 0)
) with (fillfactor = 50);
comment on table "${schema}".allowance is
  'What tenants with a quota of payloads have used of the present period, with what processes have leased.';
comment on column "${schema}".allowance.used is 'Bytes. A killed process leaves what it has leased in here.';
revoke all on table "${schema}".allowance from public;

-- A refusal takes no lock. The clock is read again under the lock. A server whose clock is behind that of the former one
-- goes on with the later period. Time is that of UTC here.
create function "${schema}".lease_payload(tenant integer, bytes bigint, ahead boolean,
    out allowed bigint, out used bigint, out granted bigint, out period text, out began bigint, out lasts bigint)
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
as $body$
declare
  present "${schema}".allowance;
  start   timestamptz;
begin
  if bytes is null or bytes < 0 then
    raise exception 'bytes is %', coalesce(bytes::text, 'null') using errcode = '22023';
  end if;
  select r.max_payload, r.payload_period into allowed, period
    from "${schema}".tenant t
    join "${schema}".rule r on r.max_payload is not null and (r.tenant = t.number or r.plan = t.plan)
   where t.number = lease_payload.tenant
   order by r.tenant nulls last
   limit 1;
  if allowed is null then
    return;
  end if;
  for locks in 0 .. 1 loop
    if locks = 0 then
      select a.* into present from "${schema}".allowance a where a.tenant = lease_payload.tenant;
    else
      insert into "${schema}".allowance (tenant, period, began_at, used)
      values (lease_payload.tenant, lease_payload.period, date_trunc(lease_payload.period, clock_timestamp()), 0)
      on conflict on constraint allowance_pkey do nothing;
      select a.* into present from "${schema}".allowance a where a.tenant = lease_payload.tenant for no key update;
    end if;
    start := date_trunc(period, clock_timestamp());
    if present.period = period and present.began_at >= start then
      start := present.began_at;
      used := present.used;
    else
      used := 0;
    end if;
    granted := 0;
    exit when bytes > allowed - used;
    granted := case when ahead then least(greatest(bytes, allowed / 100), allowed - used) else bytes end;
  end loop;
  if granted > 0 then
    used := used + granted;
    update "${schema}".allowance a set period = lease_payload.period, began_at = start, used = lease_payload.used
     where a.tenant = lease_payload.tenant;
  end if;
  began := extract(epoch from start)::bigint;
  lasts := greatest(0, extract(epoch from start + ('1 ' || period)::interval - clock_timestamp()) * 1000000)::bigint;
end
$body$;
comment on function "${schema}".lease_payload(integer, bigint, boolean) is
  'Takes bytes from the quota of payloads of a tenant, or ahead a hundredth of it, if there are as many: none is granted else. allowed is null without a quota; began is in seconds since 1970, lasts in microseconds.';

create function "${schema}".return_payload(tenants integer[], periods text[], began bigint[], bytes bigint[])
  returns void
  language sql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $body$
  update "${schema}".allowance a set used = greatest(0, a.used - u.bytes)
    from unnest(tenants, periods, began, bytes) as u (tenant, period, began, bytes)
   where a.tenant = u.tenant and a.period = u.period and a.began_at = to_timestamp(u.began) and u.bytes > 0
$body$;
comment on function "${schema}".return_payload(integer[], text[], bigint[], bigint[]) is
  'Gives back bytes that a process has leased and not used, unless the period is over.';

create function "${schema}".require_payload(tenant integer, bytes bigint) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  lease record;
  label text;
begin
  select * into lease from "${schema}".lease_payload(tenant, bytes, false);
  if lease.granted < bytes then
    select t.name into label from "${schema}".tenant t where t.number = require_payload.tenant;
    raise exception 'tenant % has used up its quota of payloads', quote_literal(label)
      using errcode = '53400',
            detail = format('max_payload allows %s bytes a %s, %s are used, the call adds %s.',
                            lease.allowed, lease.period, lease.used, bytes),
            hint = format('Wait for the next %s, or raise the quota: rota limit set %s --max-payload SIZE/%s.',
                          lease.period, quote_literal('tenant:' || label), lease.period);
  end if;
end
$body$;
comment on function "${schema}".require_payload(integer, bigint) is
  'Takes the bytes of a payload from the quota of a tenant in this transaction, or refuses it.';

-- As in V24, but that a thorough call also finds tenants whose quota of payloads a rule of that moment missed.
create or replace function "${schema}".count_pending(thorough boolean) returns integer
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
  set stats_fetch_consistency = none
as $body$
declare
  present text := "${schema}".counters_witness();
  tenants integer := 0;
  owner   integer;
  part    record;
  begun   timestamptz;
  earlier bigint;
  counted bigint;
begin
  if thorough then
    update "${schema}".tenant t set payload_quota = true
     where not t.payload_quota
       and (t.number in (select r.tenant from "${schema}".rule r
                          where r.max_payload is not null and r.tenant is not null)
            or t.plan in (select r.plan from "${schema}".rule r
                           where r.max_payload is not null and r.plan is not null));
    delete from "${schema}".pending_count m
     where m.relation = 0
       and m.tenant in (
           select b.tenant from "${schema}".pending_count b
            where b.relation <> 0
              and b.counted_at < greatest(
                  pg_stat_get_last_vacuum_time(b.relation), pg_stat_get_last_autovacuum_time(b.relation),
                  pg_stat_get_last_analyze_time(b.relation), pg_stat_get_last_autoanalyze_time(b.relation)));
  end if;
  for owner in
    select t.number
      from "${schema}".tenant t
     where (t.number in (select r.tenant from "${schema}".rule r
                          where r.max_pending is not null and r.tenant is not null)
            or t.plan in (select r.plan from "${schema}".rule r
                           where r.max_pending is not null and r.plan is not null))
       and not exists (select from "${schema}".pending_count b
                        where b.tenant = t.number and b.relation = 0 and b.witness = present)
  loop
    update "${schema}".tenant t set quota = true where t.number = owner and not t.quota;
    delete from "${schema}".pending_count b where b.tenant = owner;
    for part in select * from "${schema}".pending_tables(owner) loop
      begun := clock_timestamp();
      earlier := pg_stat_get_tuples_inserted(part.relation);
      execute format('select count(*) from only %I.%I', '${schema}_' || owner, part.name) into counted;
      insert into "${schema}".pending_count
        (tenant, relation, witness, filenode, tasks, inserted, deleted, exact, counted_at)
      values (owner, part.relation, present, part.filenode, counted, earlier,
              pg_stat_get_tuples_deleted(part.relation), counted = pg_stat_get_live_tuples(part.relation), begun);
    end loop;
    insert into "${schema}".pending_count
      (tenant, relation, witness, filenode, tasks, inserted, deleted, exact, counted_at)
    values (owner, 0, present, 0, 0, 0, 0, true, clock_timestamp());
    tenants := tenants + 1;
    exit when clock_timestamp() > now() + interval '200 milliseconds';
  end loop;
  return tenants;
end
$body$;

-- As in V24, for both quotas.
create or replace function "${schema}".mark_quotas() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $body$
begin
  if tg_table_name = 'tenant' then
    update "${schema}".tenant t set quota = n.pending, payload_quota = n.payload
      from (select coalesce(bool_or(r.max_pending is not null), false) as pending,
                   coalesce(bool_or(r.max_payload is not null), false) as payload
              from "${schema}".rule r
             where r.tenant = new.number or r.plan = new.plan) n
     where t.number = new.number and (t.quota, t.payload_quota) <> (n.pending, n.payload);
    return null;
  end if;
  update "${schema}".tenant t set quota = not t.quota
   where t.quota <> (t.number in (select r.tenant from "${schema}".rule r
                                   where r.max_pending is not null and r.tenant is not null)
                     or t.plan in (select r.plan from "${schema}".rule r
                                    where r.max_pending is not null and r.plan is not null));
  update "${schema}".tenant t set payload_quota = not t.payload_quota
   where t.payload_quota <> (t.number in (select r.tenant from "${schema}".rule r
                                           where r.max_payload is not null and r.tenant is not null)
                             or t.plan in (select r.plan from "${schema}".rule r
                                            where r.max_payload is not null and r.plan is not null));
  return null;
end
$body$;

revoke all on function
  "${schema}".lease_payload(integer, bigint, boolean),
  "${schema}".return_payload(integer[], text[], bigint[], bigint[]),
  "${schema}".require_payload(integer, bigint)
  from public;

-- Roles that may enqueue take from quotas, before roles are set up again. Those that make tables too use the library,
-- which gives back what is left.
do $body$
declare
  caller record;
begin
  for caller in
    select distinct coalesce(quote_ident(r.rolname), 'public') as name, p.proname = 'open_tenant' as leases
      from pg_proc p
     cross join aclexplode(p.proacl) a
      left join pg_roles r on r.oid = a.grantee
     where p.pronamespace = '"${schema}"'::regnamespace and p.proname in ('enqueue', 'open_tenant')
       and a.privilege_type = 'EXECUTE' and a.grantee <> p.proowner
  loop
    execute format('grant execute on function "${schema}".lease_payload(integer, bigint, boolean),'
                   ' "${schema}".require_payload(integer, bigint) to %s', caller.name);
    if caller.leases then
      execute format('grant execute on function "${schema}".return_payload(integer[], text[], bigint[], bigint[])'
                     ' to %s', caller.name);
    end if;
  end loop;
end
$body$;

-- As in V24, but that a tenant with a quota of payloads pays with it.
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
         r.parked_at, r.park_at, r.wide, r.quota, r.payload_quota into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  if owner.quota then
    perform "${schema}".require_room(owner.number, 1);
  end if;
  if owner.payload_quota then
    perform "${schema}".require_payload(owner.number, octet_length(payload));
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
         r.parked_at, r.park_at, r.wide, r.quota, r.payload_quota into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  if owner.quota then
    perform "${schema}".require_room(owner.number, 1);
  end if;
  if owner.payload_quota then
    perform "${schema}".require_payload(owner.number, octet_length(payload));
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
         r.parked_at, r.park_at, r.wide, r.quota, r.payload_quota into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  if owner.quota then
    perform "${schema}".require_room(owner.number, 1);
  end if;
  if owner.payload_quota then
    perform "${schema}".require_payload(owner.number, octet_length(payload));
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
