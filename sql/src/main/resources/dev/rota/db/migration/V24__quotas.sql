-- Quotas: how many tasks a tenant may have pending. The counters of its tables tell how many it has.

alter table "${schema}".rule
  add column max_pending bigint,
  add check (max_pending >= 1),
  add check (max_pending is null
             or ((tenant is not null or plan is not null) and kind is null and priority is null));
comment on column "${schema}".rule.max_pending is
  'How many pending tasks the tenant, or each tenant of the plan, may have: an enqueue beyond is refused.';
create index rule_with_quota on "${schema}".rule (id) where max_pending is not null;

-- Every enqueue knows this row anyway. So tenants without a quota have no statement more.
alter table "${schema}".tenant add column quota boolean not null default false;
comment on column "${schema}".tenant.quota is
  'Whether a rule of the tenant or of its plan has max_pending. Triggers and the daemon keep it.';

-- Counters are not enough. A crash of the server sets them to 0, and a vacuum or an analyze sets live tuples to what
-- it has seen, without those that others inserted meanwhile. So the daemon counts the tasks of tenants with a quota.
create table "${schema}".pending_count (
  tenant     integer     not null references "${schema}".tenant (number) on delete cascade,
  relation   oid         not null,
  witness    text        not null,
  filenode   oid         not null,
  tasks      bigint      not null,
  inserted   bigint      not null,
  deleted    bigint      not null,
  exact      boolean     not null,
  counted_at timestamptz not null,
  primary key (tenant, relation)
);
comment on table "${schema}".pending_count is
  'Pending tasks of tenants with a quota, as they were counted. Relation 0 says that the tenant was counted.';
comment on column "${schema}".pending_count.witness is 'What changes when the server loses its counters.';
comment on column "${schema}".pending_count.filenode is 'The count is over when the table was truncated.';
comment on column "${schema}".pending_count.inserted is 'The counter before the count.';
comment on column "${schema}".pending_count.deleted is 'The counter after the count.';
comment on column "${schema}".pending_count.exact is
  'Whether the live tuples were as many. They then tell the tasks until a vacuum or an analyze.';
comment on column "${schema}".pending_count.counted_at is 'Before the count.';
revoke all on table "${schema}".pending_count from public;

create function "${schema}".counters_witness() returns text
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
begin
  return (select concat_ws('/', extract(epoch from pg_stat_get_bgwriter_stat_reset_time()),
                           extract(epoch from pg_stat_get_db_stat_reset_time(d.oid)))
            from pg_database d where d.datname = current_database());
end
$body$;
comment on function "${schema}".counters_witness() is
  'A text that changes when the counters of tables are lost: with a crash, a promotion or a reset.';

-- Rings and wait table; a tenant without tables has none. Looking up names costs the same in a large catalog, and a
-- function of this language keeps its plan.
create function "${schema}".pending_tables(tenant integer) returns table (relation oid, filenode oid, name text)
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
begin
  return query
    select c.relation, pg_relation_filenode(c.relation), c.name
      from (select to_regclass(format('%I.%I', '${schema}_' || t.number, n.name))::oid as relation, n.name
              from "${schema}".tenant t
             cross join lateral (
                   select 'task_wait_' || t.number as name
                    union all
                   select 'task_init_' || t.number || '_' || s
                     from generate_series(0, 3 * cardinality(t.priorities) - 1) s) n
             where t.number = pending_tables.tenant
            offset 0) c
     where c.relation is not null;
end
$body$;
comment on function "${schema}".pending_tables(integer) is 'The tables with the pending tasks of a tenant.';

-- Statistics are read anew with each call, and not once in a transaction. What this transaction has inserted counts
-- too. A table whose live tuples are wrong goes by the difference since its count: live tuples stop at 0 when older
-- tasks are deleted. The difference counts inserts that were rolled back, and so is used only then. Live tuples are
-- read before the time of the vacuum, which sets both at once.
create function "${schema}".room(tenant integer, out allowed bigint, out pending bigint)
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set stats_fetch_consistency = none
as $body$
declare
  present text;
begin
  select coalesce(max(r.max_pending) filter (where r.tenant is not null), max(r.max_pending)) into allowed
    from "${schema}".tenant t
    join "${schema}".rule r on r.max_pending is not null and (r.tenant = t.number or r.plan = t.plan)
   where t.number = room.tenant;
  if allowed is null then
    return;
  end if;
  present := "${schema}".counters_witness();
  select coalesce(sum(greatest(0,
           case when b.relation is null or b.exact and coalesce(s.estimated_at <= b.counted_at, true) then s.live
                else b.tasks + s.inserted - b.inserted - s.deleted + b.deleted
           end
           + pg_stat_get_xact_tuples_inserted(s.relation) - pg_stat_get_xact_tuples_deleted(s.relation))), 0)
    into pending
    from (select p.relation, p.filenode,
                 pg_stat_get_live_tuples(p.relation) as live,
                 pg_stat_get_tuples_inserted(p.relation) as inserted,
                 pg_stat_get_tuples_deleted(p.relation) as deleted,
                 greatest(pg_stat_get_last_vacuum_time(p.relation), pg_stat_get_last_autovacuum_time(p.relation),
                          pg_stat_get_last_analyze_time(p.relation), pg_stat_get_last_autoanalyze_time(p.relation))
                   as estimated_at
            from "${schema}".pending_tables(room.tenant) p
          offset 0) s
    left join "${schema}".pending_count b
      on b.tenant = room.tenant and b.relation = s.relation and b.witness = present
     and b.filenode = s.filenode and b.inserted <= s.inserted;
end
$body$;
comment on function "${schema}".room(integer) is
  'The quota of a tenant, null without one, and how many pending tasks it has.';

create function "${schema}".require_room(tenant integer, tasks bigint) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  present record;
  label   text;
begin
  select * into present from "${schema}".room(tenant);
  if present.pending + tasks > present.allowed then
    select t.name into label from "${schema}".tenant t where t.number = require_room.tenant;
    raise exception 'tenant % has too many pending tasks', quote_literal(label)
      using errcode = '53400',
            detail = format('max_pending allows %s, %s are pending, the call adds %s.',
                            present.allowed, present.pending, tasks),
            hint = format('Wait until workers have run some, or raise the quota: rota limit set %s --max-pending N.',
                          quote_literal('tenant:' || label));
  end if;
end
$body$;
comment on function "${schema}".require_room(integer, bigint) is
  'Refuses tasks that would bring a tenant above its quota.';

-- Counters are read in the order that counts too much rather than too little: inserts before the count, deletes after
-- it. Claims of tenants with a quota report theirs with the commit. A step ends early, so that it holds no old snapshot.
create function "${schema}".count_pending(thorough boolean) returns integer
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
comment on function "${schema}".count_pending(boolean) is
  'Counts the pending tasks of some tenants with a quota that were not counted since counters were lost; 0 if none is left. A thorough call counts those anew whose tables were vacuumed or analyzed.';

create function "${schema}".mark_quotas() returns trigger
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $body$
begin
  if tg_table_name = 'tenant' then
    update "${schema}".tenant t set quota = not t.quota
     where t.number = new.number
       and t.quota <> exists (select from "${schema}".rule r
                               where r.max_pending is not null and (r.tenant = t.number or r.plan = t.plan));
    return null;
  end if;
  update "${schema}".tenant t set quota = not t.quota
   where t.quota <> (t.number in (select r.tenant from "${schema}".rule r
                                   where r.max_pending is not null and r.tenant is not null)
                     or t.plan in (select r.plan from "${schema}".rule r
                                    where r.max_pending is not null and r.plan is not null));
  return null;
end
$body$;
comment on function "${schema}".mark_quotas() is 'Notes with each tenant whether it has a quota.';

-- Row triggers that change the version come first, and so these run under its lock. A registration takes no lock: the
-- daemon finds a tenant that a rule of that moment missed.
create trigger rule_changed_quota after insert or update or delete on "${schema}".rule
  for each statement execute function "${schema}".mark_quotas();
create trigger plan_changed_quota after update of plan on "${schema}".tenant
  for each row when (old.plan is distinct from new.plan) execute function "${schema}".mark_quotas();
create trigger plan_given_quota after insert on "${schema}".tenant
  for each row execute function "${schema}".mark_quotas();

revoke all on function
  "${schema}".counters_witness(),
  "${schema}".pending_tables(integer),
  "${schema}".room(integer),
  "${schema}".require_room(integer, bigint),
  "${schema}".count_pending(boolean),
  "${schema}".mark_quotas()
  from public;

-- Roles that may enqueue ask for room, before roles are set up again.
do $body$
declare
  caller record;
begin
  for caller in
    select distinct coalesce(quote_ident(r.rolname), 'public') as name
      from pg_proc p
     cross join aclexplode(p.proacl) a
      left join pg_roles r on r.oid = a.grantee
     where p.pronamespace = '"${schema}"'::regnamespace and p.proname in ('enqueue', 'open_tenant')
       and a.privilege_type = 'EXECUTE' and a.grantee <> p.proowner
  loop
    execute format('grant execute on function "${schema}".room(integer), "${schema}".require_room(integer, bigint)'
                   ' to %s', caller.name);
  end loop;
end
$body$;

-- As in V18, but that a tenant with a quota must have room.
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
         r.parked_at, r.park_at, r.wide, r.quota into owner
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
         r.parked_at, r.park_at, r.wide, r.quota into owner
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
         r.parked_at, r.park_at, r.wide, r.quota into owner
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
