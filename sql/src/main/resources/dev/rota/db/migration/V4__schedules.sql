-- Schedules: what is to be enqueued for a tenant again and again, by a cron expression or a period. Whoever has none
-- pays one look at an empty index a second, by the leading daemon alone.

create table "${schema}".schedule (
  id           bigint      generated always as identity primary key,
  tenant       integer     not null references "${schema}".tenant (number) on delete cascade,
  name         text        not null,
  cron         text,
  period       interval    check (period >= interval '1 second'),
  zone         text        not null,
  starting_at  timestamptz,
  kind         text        not null,
  payload      text        not null,
  parent_id    bigint,
  missed       text        not null check (missed in ('skip', 'once', 'all')),
  overlapping  text        not null check (overlapping in ('start', 'skip')),
  jitter       interval    not null check (jitter >= interval '0'),
  paused       boolean     not null default false,
  planned_at   timestamptz not null,
  run_at       timestamptz not null,
  last_run_at  timestamptz,
  last_task_id bigint,
  skipped      bigint      not null default 0,
  version      bigint      not null default 0,
  created_at   timestamptz not null default now(),
  check (num_nonnulls(cron, period) = 1)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create unique index schedule_name on "${schema}".schedule (tenant, name collate "C");
create index schedule_due on "${schema}".schedule (run_at) where not paused;
comment on table "${schema}".schedule is
  'Schedules of all tenants. planned_at is the next occurrence, run_at that time with its jitter; every change raises version.';
