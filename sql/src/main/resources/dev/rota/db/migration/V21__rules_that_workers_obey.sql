-- A worker of a version without rules runs tasks of paused scopes. It registers without this column, so that the
-- preflight can tell it from the others.

alter table "${schema}".worker
  add column rules smallint;
comment on column "${schema}".worker.rules is
  'Which rules the worker obeys: 1 for those of the table rule; null for a version that knows none.';
