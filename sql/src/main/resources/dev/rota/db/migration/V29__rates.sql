-- Rates of starts. A process leases starts with their times from a bucket, which is what a rate counts, and begins tasks
-- against these without further statements.

alter table "${schema}".rule
  add column rate        bigint,
  add column rate_millis bigint,
  add column burst       integer,
  add check ((rate is null) = (rate_millis is null)),
  add check (rate is not null or burst is null),
  add check (rate > 0 and rate_millis between 1 and 31622400000),
  add check (rate_millis::numeric / rate between 0.001 and 86400000),
  add check (burst between 1 and 1000000),
  add check (rate is null or priority is null);
comment on column "${schema}".rule.rate is 'How many tasks of the scope may begin in each period of rate_millis, over all processes.';
comment on column "${schema}".rule.burst is 'How many of them may begin at once; null for those of 0.1 seconds, and at least 1.';

create table "${schema}".bucket (
  owner   integer references "${schema}".tenant (number) on delete cascade,
  tenant  integer not null generated always as (coalesce(owner, 0)) stored,
  kind    text collate "C" not null,
  last_at timestamptz not null,
  primary key (tenant, kind)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table "${schema}".bucket is 'What rates count. Workers lease the starts that follow the last one.';
comment on column "${schema}".bucket.tenant is '0 for all tenants together.';
comment on column "${schema}".bucket.kind is 'Empty for tasks of every kind.';
comment on column "${schema}".bucket.last_at is 'When the last start is that a worker has leased.';

revoke all on table "${schema}".bucket from public;

-- Every worker leases starts. Roles that may send heartbeats may do that too, before roles are set up again.
do $body$
declare
  writer record;
begin
  for writer in
    select distinct coalesce(quote_ident(r.rolname), 'public') as name
      from pg_class c
     cross join aclexplode(c.relacl) a
      left join pg_roles r on r.oid = a.grantee
     where c.oid = '"${schema}".worker'::regclass and a.privilege_type = 'INSERT' and a.grantee <> c.relowner
  loop
    execute format('grant select, insert, update on "${schema}".bucket to %s', writer.name);
  end loop;
end
$body$;
