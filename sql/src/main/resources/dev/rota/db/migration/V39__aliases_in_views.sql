-- As in V33, but the selects name the columns of the views themselves: Citus loses a column list of CREATE VIEW. A view
-- that exists already gets its aliases with its next lane or segment.

create or replace function "${schema}".make_pending_view(tenant integer, priorities integer[]) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  columns constant text := 'created_at, parent_id, attempt, kind, payload, key, ';
  rows      text := '';
  by_lane   text := 'case coalesce(lane, 0) when 0 then 0';
  priority  integer;
  lane      integer := 0;
begin
  foreach priority in array priorities loop
    for slot in 3 * lane .. 3 * lane + 2 loop
      rows := rows || format(
        'select id, ''pending'' as state, null::timestamptz as run_at, %s%s as priority from %I.%I union all ',
        columns, priority, '${schema}_' || tenant, 'task_init_' || tenant || '_' || slot);
    end loop;
    if lane > 0 then
      by_lane := by_lane || format(' when %s then %s', lane, priority);
    end if;
    lane := lane + 1;
  end loop;
  execute format(
    'create or replace view %1$I.%2$I as '
    'select t.id, t.state, t.run_at, t.created_at, t.parent_id, t.attempt, t.kind, '
    'case when starts_with(t.payload, chr(1)) then substr(t.payload, strpos(t.payload, chr(10)) + 1) '
    'else t.payload end as payload, t.key, t.priority, '
    'case when starts_with(t.payload, chr(1)) and strpos(t.payload, chr(10)) > 0 '
    'then substr(t.payload, 2, strpos(t.payload, chr(10)) - 2) end as headers '
    'from (%4$s select id, ''waiting'' as state, run_at, %5$s%6$s end as priority from %1$I.%3$I) t',
    '${schema}_' || tenant, 'task_init_' || tenant, 'task_wait_' || tenant, rows, columns, by_lane);
end
$body$;

create or replace function "${schema}".make_history_view(tenant integer, segments integer[]) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  rows text;
begin
  select string_agg(
           format('select *, %s as segment from %I.%I', u.seq, '${schema}_' || tenant,
                  'task_hist_' || tenant || '_' || u.seq),
           ' union all ' order by u.place)
    into rows from unnest(segments) with ordinality as u (seq, place);
  -- A segment of the ledger is dropped only when all its batches are closed, so no batch means done.
  execute format(
    'create or replace view %I.%I as '
    'select h.id, case h.state when 1 then ''done'' when 2 then ''failed'' when 3 then ''dead'' '
    'when 4 then ''cancelled'' when 5 then ''lost'' when 6 then ''released'' '
    'else case when b.id is not null and b.closed_at is null then ''running'' else ''done'' end end as state, '
    'h.attempt, h.kind, '
    'case when starts_with(h.payload, chr(1)) then substr(h.payload, strpos(h.payload, chr(10)) + 1) '
    'else h.payload end as payload, '
    'h.parent_id, h.created_at, b.claimed_at, coalesce(h.finished_at, b.closed_at) as finished_at, '
    'h.error, h.batch_id, h.segment, b.worker, h.key, '
    'coalesce((select t.priorities from "${schema}".tenant t where t.number = %s)[h.lane], 0)::integer as priority, '
    'case when starts_with(h.payload, chr(1)) and strpos(h.payload, chr(10)) > 0 '
    'then substr(h.payload, 2, strpos(h.payload, chr(10)) - 2) end as headers '
    'from (%s) h left join "${schema}".task_batch b on b.id = h.batch_id',
    '${schema}_' || tenant, 'task_hist_' || tenant, tenant, rows);
end
$body$;
