-- Tests of applications: what a test sees of a tenant, and how it lets time pass.
--
-- All times of tasks are those of the database's clock. A test moves them towards the past, which
-- is the same as if the clock had gone on.
--
-- Rejected: a clock of the test in each statement. Every statement would pay for it.

-- name: list_tasks_of_test
-- Lists what waits, and the attempts that began.
-- Plan: reads all tables of the tenant, which a test has filled.
select state, kind, payload from {pending}
union all
select state, kind, payload from {history}

-- name: bring_tasks_forward
-- Lets delayed tasks and retries of a tenant become due so many microseconds earlier.
update {waiting} set run_at = run_at - ?::bigint * interval '1 microsecond'

-- name: bring_keys_forward
-- Lets keys of ended tasks become free earlier.
update {keys} set free_at = free_at - ?::bigint * interval '1 microsecond' where free_at is not null

-- name: bring_schedules_forward
-- Lets schedules become due earlier, except those of these tenants.
update {schedules}
   set planned_at = planned_at - ?::bigint * interval '1 microsecond',
       run_at = run_at - ?::bigint * interval '1 microsecond'
 where tenant <> all (?::int[])

-- name: bring_pauses_forward
-- Lets pauses end earlier, except those without an end.
update {rules} set paused_until = paused_until - ?::bigint * interval '1 microsecond'
 where isfinite(paused_until)

-- name: bring_kind_pauses_forward
-- Lets the pauses that handlers and breakers ordered end earlier.
update {kind_pauses} set paused_until = paused_until - ?::bigint * interval '1 microsecond'
 where isfinite(paused_until)

-- name: set_tenants_aside
-- Frees the names of all tenants but these numbers, which have been set aside before. No other
-- process resolves them. They count as parked, so that a test costs the same after many others.
-- Returns the tenants with the names that they had.
with present as (select number, name from {tenants} where number <> all (?::int[]))
update {tenants} t
   set name = 'earlier-' || t.number, former_name = null, renamed_at = null, parked_at = now()
  from present p where p.number = t.number
returning t.number, p.name

-- name: forget_rules
-- Removes the rules of the tests before.
delete from {rules}

-- name: forget_kind_pauses
-- Removes the pauses that handlers and breakers of the tests before ordered.
delete from {kind_pauses}
