-- Schedules (rota.schedule), and the two statements that find out whether the last task of one has
-- ended.
--
-- A caller that changes a row raises its version. The daemon advances a schedule only in the
-- version that it read: of two that act on one occurrence the later changes nothing, and enqueues
-- nothing.

-- fragment: schedule_columns
-- The columns of a schedule s, in the order in which ScheduleRow reads them.
s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
(extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority

-- name: find_schedule
-- Finds a schedule by its name. The index has the collation.
select {schedule_columns}
from {schedules} s where s.tenant = ? and s.name = ?::text collate "C"

-- name: lock_schedule
-- Like find_schedule, and locks the schedule until the end of the transaction.
select {schedule_columns}
from {schedules} s where s.tenant = ? and s.name = ?::text collate "C" for update of s

-- name: list_schedules
-- Lists the schedules of a tenant.
select {schedule_columns}
from {schedules} s where s.tenant = ? order by s.name collate "C"

-- name: list_schedules_of_all
-- Lists schedules of all tenants with the names of these, by both names. Values: twice a part of a
-- name or null, twice the tenant and the name of the last schedule before, or null, and the limit.
-- Plan: the index on the names of tenants, and for each that on the names of its schedules, until the
-- limit is reached; a search may read all.
select {schedule_columns}, t.name
from {tenants} t join {schedules} s on s.tenant = t.number
 where (?::text is null or position(lower(?::text) in lower(s.name)) > 0
        or position(lower(?::text) in lower(t.name)) > 0)
   and (?::text is null or (t.name collate "C", s.name collate "C") > (?::text, ?::text))
 order by t.name collate "C", s.name collate "C" limit ?

-- name: read_the_clock
-- Reads the time of the transaction.
select now()

-- name: add_schedule
-- Adds a schedule unless one of that name exists; waits for a transaction that is adding it.
insert into {schedules} (cron, period, zone, starting_at, kind, payload, parent_id,
                         priority, missed, overlapping, jitter, planned_at, run_at, tenant, name)
values (?, ?::bigint * interval '1 microsecond', ?, ?::timestamptz, ?, ?, ?, ?, ?, ?,
        ?::bigint * interval '1 microsecond', ?::timestamptz, ?::timestamptz, ?, ?)
on conflict do nothing

-- name: change_schedule
-- Gives a schedule another definition and another time.
update {schedules} set (cron, period, zone, starting_at, kind, payload, parent_id,
                        priority, missed, overlapping, jitter, planned_at, run_at, version) =
       (?, ?::bigint * interval '1 microsecond', ?, ?::timestamptz, ?, ?, ?, ?, ?, ?,
        ?::bigint * interval '1 microsecond', ?::timestamptz, ?::timestamptz, version + 1)
 where tenant = ? and name = ?::text collate "C"

-- name: pause_schedule
-- Pauses a schedule.
update {schedules} set paused = true, version = version + 1
 where tenant = ? and name = ?::text collate "C"

-- name: resume_schedule
-- Resumes a schedule at another time.
update {schedules} set paused = false, planned_at = ?::timestamptz,
       run_at = ?::timestamptz, version = version + 1
 where id = ?

-- name: note_run
-- Notes a task that was enqueued out of turn.
update {schedules} set last_run_at = now(), last_task_id = ?, version = version + 1
 where id = ?

-- name: remove_schedule
-- Deletes a schedule.
delete from {schedules} where tenant = ? and name = ?::text collate "C"

-- name: due_schedules
-- Finds due schedules, the longest due first. Those of closed tenants are left out, and so are some
-- that failed lately.
select {schedule_columns}
from {schedules} s join {tenants} t on t.number = s.tenant and not t.closed
 where not s.paused and s.run_at <= now() and s.id <> all (?::bigint[])
 order by s.run_at limit ?

-- name: next_schedule
-- Reads how long until the next schedule is due, in microseconds, null when there is none, and the
-- present time.
select (extract(epoch from min(run_at) - now()) * 1000000)::bigint, now() from {schedules}
 where not paused and run_at > now()

-- name: list_planned_schedules
-- Lists schedules that are not due, in the order of their numbers. Values: the number after which
-- to begin, and the limit.
-- Plan: the primary key.
select {schedule_columns}
from {schedules} s where s.id > ? and not s.paused and s.run_at > now() order by s.id limit ?

-- name: replan_schedules
-- Gives schedules another time that have not changed since they were read, and returns them.
update {schedules} s
   set planned_at = u.planned_at::timestamptz, run_at = u.run_at::timestamptz,
       version = s.version + 1
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (id, version, planned_at, run_at)
 where s.id = u.id and s.version = u.version and not s.paused
returning s.id

-- name: advance_schedules
-- Advances schedules that have not changed since they were read and are due by this transaction's
-- clock, and returns them. Rejected: locking schedules when they are read, which would make a
-- caller that pauses one wait for the daemon.
update {schedules} s
   set planned_at = u.planned_at::timestamptz, run_at = u.run_at::timestamptz,
       last_run_at = case when u.task_id is null then s.last_run_at else now() end,
       last_task_id = coalesce(u.task_id, s.last_task_id),
       skipped = s.skipped + case when u.task_id is null then 1 else 0 end,
       version = s.version + 1
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[])
       as u (id, version, planned_at, run_at, task_id)
 where s.id = u.id and s.version = u.version and not s.paused and s.run_at <= now()
   and exists (select 1 from {tenants} t where t.number = s.tenant and not t.closed)
returning s.id

-- name: look_for_the_last_task
-- Finds whether a task is pending or waits, as a row without a batch, and the tenant's open
-- batches. It is one statement, because two would miss a task that moves between them.
(select null::bigint, 0, 0::bigint, 0::bigint, 0 from {pending} where id = ? limit 1)
union all
select b.id, b.segment, b.first_block, b.last_block, b.tasks from {ledger} b
 where b.tenant = ? and b.closed_at is null

-- fragment: states
-- How many rows of batches there are, and the states of a task among them.
select h.batch_id, count(*), array_agg(h.state) filter (where h.id = ?::bigint)
  from {segment} h where h.batch_id = any (?::bigint[])

-- name: look_into_a_batch
-- Counts the rows of a batch in a range of blocks, and reads the states of a task among them.
{states} and h.ctid >= ?::tid and h.ctid < ?::tid group by h.batch_id

-- name: look_for_rows_of_batches
-- Like look_into_a_batch, for batches whose rows have moved; reads the whole segment.
{states} group by h.batch_id
