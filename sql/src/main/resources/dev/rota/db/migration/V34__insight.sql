-- Reads across all tenants: times by powers of two, sums over tenants, and errors by what they have in common.

alter table "${schema}".statistic
  add column run_buckets  bigint[] not null default '{}',
  add column wait_buckets bigint[] not null default '{}';
comment on column "${schema}".statistic.run_buckets is
  'How many run times were below 1, 2, 4, 8 ... milliseconds and not below the bound before. Zeros at the end are left out.';
comment on column "${schema}".statistic.wait_buckets is 'Waiting times, as run_buckets.';

-- A row an hour and kind, so that a look at all kinds costs the same with any number of tenants.
create table "${schema}".kind_statistic (
  hour           timestamptz not null,
  done           bigint      not null,
  failed         bigint      not null,
  dead           bigint      not null,
  cancelled      bigint      not null,
  run_micros     bigint      not null,
  first_attempts bigint      not null,
  wait_micros    bigint      not null,
  run_buckets    bigint[]    not null,
  wait_buckets   bigint[]    not null,
  kind           text        collate "C" not null,
  primary key (hour, kind)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table "${schema}".kind_statistic is 'The sums of statistic over all tenants, those of erased tenants included.';
insert into "${schema}".kind_statistic
select s.hour, sum(s.done), sum(s.failed), sum(s.dead), sum(s.cancelled), sum(s.run_micros), sum(s.first_attempts),
       sum(s.wait_micros), '{}', '{}', s.kind
  from "${schema}".statistic s group by s.hour, s.kind;

create table "${schema}".error_statistic (
  hour        timestamptz not null,
  fingerprint bigint      not null,
  failed      bigint      not null,
  dead        bigint      not null,
  last_at     timestamptz not null,
  last_task   bigint      not null,
  last_tenant integer     references "${schema}".tenant (number) on delete set null,
  kind        text        collate "C" not null,
  error       text        not null,
  primary key (hour, kind, fingerprint)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index error_statistic_last_tenant on "${schema}".error_statistic (last_tenant);
comment on table "${schema}".error_statistic is
  'Attempts that failed, by hour, kind and error, over all tenants. Errors are without the numbers and names in their texts.';

create table "${schema}".tenant_error (
  tenant      integer     not null references "${schema}".tenant (number) on delete cascade,
  hour        timestamptz not null,
  fingerprint bigint      not null,
  failed      bigint      not null,
  dead        bigint      not null,
  last_at     timestamptz not null,
  last_task   bigint      not null,
  kind        text        collate "C" not null,
  primary key (tenant, hour, kind, fingerprint)
) with (fillfactor = 70);
create index tenant_error_of_all on "${schema}".tenant_error (fingerprint, hour);
create index tenant_error_hour on "${schema}".tenant_error (hour);
comment on table "${schema}".tenant_error is 'The part of each tenant in error_statistic.';

revoke all on table "${schema}".kind_statistic, "${schema}".error_statistic, "${schema}".tenant_error from public;

-- Reports show what hinders the archive, among the manifest of years.
create index archive_in_trouble on "${schema}".archive (begun_at) where trouble is not null;
