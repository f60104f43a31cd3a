-- Settings and state of Rota's own sessions and transactions. Commands that only set or end
-- something, such as BEGIN and SET LOCAL, are in TransactionSettings.

-- name: pin_settings
-- Sets what every transaction of Rota needs, in its first flush, and reads when the server was
-- started: the same text in each time zone, for less than a microsecond.
--
-- search_path stays as it is unless it puts something before pg_catalog. From PostgreSQL 18 on the
-- driver throws away all prepared statements of a connection whenever the path changes. Measured
-- with claims of 10 tasks: 2.3 ms each with a change, 0.9 ms without. Setting it to itself makes
-- the server look up all its schemas again, twice a transaction.
--
-- Plan: enable_seqscan = off and force_generic_plan hold whenever a claim is planned; see claim.
select set_config('enable_seqscan', {seq_scans}, true), set_config('jit', 'off', true),
       set_config('plan_cache_mode', {plan_cache_mode}, true),
       set_config('lock_timeout', {lock_timeout}, true), set_config('statement_timeout', {statement_timeout}, true),
       set_config('idle_in_transaction_session_timeout', {longest_silence}, true),
       case when current_setting('search_path') like '%,%pg_catalog%'
            then set_config('search_path', 'pg_catalog', true) end,
       extract(epoch from pg_postmaster_start_time())

-- name: wait_briefly
-- Limits waiting for locks for the rest of a transaction that settles batches. A producer may hold
-- a row for long that the end of one task changes, and batches of other tenants must not wait.
select set_config('lock_timeout', '200', true)

-- name: read_long
-- Allows ten minutes for the rest of a transaction that must read a whole table.
select set_config('statement_timeout', '600000', true)

-- name: read_settings
-- Reads the settings of the host's pool before Rota's own are in force. Handlers are to find them.
select current_setting('search_path'), current_setting('enable_seqscan'), current_setting('jit'), current_setting('plan_cache_mode')

-- name: restore_settings
-- Gives handlers the settings of the host's pool, and their own time limits.
select set_config('search_path', ?, true), set_config('enable_seqscan', ?, true), set_config('jit', ?, true), set_config('plan_cache_mode', ?, true), set_config('statement_timeout', ?, true), set_config('lock_timeout', '0', true), set_config('idle_in_transaction_session_timeout', ?, true)

-- name: find_the_server_process
-- Reads the process that serves the connection. A pooler tells the driver a number of its own.
select pg_backend_pid()

-- name: find_the_name_of_this_statement
-- Reads the names under which this session's server process keeps this very statement, which finds
-- itself by its beginning. A pooler that maps names keeps it under one of its own.
select name from pg_prepared_statements where statement like 'select name from pg_prepared_statements where statement like %'
