-- Workers tell which kinds they have handlers for, and of which they left tasks pending, so that people find kinds that
-- none handles.

alter table "${schema}".worker
  add column kinds text[],
  add column left_kinds text[];
comment on column "${schema}".worker.kinds is
  'The kinds for which the process has a handler; null for a version that does not tell, no worker, or more than 200.';
comment on column "${schema}".worker.left_kinds is
  'Kinds of which the process found pending tasks lately, and for which it has no handler; null for none.';
