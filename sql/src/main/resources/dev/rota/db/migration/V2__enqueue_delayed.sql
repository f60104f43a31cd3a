-- Tasks that wait, for triggers and other languages. The function of V1 stays as it is and does not use this one: whoever
-- was granted the one need not be granted the other.

create function "${schema}".enqueue(tenant text, kind text, payload text, run_at timestamptz)
  returns bigint
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
declare
  owner     record;
  task      bigint;
  max_bytes integer := least(
    coalesce(nullif(current_setting('rota.payload_limit', true), '')::integer, 65536), 1048576);
begin
  if kind is null or kind !~ '^[A-Za-z0-9._:/-]{1,128}$' then
    raise exception 'kind % is malformed', coalesce(quote_literal(left(kind, 128)), 'null')
      using errcode = '22023',
            hint = 'A kind is 1 to 128 characters out of A-Z a-z 0-9 . _ : / -';
  end if;
  if payload is null or octet_length(payload) > max_bytes then
    raise exception 'payload is %', coalesce(octet_length(payload) || ' bytes', 'null')
      using errcode = '22023',
            hint = format('A payload is at most %s bytes of UTF-8.', max_bytes);
  end if;
  if run_at is not null and (run_at < '1700-01-01 00:00Z' or run_at >= '2251-01-01 00:00Z') then
    raise exception 'run_at is %', run_at
      using errcode = '22023', hint = 'Allowed are the years 1700 to 2250; null means at once.';
  end if;
  select r.number, r.current_slot, r.closed into owner
    from "${schema}".tenant r where r.name = enqueue.tenant collate "C";
  if not found then
    raise exception 'tenant % is not registered', coalesce(quote_literal(left(tenant, 200)), 'null')
      using errcode = '42704', hint = 'Register it first: rota tenant add NAME.';
  end if;
  if owner.closed then
    raise exception 'tenant % is closed', quote_literal(tenant)
      using errcode = '55000', hint = 'A closed tenant refuses new tasks; reopen it first.';
  end if;
  task := nextval('"${schema}".task_id');
  if run_at is null then
    execute format(
      'insert into %I.%I (id, created_at, parent_id, attempt, kind, payload) values ($1, now(), null, 0, $2, $3)',
      '${schema}_' || owner.number, 'task_init_' || owner.number || '_' || owner.current_slot)
      using task, kind, payload;
  else
    execute format(
      'insert into %I.%I (id, run_at, created_at, parent_id, attempt, kind, payload) values ($1, $2, now(), null, 0, $3, $4)',
      '${schema}_' || owner.number, 'task_wait_' || owner.number)
      using task, run_at, kind, payload;
  end if;
  -- Workers find work by the counters of the tables: make this insert count when it commits.
  perform pg_stat_force_next_flush();
  return task;
end
$body$;
comment on function "${schema}".enqueue(text, text, text, timestamptz) is
  'Enqueues one task of a registered tenant in the current transaction and returns its id. It waits until run_at, or is pending at once if that is null.';
revoke all on function "${schema}".enqueue(text, text, text, timestamptz) from public;
