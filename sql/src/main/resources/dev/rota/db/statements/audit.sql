-- What people changed (rota.audit).

-- name: begin_audited
-- Records that an action begins. Values: the tenant or null, who acts, the action, what it is about,
-- how many tasks were counted or null.
insert into {audit} (tenant, actor, action, about, counted) values (?::integer, ?, ?, ?, ?::bigint) returning id

-- name: note_progress
-- Records how far a running action came; returns whether it is to stop.
-- Plan: the primary key.
update {audit} set tasks = ?, seen_at = clock_timestamp() where id = ? and state = 0 returning stop

-- name: end_audited
-- Records what came of an action. Values: the state, the number of tasks, a text, the action.
update {audit} set state = ?::smallint, tasks = ?, detail = ?, ended_at = clock_timestamp(), seen_at = clock_timestamp()
 where id = ? and state = 0

-- name: request_stop
-- Asks a running action to stop.
update {audit} set stop = true where id = ? and state = 0

-- fragment: audited
-- What a reader needs; ages by the clock of the database, in microseconds.
select a.id, t.name, a.counted, a.tasks, a.state, a.stop, a.actor, a.action, a.about, a.detail,
       a.begun_at, a.ended_at, (extract(epoch from clock_timestamp() - a.seen_at) * 1000000)::bigint
  from {audit} a left join {tenants} t on t.number = a.tenant

-- name: list_audited
-- call: list audited
-- Lists actions, the newest first. Values: the first number that is not listed, the limit.
-- Plan: the primary key, backwards.
{audited} where a.id < ? order by a.id desc limit ?

-- name: list_audited_of_tenant
-- call: list audited
-- Lists actions that concern one tenant. Values: the tenant, the first number that is not listed, the
-- limit.
-- Plan: the index on tenant and number, backwards.
{audited} where a.tenant = ? and a.id < ? order by a.id desc limit ?

-- name: find_audited
-- Reads one action.
{audited} where a.id = ?

-- name: forget_audited
-- Deletes some actions that are older than 400 days.
delete from {audit} where ctid = any (array(
  select a.ctid from {audit} a where a.begun_at < now() - interval '400 days' limit ?))

-- name: blank_audited_of_tenant
-- Removes what concerns a tenant from the actions on it, which stay.
update {audit} set tenant = null, about = '', detail = '' where tenant = ?
