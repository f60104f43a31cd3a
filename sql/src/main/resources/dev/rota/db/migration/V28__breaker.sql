-- Breakers of kinds, and pauses that handlers and breakers order. They stand beside the rules, so that they and the
-- pauses of operators leave each other alone, and workers may write them.

alter table "${schema}".rule
  add column breaker text collate "C",
  add check (breaker is null or kind is not null),
  add check (breaker ~ ('^(1|0\.[0-9]{0,5}[1-9]) of [1-9][0-9]{0,5}'
                        ' within ([1-9][0-9]{0,10}ms|[1-9][0-9]{0,7}s|[1-9][0-9]{0,5}m|[1-9][0-9]{0,3}h)'
                        ' pause ([1-9][0-9]{0,10}ms|[1-9][0-9]{0,7}s|[1-9][0-9]{0,5}m|[1-9][0-9]{0,3}h)'
                        ' probes [1-9][0-9]{0,2}$'));
comment on column "${schema}".rule.breaker is
  'When failing attempts pause the kind, such as: 0.5 of 20 within 1m pause 30s probes 3.';

create table "${schema}".kind_pause (
  owner        integer references "${schema}".tenant (number) on delete cascade,
  tenant       integer not null generated always as (coalesce(owner, 0)) stored,
  kind         text collate "C" not null check (kind ~ '^[A-Za-z0-9._:/-]{1,128}$'),
  origin       text collate "C" not null check (origin in ('hold', 'breaker')),
  paused_at    timestamptz not null,
  paused_until timestamptz not null,
  reason       text not null,
  primary key (tenant, kind, origin)
);
comment on table "${schema}".kind_pause is 'Pauses of kinds that handlers (hold) and breakers ordered.';
comment on column "${schema}".kind_pause.tenant is '0 for all tenants together.';
comment on column "${schema}".kind_pause.paused_at is 'Identifies the trip of a breaker: each has another time.';
comment on column "${schema}".kind_pause.paused_until is
  'A breaker tries tasks from then on. Its row goes when enough of them succeed.';

-- Workers write these pauses, and may not write the version of the rules.
create function "${schema}".kind_pause_changed() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $body$
begin
  update "${schema}".rule_version set version = version + 1;
  perform pg_notify('${schema}_doorbell', 'rules');
  return null;
end
$body$;
comment on function "${schema}".kind_pause_changed() is 'Makes all processes read the rules again.';

create trigger kind_pause_given after insert or update on "${schema}".kind_pause
  for each row execute function "${schema}".kind_pause_changed();
create trigger kind_pause_gone after delete on "${schema}".kind_pause
  for each row when (old.origin = 'breaker' or old.paused_until > now())
  execute function "${schema}".kind_pause_changed();

-- A changed breaker begins anew.
create function "${schema}".breaker_changed() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $body$
declare
  changed "${schema}".rule := old;
begin
  if tg_op = 'INSERT' then
    changed := new;
  end if;
  delete from "${schema}".kind_pause p
   where p.origin = 'breaker' and p.kind = changed.kind
     and case when changed.tenant is not null then p.owner = changed.tenant
              when changed.plan is null then p.owner is null
              else p.owner in (select t.number from "${schema}".tenant t where t.plan = changed.plan) end;
  return null;
end
$body$;
comment on function "${schema}".breaker_changed() is 'Ends what the former breaker of a scope ordered.';

create trigger breaker_given after insert on "${schema}".rule
  for each row when (new.breaker is not null) execute function "${schema}".breaker_changed();
create trigger breaker_changed after update of breaker on "${schema}".rule
  for each row when (old.breaker is distinct from new.breaker) execute function "${schema}".breaker_changed();
create trigger breaker_gone after delete on "${schema}".rule
  for each row when (old.breaker is not null) execute function "${schema}".breaker_changed();

revoke all on table "${schema}".kind_pause from public;
revoke all on function "${schema}".kind_pause_changed(), "${schema}".breaker_changed() from public;

-- Roles that may send heartbeats may order pauses, and those that may read the tenants may read them, before roles are
-- set up again.
do $body$
declare
  holder record;
begin
  for holder in
    select distinct c.relname, coalesce(quote_ident(r.rolname), 'public') as name
      from pg_class c
     cross join aclexplode(c.relacl) a
      left join pg_roles r on r.oid = a.grantee
     where a.grantee <> c.relowner
       and ((c.oid = '"${schema}".worker'::regclass and a.privilege_type = 'INSERT')
            or (c.oid = '"${schema}".tenant'::regclass and a.privilege_type = 'SELECT'))
  loop
    execute format('grant %s on "${schema}".kind_pause to %s',
                   case holder.relname when 'worker' then 'select, insert, update, delete' else 'select' end,
                   holder.name);
  end loop;
end
$body$;
