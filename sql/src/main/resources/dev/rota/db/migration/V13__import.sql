-- Tenants that came from another database. They keep the ids of their tasks, so that nobody may give them one again.

alter table "${schema}".tenant
  add column importing     boolean not null default false,
  add column imported_from uuid,
  add column ids_above     bigint;
comment on column "${schema}".tenant.importing is
  'While true, the tenant is being imported: it is closed and under legal hold, and what it has is not there yet.';
comment on column "${schema}".tenant.imported_from is
  'The export from which the tenant was made; null for one that was registered here.';
comment on column "${schema}".tenant.ids_above is
  'Ids up to this one may belong to tasks that the tenant brought along; new ones are greater.';
