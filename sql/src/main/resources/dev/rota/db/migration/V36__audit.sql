-- What people changed, as by the dashboard: who did what, when, and what came of it.

create table "${schema}".audit (
  id       bigint      generated always as identity primary key,
  begun_at timestamptz not null default clock_timestamp(),
  seen_at  timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  tenant   integer     references "${schema}".tenant (number) on delete set null,
  counted  bigint,
  tasks    bigint      not null default 0,
  state    smallint    not null default 0 check (state between 0 and 3),
  stop     boolean     not null default false,
  actor    text        not null,
  action   text        not null,
  about    text        not null,
  detail   text        not null default '',
  check (state = 0 or ended_at is not null)
);
create index audit_tenant on "${schema}".audit (tenant, id) where tenant is not null;
create index audit_begun on "${schema}".audit (begun_at);
comment on table "${schema}".audit is 'Changes that people made, and those that are being made.';
comment on column "${schema}".audit.tenant is 'The tenant that it concerns; null for several and for an erased one.';
comment on column "${schema}".audit.counted is 'How many tasks it was expected to change.';
comment on column "${schema}".audit.tasks is 'How many tasks it has changed.';
comment on column "${schema}".audit.state is '0 running, 1 done, 2 stopped, 3 failed.';
comment on column "${schema}".audit.seen_at is 'When the process that runs it last wrote.';
comment on column "${schema}".audit.stop is 'Whether a person asked it to stop.';
revoke all on table "${schema}".audit from public;
revoke all on sequence "${schema}".audit_id_seq from public;
