-- A worker's number is drawn at random: one from a sequence comes again after a restore or a promotion. The token is
-- renewed by each heartbeat. A process that does not find the one it wrote last talks to another history of the database.

alter table "${schema}".worker
  add column token bigint not null default 0;
comment on column "${schema}".worker.token is
  'Random, renewed by each heartbeat: a process that finds another one starts anew.';
comment on sequence "${schema}".worker_id is
  'Only for processes of versions that do not draw their number at random, until they are replaced.';
