-- Pools of assignments. Their tables stand in the schemas of their tenants and are made by the
-- library when a tenant opens its first pool (TenantDdl).

create table "${schema}".assignment_pool (
  number     integer     generated always as identity primary key,
  tenant     integer     not null references "${schema}".tenant (number) on delete cascade,
  kind       smallint    not null check (kind between 1 and 3),
  name       text        not null,
  created_at timestamptz not null default now()
);
create unique index assignment_pool_name on "${schema}".assignment_pool (tenant, name collate "C");
comment on table "${schema}".assignment_pool is
  'Pools of assignments: 1 of known workers, 2 of known tasks, 3 of pairs.';

-- One for each assignment: who holds an older one cannot release a newer one.
create sequence "${schema}".assignment_token as bigint cache 32;
