-- Pools: a tenant or its plan names the workers that run its tasks. A process registers which pools its workers serve,
-- so that the preflight can tell of a pool without a worker.

alter table "${schema}".rule
  add column pool text collate "C",
  add check (pool ~ '^[A-Za-z0-9._-]{1,64}$'),
  add check (pool is null or ((tenant is not null or plan is not null) and kind is null and priority is null));
comment on column "${schema}".rule.pool is 'The pool whose workers run the tasks; default for workers without pools.';

alter table "${schema}".worker
  add column pools text[];
comment on column "${schema}".worker.pools is 'The pools that the process serves; null for the default one alone, or none.';
comment on column "${schema}".worker.rules is
  'Which rules the worker obeys: 2 for all, 1 for those without pools; null for a version that knows none.';
