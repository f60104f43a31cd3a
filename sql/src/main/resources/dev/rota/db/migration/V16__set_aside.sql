-- Rows that no worker can run are moved into history as dead. These counters tell how many there were, and why.

create table "${schema}".set_aside (
  tenant   integer     not null references "${schema}".tenant (number) on delete cascade,
  rows     bigint      not null,
  first_at timestamptz not null default now(),
  last_at  timestamptz not null default now(),
  last_id  bigint      not null,
  reason   text        not null,
  primary key (tenant, reason)
) with (fillfactor = 70);
comment on table "${schema}".set_aside is
  'Rows of rings and wait tables that no worker can run, moved into history as dead, by tenant and reason.';

-- What the owner's default privileges may have given.
revoke all on table "${schema}".set_aside from public;
