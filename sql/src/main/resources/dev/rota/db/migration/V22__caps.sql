-- Caps on concurrency. A process leases slots of a budget, which is what a cap counts, and begins tasks against these
-- without further statements. The slots that all workers hold of a budget are never more than its cap.

alter table "${schema}".rule
  add column concurrency integer,
  add check (concurrency >= 1),
  add check (concurrency is null or priority is null);
comment on column "${schema}".rule.concurrency is 'How many tasks of the scope may run at a time, over all processes.';

create table "${schema}".budget (
  owner  integer references "${schema}".tenant (number) on delete cascade,
  tenant integer not null generated always as (coalesce(owner, 0)) stored,
  kind   text collate "C" not null,
  primary key (tenant, kind)
);
comment on table "${schema}".budget is 'What caps count. Its row is the lock under which workers lease slots.';
comment on column "${schema}".budget.tenant is '0 for all tenants together.';
comment on column "${schema}".budget.kind is 'Empty for tasks of every kind.';

create table "${schema}".share (
  tenant integer not null,
  kind   text collate "C" not null,
  worker bigint  not null references "${schema}".worker (id) on delete cascade,
  held   integer not null check (held >= 0),
  wanted boolean not null,
  primary key (tenant, kind, worker),
  foreign key (tenant, kind) references "${schema}".budget (tenant, kind) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index share_of_worker on "${schema}".share (worker);
comment on table "${schema}".share is 'The slots of a budget that a worker holds. They go with its row, once its batches are closed.';
comment on column "${schema}".share.wanted is 'Whether the worker has tasks for more slots.';

revoke all on table "${schema}".budget, "${schema}".share from public;

-- Every worker leases slots. Roles that may send heartbeats may do that too, before roles are set up again.
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
    execute format('grant select, insert, update, delete on "${schema}".budget, "${schema}".share to %s', writer.name);
  end loop;
end
$body$;
