-- PUBLIC gets nothing, whatever the default privileges of the role that migrated gave it. Named one by one, since the
-- schema may hold tables of others.

revoke all on schema "${schema}" from public;
revoke all on table
  "${schema}".tenant, "${schema}".segment, "${schema}".worker, "${schema}".ledger_segment, "${schema}".assignment_pool,
  "${schema}".schedule, "${schema}".statistic, "${schema}".cancel_request, "${schema}".schema_history
  from public;
revoke all on sequence
  "${schema}".task_id, "${schema}".batch_id, "${schema}".worker_id, "${schema}".assignment_token
  from public;
revoke all on function
  "${schema}".enqueue(text, text, text),
  "${schema}".enqueue(text, text, text, timestamptz),
  "${schema}".enqueue(text, text, text, timestamptz, integer, text)
  from public;

-- The sequences of identity columns, whatever they are called.
do $$
declare
  numbers text;
begin
  foreach numbers in array array[
      pg_get_serial_sequence('"${schema}".tenant', 'number'),
      pg_get_serial_sequence('"${schema}".assignment_pool', 'number'),
      pg_get_serial_sequence('"${schema}".schedule', 'id')] loop
    execute 'revoke all on sequence ' || numbers || ' from public';
  end loop;
end $$;
