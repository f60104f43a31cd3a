-- Checks and locks of a migration before Flyway runs.

-- name: look_for_migrations
-- Checks whether the role may read which migrations have run.
select has_table_privilege(to_regclass(?)::oid, 'select')

-- name: lock_out_migrations
-- call: lock out other migrations
-- Keeps other migrations out until the transaction ends.
select pg_advisory_xact_lock({namespace}, 0)
