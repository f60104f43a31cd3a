-- Metering: what each tenant used, by the hour, counted from the rows of the ledger.

create table "${schema}".usage (
  tenant             integer     not null references "${schema}".tenant (number) on delete cascade,
  hour               timestamptz not null,
  attempts           bigint      not null default 0,
  run_micros         bigint      not null default 0,
  bytes              bigint      not null default 0,
  lost               bigint      not null default 0,
  storage_byte_hours bigint      not null default 0,
  primary key (tenant, hour)
) with (fillfactor = 70);
create index usage_hour on "${schema}".usage (hour);
comment on table "${schema}".usage is
  'What tenants used, by hours of UTC. Batches of the newest segments of the ledger are not in it yet.';
revoke all on table "${schema}".usage from public;

alter table "${schema}".ledger_segment
  add column metered_at     timestamptz,
  add column closed_until   timestamptz,
  add column complete_after timestamptz;
comment on column "${schema}".ledger_segment.metered_at is
  'When the batches of the segment were added to the usage. No claim writes into it any more.';
comment on column "${schema}".ledger_segment.closed_until is
  'When the last batch of a metered segment was closed.';
comment on column "${schema}".ledger_segment.complete_after is
  'When the last batch of all dropped segments was closed: of later ones the ledger has all.';

-- A claim of a process that did not notice the seal gets the error of a missing table. Every version of the library
-- then looks for the newest segment, and claims again.
create function "${schema}".refuse_batches() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $body$
begin
  raise exception 'segment %.% of the ledger is metered and takes no more batches', tg_table_schema, tg_table_name
    using errcode = '42P01', hint = 'Insert into the newest segment.';
end
$body$;
comment on function "${schema}".refuse_batches() is
  'Refuses batches of a metered segment of the ledger, or they would be in no usage.';
revoke all on function "${schema}".refuse_batches() from public;

-- Segments that exist get the columns of new ones (see LedgerDdl), and the view has them behind the others. The
-- metering leaves out rows without run_micros: batches of processes of an older version, imported ones, and copies.
-- An older daemon cannot renew this view, and so opens no segment without these columns.
do $$
declare
  part record;
  rows text := '';
begin
  if to_regclass('"${schema}".task_batch') is null then
    return;
  end if;
  -- The view first, as its readers do.
  lock table "${schema}".task_batch in access exclusive mode;
  for part in select s.seq from "${schema}".ledger_segment s order by s.seq loop
    execute format(
      'alter table "${schema}".task_batch_%1$s add column if not exists attempts integer,'
      ' add column if not exists run_micros bigint, add column if not exists bytes bigint', part.seq);
    rows := concat_ws(' union all ', nullif(rows, ''), format(
      'select id, worker, claimed_at, closed_at, first_block, last_block, tenant, segment, tasks, ended,'
      ' %1$s as seq, attempts, run_micros, bytes from "${schema}".task_batch_%1$s', part.seq));
  end loop;
  execute 'create or replace view "${schema}".task_batch as ' || rows;
end $$;
