-- Shuffle shards: a process registers that some of its workers visit a part of the tenants, so that all of them choose
-- the same workers for a tenant.

alter table "${schema}".worker
  add column shards integer;
comment on column "${schema}".worker.shards is 'How many workers with shards visit a tenant; null for a process whose workers visit all.';
