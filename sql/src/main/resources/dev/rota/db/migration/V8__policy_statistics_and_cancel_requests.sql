-- What holds for one tenant instead of what the daemon's settings say.

alter table "${schema}".tenant add column keep_history interval check (keep_history >= interval '0');
comment on column "${schema}".tenant.keep_history is
  'How long sealed segments of history are kept; null for as long as the daemon''s setting says.';

-- Hourly statistics, added up by workers that have them switched on. Only counters are ever updated, which no index
-- holds.

create table "${schema}".statistic (
  tenant         integer     not null references "${schema}".tenant (number) on delete cascade,
  hour           timestamptz not null,
  done           bigint      not null,
  failed         bigint      not null,
  dead           bigint      not null,
  cancelled      bigint      not null,
  run_micros     bigint      not null,
  first_attempts bigint      not null,
  wait_micros    bigint      not null,
  kind           text        collate "C" not null,
  primary key (tenant, hour, kind)
) with (fillfactor = 70);
create index statistic_hour on "${schema}".statistic (hour);
comment on table "${schema}".statistic is
  'Attempts that ended, by tenant, hour and kind; failed are those that another one follows. Sums are in microseconds.';

-- Requests to running tasks to end. Each belongs to an open batch, and means nothing once that is closed.

create table "${schema}".cancel_request (
  batch        bigint      not null,
  task         bigint      not null,
  worker       bigint      not null,
  requested_at timestamptz not null default now(),
  tenant       integer     not null references "${schema}".tenant (number) on delete cascade,
  reason       text        not null,
  primary key (batch, task)
);
create index cancel_request_worker on "${schema}".cancel_request (worker);
comment on table "${schema}".cancel_request is
  'Running tasks that were asked to end: they are not tried again. Removed when their batch has ended.';
