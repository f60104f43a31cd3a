-- Checks and locks of a migration before Flyway runs.

-- name: look_for_migrations
-- Checks whether the role may read which migrations have run.
select has_table_privilege(to_regclass(?)::oid, 'select')

-- name: lock_out_migrations
-- call: lock out other migrations
-- Keeps other migrations out until the transaction ends.
select pg_advisory_xact_lock({namespace}, 0)

-- name: pin_migration
-- Sets what each migration needs, in its transaction. Flyway puts the schema of the registry at the
-- front of search_path, and the daemon's role may create functions there. A migration waits briefly for
-- a lock, since others wait behind it.
--
-- The path holds beyond the transaction: the next statement of Flyway calls set_config by its bare
-- name. At its end Flyway restores the path that it found.
select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false),
       pg_catalog.set_config('lock_timeout', {lock_timeout}, true),
       pg_catalog.set_config('standard_conforming_strings', 'on', true)
