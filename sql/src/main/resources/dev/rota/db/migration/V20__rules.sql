-- Rules: weights and tiers of tenants and plans, and pauses. They are few, read whole, and kept in the memory of each
-- process. A process compares one version with each look for work, and reads the rules again when it moved.

create table "${schema}".rule (
  id            integer generated always as identity primary key,
  tenant        integer references "${schema}".tenant (number) on delete cascade,
  plan          text collate "C",
  kind          text collate "C",
  priority      smallint,
  weight        double precision,
  tier          smallint,
  paused_at     timestamptz,
  paused_until  timestamptz,
  paused_reason text,
  changed_at    timestamptz not null default now(),
  check (tenant is null or plan is null),
  check (priority is null or (tenant is not null and kind is null)),
  check (plan ~ '^[A-Za-z0-9._-]{1,64}$'),
  check (kind ~ '^[A-Za-z0-9._:/-]{1,128}$'),
  check (weight between 0.001 and 1000),
  check (tier between -10 and 10),
  check ((weight is null and tier is null)
         or ((tenant is not null or plan is not null) and kind is null and priority is null)),
  check ((paused_until is null) = (paused_at is null))
);
create unique index rule_of_scope on "${schema}".rule
  (coalesce(tenant, 0), coalesce(plan, ''), coalesce(kind, ''), coalesce(priority, 32767));
comment on table "${schema}".rule is
  'One row for each scope that has a weight, a tier or a pause. A scope without tenant, plan and kind is everything.';
comment on column "${schema}".rule.plan is 'Holds for each tenant of the plan by itself, unless the tenant has its own.';
comment on column "${schema}".rule.weight is 'The share of handlers among tenants that want more than they get.';
comment on column "${schema}".rule.tier is 'Tenants of a higher tier are served first, but for a tenth of the time.';
comment on column "${schema}".rule.paused_until is 'No task of the scope begins before; infinity for a pause without an end.';

-- A table and not a sequence: the version changes with the commit of the rules, so that no crash comes in between.
create table "${schema}".rule_version (
  one     boolean primary key default true check (one),
  version bigint  not null
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
insert into "${schema}".rule_version (version) values (0);
comment on table "${schema}".rule_version is 'One row. Triggers change it with each rule, and with the plan of a tenant.';

alter table "${schema}".tenant
  add column plan text collate "C" not null default 'default' check (plan ~ '^[A-Za-z0-9._-]{1,64}$');
comment on column "${schema}".tenant.plan is 'The plan, whose rules hold for the tenant.';

create function "${schema}".rule_changed() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $body$
begin
  update "${schema}".rule_version set version = version + 1;
  -- Workers look at once; those that miss it find the version with their next look.
  perform pg_notify('${schema}_doorbell', 'rules');
  return null;
end
$body$;
comment on function "${schema}".rule_changed() is 'Makes all processes read the rules again.';

create trigger rule_changed after insert or update or delete on "${schema}".rule
  for each row execute function "${schema}".rule_changed();
create trigger plan_changed after update of plan on "${schema}".tenant
  for each row when (old.plan is distinct from new.plan) execute function "${schema}".rule_changed();
create trigger plan_given after insert on "${schema}".tenant
  for each row when (new.plan <> 'default') execute function "${schema}".rule_changed();

revoke all on table "${schema}".rule, "${schema}".rule_version from public;
revoke all on function "${schema}".rule_changed() from public;

-- Every worker reads both tables. Roles that may read the tenants may read them too, before roles are set up again.
do $body$
declare
  reader record;
begin
  execute 'revoke all on sequence ' || pg_get_serial_sequence('"${schema}".rule', 'id') || ' from public';
  for reader in
    select distinct coalesce(quote_ident(r.rolname), 'public') as name
      from pg_class c
     cross join aclexplode(c.relacl) a
      left join pg_roles r on r.oid = a.grantee
     where c.oid = '"${schema}".tenant'::regclass and a.privilege_type = 'SELECT' and a.grantee <> c.relowner
  loop
    execute format('grant select on "${schema}".rule, "${schema}".rule_version to %s', reader.name);
  end loop;
end
$body$;
