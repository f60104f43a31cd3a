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

-- name: look_at_tenants_of_test
-- Finds the tenants with tables, except those of earlier tests, and the version of the row of each: one that changed is
-- read again.
select number, xmin::text from {tenants} where parked_at is null and number <> all (?::int[])

-- name: look_at_duties_of_test
-- Reads whether a schedule is due, whether a tenant has graphs, and the version of the rules.
-- Plan: the index of due schedules, that of catalog names, and one row.
select exists (select 1 from {schedules} where not paused and run_at <= now()),
       exists (select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                where c.relname >= 'task_spread_' and c.relname < 'task_spread`' and c.relkind = 'r'
                  and n.nspname in (select ?::text || '_' || t.number from {tenants} t
                                     where t.parked_at is null)),
       (select version from {rule_version})

-- name: look_at_tasks_of_test
-- Reads whether a tenant has tasks in its slots, and whether one waits that is due, or never becomes due: nothing else
-- can begin.
select exists (select 1 from {pending} where state = 'pending'),
       exists (select 1 from {waiting} where run_at <= now())
       or exists (select 1 from {waiting} where run_at is null)
       or exists (select 1 from {waiting} where run_at = 'infinity')

-- name: find_tables_of_test
-- Finds the tenants with tables, except those of earlier tests, and whether each has a table of keys.
select t.number,
       exists (select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                where n.nspname = ?::text || '_' || t.number and c.relname = 'task_key_' || t.number)
  from {tenants} t where t.parked_at is null and t.number <> all (?::int[])
 order by t.number

-- name: bring_tasks_forward
-- Lets delayed tasks and retries of a tenant become due so many microseconds earlier.
update {waiting} set run_at = run_at - ?::bigint * interval '1 microsecond'

-- name: bring_keys_forward
-- Lets keys of ended tasks become free earlier.
update {keys} set free_at = free_at - ?::bigint * interval '1 microsecond' where free_at is not null

-- name: bring_schedules_forward
-- Lets schedules become due earlier.
update {schedules}
   set planned_at = planned_at - ?::bigint * interval '1 microsecond',
       run_at = run_at - ?::bigint * interval '1 microsecond'

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
-- Returns the tenants.
update {tenants} t
   set name = 'earlier-' || t.number, former_name = null, renamed_at = null, parked_at = now()
 where t.number <> all (?::int[])
returning t.number

-- name: forget_schedules
-- Removes the schedules of the tests before.
delete from {schedules}

-- name: forget_rules
-- Removes the rules of the tests before.
delete from {rules}

-- name: forget_kind_pauses
-- Removes the pauses that handlers and breakers of the tests before ordered.
delete from {kind_pauses}

-- name: begin_ready_tenant
-- Begins to make tables for a tenant of a later test. The row is deleted in the same transaction, so that no session
-- sees it. Its name is one that no other session waits for.
insert into {tenants} (name, parked_at) values (gen_random_uuid()::text, now()) returning number

-- name: hide_ready_tenant
-- Leaves only the tables of a tenant of a later test.
delete from {tenants} where number = ?

-- name: give_ready_tenant
-- Registers a tenant of the present test whose tables are ready, as if they had been made now, unless a tenant has the
-- name, or had it. Returns whether it did.
with given as (
       insert into {tenants} (number, name, tables_made) overriding system value
       select ?::integer, n.name, 1 from (values (?::text)) as n (name)
        where not exists (select 1 from {tenants} t
                           where t.name = n.name collate "C" or t.former_name = n.name collate "C")
       on conflict do nothing returning number),
     opened as (
       insert into {segments} (tenant, seq) select number, 1 from given returning tenant)
select count(*) from opened
