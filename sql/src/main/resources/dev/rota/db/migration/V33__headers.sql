-- Headers of a task stand in one line before its payload, after the character U+0001. The views show both apart. A
-- payload without that character, as nearly all are, costs a comparison.

create function "${schema}".enqueue_with_headers(
    tenant text, kind text, payload text, headers jsonb, run_at timestamptz default null,
    priority integer default 0, key text default null) returns bigint
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  bad text;
begin
  if headers is not null and jsonb_typeof(headers) <> 'object' then
    raise exception 'headers are %', jsonb_typeof(headers)
      using errcode = '22023', hint = 'Headers are a JSON object whose values are texts.';
  end if;
  select h.name into bad from jsonb_each(coalesce(headers, '{}')) as h (name, value)
   where h.name !~ '^[A-Za-z0-9._-]{1,64}$' or jsonb_typeof(h.value) <> 'string' limit 1;
  if found then
    raise exception 'header % is malformed', quote_literal(left(bad, 64))
      using errcode = '22023',
            hint = 'A name is 1 to 64 characters out of A-Z a-z 0-9 . _ -, and its value is a text.';
  end if;
  if octet_length(headers::text) > 1024 then
    raise exception 'headers take % bytes as JSON', octet_length(headers::text)
      using errcode = '22023', hint = 'They take at most 1024 bytes: put what is longer into the payload.';
  end if;
  return "${schema}".enqueue(
    tenant, kind,
    case when headers is null or headers = '{}' then payload
         else chr(1) || headers::text || chr(10) || payload end,
    run_at, priority, key);
end
$body$;
comment on function "${schema}".enqueue_with_headers(text, text, text, jsonb, timestamptz, integer, text) is
  'Enqueues one task like enqueue, with headers such as the context of a trace: a JSON object whose values are texts.';
revoke all on function
  "${schema}".enqueue_with_headers(text, text, text, jsonb, timestamptz, integer, text) from public;

-- As in V18, but for headers.
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
        'select id, ''pending'', null::timestamptz, %s%s from %I.%I union all ',
        columns, priority, '${schema}_' || tenant, 'task_init_' || tenant || '_' || slot);
    end loop;
    if lane > 0 then
      by_lane := by_lane || format(' when %s then %s', lane, priority);
    end if;
    lane := lane + 1;
  end loop;
  execute format(
    'create or replace view %1$I.%2$I (id, state, run_at, created_at, parent_id, attempt, kind, payload, key, priority, '
    'headers) as select t.id, t.state, t.run_at, t.created_at, t.parent_id, t.attempt, t.kind, '
    'case when starts_with(t.payload, chr(1)) then substr(t.payload, strpos(t.payload, chr(10)) + 1) '
    'else t.payload end, t.key, t.priority, '
    'case when starts_with(t.payload, chr(1)) and strpos(t.payload, chr(10)) > 0 '
    'then substr(t.payload, 2, strpos(t.payload, chr(10)) - 2) end '
    'from (%4$s select id, ''waiting'', run_at, %5$s%6$s end from %1$I.%3$I) '
    't (id, state, run_at, created_at, parent_id, attempt, kind, payload, key, priority)',
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
    'create or replace view %I.%I (id, state, attempt, kind, payload, parent_id, created_at, claimed_at, '
    'finished_at, error, batch_id, segment, worker, key, priority, headers) as '
    'select h.id, case h.state when 1 then ''done'' when 2 then ''failed'' when 3 then ''dead'' '
    'when 4 then ''cancelled'' when 5 then ''lost'' when 6 then ''released'' '
    'else case when b.id is not null and b.closed_at is null then ''running'' else ''done'' end end, '
    'h.attempt, h.kind, '
    'case when starts_with(h.payload, chr(1)) then substr(h.payload, strpos(h.payload, chr(10)) + 1) '
    'else h.payload end, '
    'h.parent_id, h.created_at, b.claimed_at, coalesce(h.finished_at, b.closed_at), '
    'h.error, h.batch_id, h.segment, b.worker, h.key, '
    'coalesce((select t.priorities from "${schema}".tenant t where t.number = %s)[h.lane], 0)::integer, '
    'case when starts_with(h.payload, chr(1)) and strpos(h.payload, chr(10)) > 0 '
    'then substr(h.payload, 2, strpos(h.payload, chr(10)) - 2) end '
    'from (%s) h left join "${schema}".task_batch b on b.id = h.batch_id',
    '${schema}_' || tenant, 'task_hist_' || tenant, tenant, rows);
end
$body$;
