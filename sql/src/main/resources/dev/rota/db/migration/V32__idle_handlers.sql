-- Slots go to processes that have handlers for them: a process whose handlers are busy gives those that it does not use
-- to others that have told that theirs are idle.

alter table "${schema}".share
  add column idle boolean not null default false;
comment on column "${schema}".share.idle is 'Whether the worker has tasks for more slots, as far as it knows, and idle handlers.';
