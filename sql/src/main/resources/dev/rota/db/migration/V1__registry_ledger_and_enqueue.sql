-- The registry, the numbers and the SQL entry of Rota. Tables of tenants and segments of the ledger
-- are made by the library, from one generator each (TenantDdl, LedgerDdl).

create table "${schema}".tenant (
  number            integer generated always as identity primary key,
  name              text        not null,
  closed            boolean     not null default false,
  created_at        timestamptz not null default now(),
  former_name       text,
  renamed_at        timestamptz,
  current_slot      smallint    not null default 0 check (current_slot between 0 and 2),
  current_segment   integer     not null default 1,
  rotated_at        timestamptz not null default now(),
  rotations         bigint      not null default 0,
  postponed         bigint      not null default 0,
  postponed_reason  text
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create unique index tenant_name on "${schema}".tenant (name collate "C");
comment on table "${schema}".tenant is
  'Registry of tenants. Updated in place at every rotation, so no index may touch a column that changes.';

create table "${schema}".segment (
  tenant     integer     not null references "${schema}".tenant (number) on delete cascade,
  seq        integer     not null,
  opened_at  timestamptz not null default now(),
  sealed_at  timestamptz,
  dropped_at timestamptz,
  rows       bigint,
  primary key (tenant, seq)
);
comment on table "${schema}".segment is
  'History segments of all tenants: open, then sealed, then dropped. rows is counted at the drop.';

create table "${schema}".worker (
  id           bigint      primary key,
  host         text        not null,
  lease        interval    not null,
  started_at   timestamptz not null,
  heartbeat_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table "${schema}".worker is
  'Processes that hold batches. One whose heartbeat is older than its lease is dead.';

create table "${schema}".ledger_segment (
  seq       integer     primary key,
  opened_at timestamptz not null default now(),
  sealed_at timestamptz
);
comment on table "${schema}".ledger_segment is
  'Segments of the ledger, task_batch_<seq>. Claims write into the newest one.';

-- Java draws ids in blocks of the increment; SQL takes a block for each task.
create sequence "${schema}".task_id as bigint increment by 1024 minvalue 1024;
create sequence "${schema}".batch_id as bigint increment by 128 minvalue 128;
create sequence "${schema}".worker_id as bigint;

create function "${schema}".enqueue(tenant text, kind text, payload text) returns bigint
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
  select r.number, r.current_slot, r.closed into owner
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
  execute format(
    'insert into %I.%I (id, created_at, parent_id, attempt, kind, payload) values ($1, now(), null, 0, $2, $3)',
    '${schema}_' || owner.number, 'task_init_' || owner.number || '_' || owner.current_slot)
    using task, kind, payload;
  -- Workers find work by the counters of the tables: make this insert count when it commits.
  perform pg_stat_force_next_flush();
  return task;
end
$body$;
comment on function "${schema}".enqueue(text, text, text) is
  'Enqueues one task of a registered tenant in the current transaction and returns its id.';
revoke all on function "${schema}".enqueue(text, text, text) from public;
