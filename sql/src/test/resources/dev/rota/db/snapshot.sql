-- act as keeper
select pg_catalog.set_config('role', pg_catalog.pg_get_userbyid(c.relowner), true)
  from pg_class c
 where c.oid = pg_catalog.to_regclass(?::text)
   and pg_catalog.pg_get_userbyid(c.relowner) <> current_user
   and pg_catalog.pg_has_role(session_user, c.relowner,
                   case when pg_catalog.current_setting('server_version_num')::integer >= 160000
                        then 'SET' else 'MEMBER' end)

-- add edges
insert into "rota_7"."task_edge_7" (parent, child)
select u.parent, u.child from unnest(?::bigint[], ?::bigint[]) as u (parent, child)

-- add errors
insert into "rota"."error_statistic" as e (hour, kind, fingerprint, failed, dead, last_task, last_at, last_tenant, error)
select timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.fingerprint, u.failed, u.dead,
       u.last_task, timestamptz 'epoch' + u.last_at * interval '1 microsecond', t.number, u.error
  from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[], ?::text[])
       as u (last_tenant, hour, kind, fingerprint, failed, dead, last_task, last_at, error)
  join "rota"."tenant" t on t.number = u.last_tenant
 order by u.hour, u.kind collate "C", u.fingerprint
on conflict (hour, kind, fingerprint) do update
   set failed = e.failed + excluded.failed,
       dead = e.dead + excluded.dead,
       last_task = case when excluded.last_at >= e.last_at then excluded.last_task else e.last_task end,
       last_tenant = case when excluded.last_at >= e.last_at then excluded.last_tenant
                          else e.last_tenant end,
       last_at = greatest(e.last_at, excluded.last_at)

-- add errors of tenants
insert into "rota"."tenant_error" as e (tenant, hour, kind, fingerprint, failed, dead, last_task, last_at)
select u.tenant, timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.fingerprint,
       u.failed, u.dead, u.last_task, timestamptz 'epoch' + u.last_at * interval '1 microsecond'
  from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[])
       as u (tenant, hour, kind, fingerprint, failed, dead, last_task, last_at)
  join "rota"."tenant" t on t.number = u.tenant
 order by u.tenant, u.hour, u.kind collate "C", u.fingerprint
on conflict (tenant, hour, kind, fingerprint) do update
   set failed = e.failed + excluded.failed,
       dead = e.dead + excluded.dead,
       last_task = case when excluded.last_at >= e.last_at then excluded.last_task else e.last_task end,
       last_at = greatest(e.last_at, excluded.last_at)

-- add graph
insert into "rota_7"."task_graph_7" (id, created_at, first_id, last_id) values (?, now(), ?, ?)

-- add marks
alter table "rota_7"."task_init_7_0" add column key text, add column traits integer

-- add marks
alter table "rota_7"."task_init_7_0" add column key text, add column traits integer, add column lane smallint

-- add nodes
insert into "rota_7"."task_node_7" (id, graph, culprit, missing, state, on_dead)
select u.id, ?::bigint, u.culprit, u.missing, u.state, u.on_dead
  from unnest(?::bigint[], ?::bigint[], ?::int[], ?::smallint[], ?::smallint[])
       as u (id, culprit, missing, state, on_dead)

-- add pool
insert into "rota"."assignment_pool" (tenant, kind, name, created_at)
values (?, ?::smallint, ?, timestamptz 'epoch' + ?::bigint * interval '1 microsecond')
returning number

-- add schedule
insert into "rota"."schedule" (cron, period, zone, starting_at, kind, payload, parent_id,
                         priority, missed, overlapping, jitter, planned_at, run_at, tenant, name)
values (?, ?::bigint * interval '1 microsecond', ?, ?::timestamptz, ?, ?, ?, ?, ?, ?,
        ?::bigint * interval '1 microsecond', ?::timestamptz, ?::timestamptz, ?, ?)
on conflict do nothing

-- add statistics
insert into "rota"."statistic" as s (tenant, hour, kind, done, failed, dead, cancelled, run_micros,
                               first_attempts, wait_micros, run_buckets, wait_buckets)
select u.tenant, timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.done, u.failed,
       u.dead, u.cancelled, u.run_micros, u.first_attempts, u.wait_micros,
       u.run_buckets::bigint[], u.wait_buckets::bigint[]
  from unnest(?::int[], ?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (tenant, hour, kind, done, failed, dead, cancelled, run_micros, first_attempts,
             wait_micros, run_buckets, wait_buckets)
  join "rota"."tenant" t on t.number = u.tenant
 order by u.tenant, u.hour, u.kind collate "C"
on conflict (tenant, hour, kind) do update
   set done = s.done + excluded.done,
failed = s.failed + excluded.failed,
dead = s.dead + excluded.dead,
cancelled = s.cancelled + excluded.cancelled,
run_micros = s.run_micros + excluded.run_micros,
first_attempts = s.first_attempts + excluded.first_attempts,
wait_micros = s.wait_micros + excluded.wait_micros,
run_buckets = array(select coalesce(b.old, 0) + coalesce(b.new, 0)
                      from unnest(s.run_buckets, excluded.run_buckets) with ordinality
                           as b (old, new, place) order by b.place),
wait_buckets = array(select coalesce(b.old, 0) + coalesce(b.new, 0)
                       from unnest(s.wait_buckets, excluded.wait_buckets) with ordinality
                            as b (old, new, place) order by b.place)
returning pg_current_xact_id()::text

-- add statistics of kinds
insert into "rota"."kind_statistic" as s (hour, kind, done, failed, dead, cancelled, run_micros,
                                    first_attempts, wait_micros, run_buckets, wait_buckets)
select timestamptz 'epoch' + u.hour * interval '1 hour', u.kind, u.done, u.failed, u.dead,
       u.cancelled, u.run_micros, u.first_attempts, u.wait_micros, u.run_buckets::bigint[],
       u.wait_buckets::bigint[]
  from unnest(?::int[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
              ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (hour, kind, done, failed, dead, cancelled, run_micros, first_attempts, wait_micros,
             run_buckets, wait_buckets)
 order by u.hour, u.kind collate "C"
on conflict (hour, kind) do update
   set done = s.done + excluded.done,
failed = s.failed + excluded.failed,
dead = s.dead + excluded.dead,
cancelled = s.cancelled + excluded.cancelled,
run_micros = s.run_micros + excluded.run_micros,
first_attempts = s.first_attempts + excluded.first_attempts,
wait_micros = s.wait_micros + excluded.wait_micros,
run_buckets = array(select coalesce(b.old, 0) + coalesce(b.new, 0)
                      from unnest(s.run_buckets, excluded.run_buckets) with ordinality
                           as b (old, new, place) order by b.place),
wait_buckets = array(select coalesce(b.old, 0) + coalesce(b.new, 0)
                       from unnest(s.wait_buckets, excluded.wait_buckets) with ordinality
                            as b (old, new, place) order by b.place)

-- add to pool
insert into "rota_7"."task_free_7" (pool, spot, id)
select ?::int, u.spot, u.id from unnest(?::int[], ?::bigint[]) as u (spot, id)
 where not exists (
       select 1 from "rota_7"."task_free_7" f where f.pool = ? and f.spot = u.spot and f.id = u.id)
   and not exists (
       select 1 from "rota_7"."task_assignment_7" a where a.pool = ? and a."task" = u.id)
on conflict do nothing

-- advance schedules
update "rota"."schedule" s
   set planned_at = u.planned_at::timestamptz, run_at = u.run_at::timestamptz,
       last_run_at = case when u.task_id is null then s.last_run_at else now() end,
       last_task_id = coalesce(u.task_id, s.last_task_id),
       skipped = s.skipped + case when u.task_id is null then 1 else 0 end,
       version = s.version + 1
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[])
       as u (id, version, planned_at, run_at, task_id)
 where s.id = u.id and s.version = u.version and not s.paused and s.run_at <= now()
   and exists (select 1 from "rota"."tenant" t where t.number = s.tenant and not t.closed)
returning s.id

-- aged
select c.oid::bigint from pg_class c
 where c.oid::bigint = any (?::bigint[]) and age(c.relfrozenxid) > ?

-- announce parking
update "rota"."tenant" set park_at = now() + ?::float8 * interval '1 millisecond'
 where number = any (?::int[]) and parked_at is null and park_at is null

-- archive again
update "rota"."archive" set archived_at = null where tenant = ? and seq = ?

-- assign
with held as materialized (
       select worker, task, token from "rota_7"."task_assignment_7" where pool = ? and "worker" = ?),
     gate as materialized (
       select pg_try_advisory_xact_lock(1, ?) as open
        where not exists (select 1 from held)),
     ahead as materialized (
       select id, spot, ctid from "rota_7"."task_free_7"
        where pool = ? and spot >= ? and (select open from gate)
        order by spot limit 1 for update skip locked),
     behind as materialized (
       select id, spot, ctid from "rota_7"."task_free_7"
        where pool = ? and spot < ? and (select open from gate)
          and not exists (select 1 from ahead)
        order by spot limit 1 for update skip locked),
     picked as materialized (
       select id, spot, ctid from ahead union all select id, spot, ctid from behind),
     made as (
       insert into "rota_7"."task_assignment_7"
              (pool, "worker", "task", token, holder, returns, spot, assigned_at)
       select ?::int, ?::bigint, id, nextval('"rota"."assignment_token"'), ?::bigint, id, spot, now()
         from picked
       on conflict do nothing
       returning worker, task, token),
     gone as (
       delete from "rota_7"."task_free_7"
        where ctid = any (array(select picked.ctid from picked, made)))
select 1, worker, task, token from made
union all
select 2, worker, task, token from held
union all
select case when not open then 4 when exists (select 1 from picked) then 5 else 3 end,
       0, 0, 0
  from gate where not exists (select 1 from made)

-- assign pairs
with asked as materialized (
       select u.place, u.worker, u.task, u.holder, held.worker as held_worker,
              held.task as held_task, held.token as held_token,
              case when held.token is null
                   then case when pg_try_advisory_xact_lock(1, u.task_key)
                             then case when pg_try_advisory_xact_lock(
                                              1, u.worker_key)
                                       then nextval('"rota"."assignment_token"') end end end as token
         from unnest(?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::bigint[])
                with ordinality
                as u (worker, task, worker_key, task_key, holder, place)
         left join lateral (
                select worker, task, token from "rota_7"."task_assignment_7"
                 where pool = ? and task = u.task
                union all
                select worker, task, token from "rota_7"."task_assignment_7"
                 where pool = ? and worker = u.worker and task <> u.task
                limit 1) as held on true),
     made as (
       insert into "rota_7"."task_assignment_7" (pool, worker, task, token, holder, assigned_at)
       select ?::int, worker, task, token, holder, now() from asked
        where token is not null
       on conflict do nothing
       returning token)
select case when made.token is not null then 1 when held_token is not null then 2
            when asked.token is not null then 5 else 4 end,
       coalesce(held_worker, worker), coalesce(held_task, task),
       coalesce(held_token, asked.token)
  from asked left join made on made.token = asked.token
 order by place

-- await change of membership
with changing as materialized (
       select 1 from "rota_7"."task_assignment_7" where pool = ? and task = ? and token = ?
          for key share skip locked)
select 1 from "rota_7"."task_assignment_7"
 where pool = ? and task = ? and token = ? and exists (select 1 from changing)
   for no key update

-- be oneself
select set_config('role', 'none', true)

-- begin archiving
insert into "rota"."archive" as a (tenant, seq, opened_at, sealed_at, key)
select s.tenant, s.seq, s.opened_at, s.sealed_at,
       'tenant=' || s.tenant || '/hour='
         || to_char(s.opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24')
         || 'Z/seq=' || s.seq || '.parquet'
  from "rota"."segment" s
 where s.tenant = ? and s.seq = ? and s.dropped_at is null and s.sealed_at is not null
on conflict (tenant, seq) do update set archived_at = null where a.expired_at is null
returning a.key, a.xmax <> 0, (extract(epoch from a.opened_at) * 1000000)::bigint,
          (extract(epoch from a.sealed_at) * 1000000)::bigint, a.sha256

-- begin audited
insert into "rota"."audit" (tenant, actor, action, about, counted) values (?::integer, ?, ?, ?, ?::bigint) returning id

-- begin erasure
insert into "rota"."erasure" (tenant, name) select number, name from "rota"."tenant" where number = ?

-- blank audited of tenant
update "rota"."audit" set tenant = null, about = '', detail = '' where tenant = ?

-- bounds of usage
select extract(epoch from least((select min(hour) from "rota"."usage"),
                                (select min(opened_at) - interval '1 day'
                                   from "rota"."ledger_segment" where metered_at is null)))::bigint,
       extract(epoch from greatest((select max(hour) from "rota"."usage"), now())
                            + interval '1 day')::bigint

-- cancel
with cancelled as (
       delete from "rota_7"."task_init_7_0" t
        where
    (?::bigint[] is null or t.id = any (?::bigint[]))
and (?::text is null or t.kind = ?::text)
and (?::text is null or t.key = ?::text)
and (?::timestamptz is null or t.created_at >= ?::timestamptz)
and (?::timestamptz is null or t.created_at < ?::timestamptz)
and t.ctid >= ?::tid and t.ctid < ?::tid
       returning t.id, t.created_at, t.parent_id, t.attempt, t.kind, t.payload, t.key,
                 t.traits, 1 as lane),
     stored as (
       insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, finished_at, attempt,
                              state, kind, payload, error, key, traits, lane)
       select coalesce(id, 0), 0,
              case when isfinite(created_at) then created_at else now() end, parent_id,
              now(),
              case when attempt < 2147483647 then attempt + 1 else attempt end, 4, kind,
              payload, ?, key, traits, lane
         from cancelled
       returning id, key, traits)
select count(*),
       array_agg(id) filter (where key is not null or traits is not null),
       array_agg(key) filter (where key is not null or traits is not null),
       array_agg(traits) filter (where key is not null or traits is not null)
  from stored

-- cancel
with cancelled as (
       delete from "rota_7"."task_init_7_0" t
        where
    (?::bigint[] is null or t.id = any (?::bigint[]))
and (?::text is null or t.kind = ?::text)
and (?::text is null or t.key = ?::text)
and (?::timestamptz is null or t.created_at >= ?::timestamptz)
and (?::timestamptz is null or t.created_at < ?::timestamptz)
and t.ctid >= ?::tid and t.ctid < ?::tid
       returning t.id, t.created_at, t.parent_id, t.attempt, t.kind, t.payload, t.key,
                 t.traits, cast(null as smallint) as lane),
     stored as (
       insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, finished_at, attempt,
                              state, kind, payload, error, key, traits, lane)
       select coalesce(id, 0), 0,
              case when isfinite(created_at) then created_at else now() end, parent_id,
              now(),
              case when attempt < 2147483647 then attempt + 1 else attempt end, 4, kind,
              payload, ?, key, traits, lane
         from cancelled
       returning id, key, traits)
select count(*),
       array_agg(id) filter (where key is not null or traits is not null),
       array_agg(key) filter (where key is not null or traits is not null),
       array_agg(traits) filter (where key is not null or traits is not null)
  from stored

-- cancel blocked nodes
with picked as materialized (
       select n.id from "rota_7"."task_graph_7" g
         join "rota_7"."task_node_7" n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
        where g.id = ? and n.state = 0 order by n.id limit ? for no key update of n),
     cancelled as (
       update "rota_7"."task_node_7" n set state = 4 from picked where n.id = picked.id
       returning n.id)
insert into "rota_7"."task_spread_7" (id, reason) select id, ? from cancelled

-- cancel unsettled
update "rota_7"."task_hist_7_1" h set state = 4, error = r.reason, finished_at = now()
  from unnest(?::bigint[], ?::text[]) as r (task, reason)
 where h.ctid >= ?::tid and h.ctid < ?::tid and h.batch_id = ?::bigint and h.state = 0
   and h.id = r.task and coalesce(h.traits, 0) & ?::int = 0
returning h.id, h.key, h.traits

-- cancel versions
with ended as materialized (
       select k.key from unnest(?::text[], ?::bigint[]) as u (key, id)
         join "rota_7"."task_key_7" k on k.key = u.key
        where k.task_id = u.id and k.version is not null and k.live
        order by k.key for update of k)
update "rota_7"."task_key_7" k
   set run = k.run + 1, live = false, payload = null, free_at = now() + interval '720 hours'
  from ended e where k.key = e.key

-- carry over
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= '(0,0)'::tid and (select pg_try_advisory_xact_lock(?, ?)) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked))
       returning id, created_at, parent_id, attempt, kind, payload, key, traits)
insert into "rota_7"."task_init_7_1" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt, kind, payload, key, traits from moved
 where (select pg_stat_force_next_flush()::text) is not null

-- change default privileges
alter default privileges for role "role"
  grant select, insert, update, delete on tables to "other"

-- change default privileges
alter default privileges for role "role" grant execute on functions to "other"

-- change default privileges
alter default privileges for role "role" grant select on tables to "other"

-- change default privileges
alter default privileges for role "role" grant usage on schemas to "other"

-- change default privileges
alter default privileges for role "role" revoke execute on functions from public

-- change plan
update "rota"."tenant" set plan = ?::text where number = ?

-- change priority
update "rota_7"."task_wait_7" t set lane = 1 where t.lane is distinct from 1 and
    (?::bigint[] is null or t.id = any (?::bigint[]))
and (?::text is null or t.kind = ?::text)
and (?::text is null or t.key = ?::text)
and (?::timestamptz is null or t.created_at >= ?::timestamptz)
and (?::timestamptz is null or t.created_at < ?::timestamptz)
and t.ctid >= ?::tid and t.ctid < ?::tid

-- change priority
update "rota_7"."task_wait_7" t set lane = cast(null as smallint) where t.lane is distinct from cast(null as smallint) and
    (?::bigint[] is null or t.id = any (?::bigint[]))
and (?::text is null or t.kind = ?::text)
and (?::text is null or t.key = ?::text)
and (?::timestamptz is null or t.created_at >= ?::timestamptz)
and (?::timestamptz is null or t.created_at < ?::timestamptz)
and t.ctid >= ?::tid and t.ctid < ?::tid

-- change priority
with moved as (
       delete from "rota_7"."task_init_7_0" t
        where
    (?::bigint[] is null or t.id = any (?::bigint[]))
and (?::text is null or t.kind = ?::text)
and (?::text is null or t.key = ?::text)
and (?::timestamptz is null or t.created_at >= ?::timestamptz)
and (?::timestamptz is null or t.created_at < ?::timestamptz)
and t.ctid >= ?::tid and t.ctid < ?::tid returning id, created_at, parent_id, attempt, kind, payload, key, traits)
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where (select pg_stat_force_next_flush()::text) is not null

-- change schedule
update "rota"."schedule" set (cron, period, zone, starting_at, kind, payload, parent_id,
                        priority, missed, overlapping, jitter, planned_at, run_at, version) =
       (?, ?::bigint * interval '1 microsecond', ?, ?::timestamptz, ?, ?, ?, ?, ?, ?,
        ?::bigint * interval '1 microsecond', ?::timestamptz, ?::timestamptz, version + 1)
 where tenant = ? and name = ?::text collate "C"

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind <> all (?) limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind <> all (?) limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any ('{"email.send","search.index"}') limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any ('{"email.send","search.index"}') limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any (?) limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any (?) limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with looked as materialized (
       select ctid, coalesce(octet_length(payload), 0) as bytes from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) limit ?),
     picked as materialized (
       select ctid
         from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                 from looked) as weighed
        where through <= ?::bigint or through = bytes),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked), (select count(*) from picked) < (select count(*) from looked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind <> all (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind <> all (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind <> all (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind <> all (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any ('{"email.send","search.index"}') limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any ('{"email.send","search.index"}') limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any ('{"email.send","search.index"}') limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any ('{"email.send","search.index"}') limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) and kind = any (?) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, 1
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind,
          case when octet_length(payload) <= 4096 then payload end, key,
          traits, (select max(ctid) from picked)

-- claim
with picked as materialized (
       select ctid from "rota_7"."task_init_7_0"
        where ctid >= ?
          and (select pg_try_advisory_xact_lock(1, 7)) limit ?),
     moved as (
       delete from "rota_7"."task_init_7_0" where ctid = any (array(select ctid from picked)) returning *)
insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                       key, traits, lane)
select id, ?, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits, cast(null as smallint)
  from moved
returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, payload, key,
          traits, (select max(ctid) from picked)

-- clean cancel requests
delete from "rota"."cancel_request" r
 where not exists (select 1 from "rota"."task_batch_1" b where b.id = r.batch and b.closed_at is null)

-- close batches
update "rota"."task_batch_1"
   set closed_at = now(), ended = ?::smallint, attempts = tasks + coalesce(attempts, 0),
       run_micros = (?::bigint[])[width_bucket(id, ?::bigint[])]
 where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
returning id

-- close batches
update "rota"."task_batch_1"
   set closed_at = now(), ended = ?::smallint, attempts = tasks + coalesce(attempts, 0),
       tasks = tasks + coalesce(attempts, 0),
       run_micros = (?::bigint[])[width_bucket(id, ?::bigint[])]
 where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
returning id

-- close breaker
delete from "rota"."kind_pause" p
 where p.tenant = ?::integer and p.kind = ?::text and p.origin = 'breaker'
   and p.paused_at = ?::timestamptz

-- confirm
select pg_backend_pid()

-- consumed
select pg_stat_get_tuples_deleted(?::oid), pg_stat_get_dead_tuples(?::oid) > 0

-- count backlog
select count(*),
       extract(epoch from now() - min(r.created_at) filter (where isfinite(r.created_at)))
  from "rota_7"."task_init_7_0" r

-- count blocked
select count(*)
  from (select 1 from "rota_7"."task_held_7" h where ?::text is null or h.kind = ?::text limit ?::integer) r

-- count chosen
select count(*) from "rota_7"."task_init_7_0" t
 where
    (?::bigint[] is null or t.id = any (?::bigint[]))
and (?::text is null or t.kind = ?::text)
and (?::text is null or t.key = ?::text)
and (?::timestamptz is null or t.created_at >= ?::timestamptz)
and (?::timestamptz is null or t.created_at < ?::timestamptz)
and t.ctid >= ?::tid and t.ctid < ?::tid

-- count dead
select count(*) from "rota_7"."task_hist_7_1" h
where h.state = 3
  and (?::bigint[] is null or h.id = any (?::bigint[]))
  and (?::text is null or h.kind = ?::text)
  and (?::text[] is null or split_part(h.error, E'\n\tat ', 1) = any (?::text[]))
  and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
  and (?::timestamptz is null or h.finished_at < ?::timestamptz) and h.ctid >= ?::tid and h.ctid < ?::tid

-- count dead
select split_part(h.error, E'\n\tat ', 1), count(*) from "rota_7"."task_hist_7_1" h
where h.state = 3
  and (?::bigint[] is null or h.id = any (?::bigint[]))
  and (?::text is null or h.kind = ?::text)
  and (?::text[] is null or split_part(h.error, E'\n\tat ', 1) = any (?::text[]))
  and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
  and (?::timestamptz is null or h.finished_at < ?::timestamptz) and h.ctid >= ?::tid and h.ctid < ?::tid
 group by 1

-- count delayed
select count(*), count(*) filter (where r.run_at <= now()), count(*) filter (where r.attempt > 0),
       (extract(epoch from min(r.run_at) filter (where isfinite(r.run_at))) * 1000000)::bigint
  from (select w.run_at, w.attempt from "rota_7"."task_wait_7" w
         where ?::text is null or w.kind = ?::text order by w.run_at limit ?::integer) r

-- count free
select count(*) from "rota_7"."task_free_7" where pool = ?

-- count history of hours
select extract(epoch from date_bin('1 hour', b.closed_at, timestamptz 'epoch'))::bigint,
       count(*), coalesce(sum(octet_length(h.payload)), 0)
  from "rota_7"."task_hist_7_1" h join "rota"."task_batch_1" b on b.id = h.batch_id
 where b.tenant = ? and b.segment = ? and b.run_micros is not null and b.bytes is not null
   and b.closed_at >= ?::timestamptz and b.closed_at < ?::timestamptz
   and h.state not in (5, 6)
 group by 1

-- count live workers
select count(*) from "rota"."worker" w where w.heartbeat_at > now() - w.lease

-- count pending kinds
select coalesce(r.kind, ''), count(*),
       extract(epoch from now() - min(r.created_at) filter (where isfinite(r.created_at)))
  from (select t.kind, t.created_at from "rota_7"."task_init_7_0" t
         where ?::text is null or t.kind = ?::text limit ?::integer) r
 group by 1

-- count pending tasks
select "rota"."count_pending"(?::boolean)

-- count postponed rotations
select count(*), t.postponed_reason from "rota"."tenant" t
 where t.parked_at is null and t.postponed_reason is not null
 group by t.postponed_reason order by 1 desc, 2

-- count processes alive
select count(*) from "rota"."worker" w where w.heartbeat_at > now() - w.lease

-- count requests
select count(*) from "rota"."cancel_request" where tenant = ? and batch = any (?::bigint[])

-- count rows set aside
insert into "rota"."set_aside" as s (tenant, reason, rows, last_id)
select ?::int, u.reason, count(*), max(u.id)
  from unnest(?::text[], ?::bigint[]) as u (reason, id)
 group by u.reason order by u.reason
on conflict (tenant, reason) do update
   set rows = s.rows + excluded.rows, last_at = now(), last_id = excluded.last_id

-- count running
select b.tenant, sum(b.tasks)::bigint, count(*)
  from "rota"."task_batch_1" b where b.closed_at is null group by b.tenant

-- count running of tenant
select coalesce(sum(b.tasks), 0)::bigint from "rota"."task_batch_1" b
 where b.closed_at is null and b.tenant = ?::integer

-- count taken keys
select count(*), count(*) filter (where not r.live)
  from (select k.live from "rota_7"."task_key_7" k where k.live or k.free_at > now() limit ?::integer) r

-- create archive part
create foreign table "rota_7"."task_archive_7_1" (
  check (created_at >= '2026-01-01'::timestamptz and created_at <= '2026-12-31'::timestamptz))
inherits ("rota_7"."task_archive_7") server rota_archive
options (filename '/archive/1.csv', format 'csv', null E'\\N')

-- create archive table
create table if not exists "rota_7"."task_archive_7" (id bigint, state text, attempt integer, kind text, payload text, parent_id bigint, created_at timestamptz, claimed_at timestamptz, finished_at timestamptz, error text, batch_id bigint, segment integer, worker bigint, key text, priority integer, headers text)

-- create assignments
create table "rota_7"."task_assignment_7" (
  worker bigint not null, task bigint not null, token bigint not null,
  holder bigint not null, returns bigint, assigned_at timestamptz not null,
  pool integer not null, spot integer,
  primary key (task, pool), unique (worker, pool)) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)

-- create edges
create table "rota_7"."task_edge_7" (
  parent bigint not null, child bigint not null, primary key (parent, child))

-- create file server
create server if not exists rota_archive foreign data wrapper file_fdw

-- create file_fdw
create extension if not exists file_fdw

-- create free list
create table "rota_7"."task_free_7" (
  id bigint not null, pool integer not null, spot integer not null,
  primary key (pool, spot, id)) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)

-- create functions
select "make_own_functions"(7)

-- create graphs
create table "rota_7"."task_graph_7" (
  id bigint primary key, created_at timestamptz not null, finished_at timestamptz,
  first_id bigint not null, last_id bigint not null)

-- create held tasks
create table "rota_7"."task_held_7" (
  id bigint primary key, created_at timestamptz not null, run_at timestamptz,
  pause interval, parent_id bigint, lane smallint, kind text, payload text)

-- create history view
select "make_history_view"(7, "rota"."segment")

-- create index of keys
create index on "rota_7"."task_key_7" (free_at) where free_at is not null

-- create keys
create table "rota_7"."task_key_7" (
  key text collate "C" primary key, task_id bigint not null, live boolean not null,
  run bigint not null, free_at timestamptz, version bigint, lane smallint,
  kind text, payload text) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)

-- create ledger segment
create table "rota"."task_batch_1" (
  id bigint primary key, worker bigint, claimed_at timestamptz, closed_at timestamptz,
  first_block bigint, last_block bigint, tenant integer, segment integer,
  tasks integer, ended smallint, attempts integer, run_micros bigint, bytes bigint)
  with (fillfactor = 45, autovacuum_enabled = off)

-- create nodes
create table "rota_7"."task_node_7" (
  id bigint primary key, graph bigint not null, culprit bigint, missing integer not null,
  state smallint not null, on_dead smallint not null) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0)

-- create pending view
select "make_pending_view"(7, "priorities")

-- create role
do $$
begin
  create role "role";
exception when duplicate_object or unique_violation then null;
end $$

-- create segment
select "make_segment"(7, "seq")

-- create slot
select "make_slot"(7, "rota_7"."task_init_7_0")

-- create spread list
create table "rota_7"."task_spread_7" (id bigint primary key, reason text)
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

-- create wait index
create index on "rota_7"."task_wait_7" (key) where key is not null

-- delete errors of tenant
with own as materialized (
       select e.hour, e.kind, e.fingerprint
         from "rota"."error_statistic" e
         join "rota"."tenant_error" t on t.hour = e.hour and t.kind = e.kind and t.fingerprint = e.fingerprint
        where t.tenant = ?
          and not exists (select 1 from "rota"."tenant_error" o
                           where o.fingerprint = t.fingerprint and o.hour = t.hour and o.kind = t.kind
                             and o.tenant <> t.tenant)
        order by e.hour, e.kind, e.fingerprint
          for update of e)
delete from "rota"."error_statistic" e using own o
 where e.hour = o.hour and e.kind = o.kind and e.fingerprint = o.fingerprint

-- delete tenant
delete from "rota"."tenant" where number = ?

-- discover
select u.oid, pg_stat_get_tuples_inserted(u.oid::oid)
  from unnest(?::bigint[], ?::bigint[]) as u (oid, seen)
 where pg_stat_get_tuples_inserted(u.oid::oid) <> u.seen
 union all
select 0, v.version from "rota"."rule_version" v where v.version <> ?

-- divide segment
select min(p.place)::text, array_agg(distinct p.batch_id)
  from (select h.ctid as place, h.batch_id,
               (sum(200 + octet_length(h.payload)
                    + coalesce(octet_length(h.error), 0)::bigint)
                  over (order by h.ctid))::bigint / ? as part
          from "rota_7"."task_hist_7_1" h where h.ctid >= ?::tid and h.ctid < ?::tid) p
 group by p.part order by min(p.place)

-- divide table
select min(p.place)::text
  from (select h.ctid as place,
               (sum(200) over (order by h.ctid))::bigint / ? as part
          from "rota_7"."task_init_7_0" h where h.ctid >= ?::tid and h.ctid < ?::tid) p
 group by p.part order by min(p.place)

-- draw ids
select nextval(?::regclass) from generate_series(1, ?::bigint)

-- drop archive part
drop foreign table if exists "rota_7"."task_archive_7_1"

-- drop archive table
drop table if exists "rota_7"."task_archive_7" cascade

-- drop ledger segment
drop table "rota"."task_batch_1"

-- drop segment
drop table "rota_7"."task_hist_7_1"

-- drop tables of tenant
drop table "rota_7"."task_init_7_0"

-- drop views of tenant
drop view "rota_7"."task_init_7"

-- due schedules
select s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
(extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority
from "rota"."schedule" s join "rota"."tenant" t on t.number = s.tenant and not t.closed
 where not s.paused and s.run_at <= now() and s.id <> all (?::bigint[])
 order by s.run_at limit ?

-- end audited
update "rota"."audit" set state = ?::smallint, tasks = ?, detail = ?, ended_at = clock_timestamp(), seen_at = clock_timestamp()
 where id = ? and state = 0

-- end kept keys
update "rota_7"."task_key_7" k set live = false from unnest(?::text[], ?::bigint[]) as u (key, id)
 where k.key = u.key and k.task_id = u.id and k.version is null and k.free_at > now()

-- end keys
delete from "rota_7"."task_key_7" k using unnest(?::text[], ?::bigint[]) as u (key, id)
 where k.key = u.key and k.task_id = u.id and k.version is null
   and (k.free_at is null or k.free_at <= now())

-- end nodes
with told as materialized (
       select u.id, u.state from unnest(?::bigint[], ?::smallint[]) as u (id, state)),
     revived as (
       update "rota_7"."task_node_7" n set state = 2 from told
        where n.id = told.id and n.state = 3 and told.state = 2),
     ended as (
       update "rota_7"."task_node_7" n set state = told.state from told
        where n.id = told.id and n.state = 1
       returning n.id, n.state <> 2 as bad),
     heard as materialized (
       select e.child, count(*)::int as parents, min(ended.id) filter (where ended.bad) as bad
         from ended join "rota_7"."task_edge_7" e on e.parent = ended.id group by e.child),
     resolved as (
       update "rota_7"."task_node_7" c
          set missing = c.missing - h.parents, culprit = coalesce(c.culprit, h.bad),
              state = case when c.missing > h.parents then 0
                           when coalesce(c.culprit, h.bad) is null or c.on_dead = 2 then 1
                           when c.on_dead = 1 then 5
                           else 4 end
         from heard h where c.id = h.child and c.state = 0
       returning c.id, c.state, c.culprit),
     freed as (
       delete from "rota_7"."task_held_7" w using resolved r where w.id = r.id and r.state = 1
       returning w.id, w.created_at, w.run_at, w.pause, w.parent_id, w.lane, w.kind,
                 w.payload),
     moved as (
       select id, created_at, parent_id, 0 as attempt, kind, payload, null::text as key,
              1 as traits, lane
         from freed
        where run_at is null and pause is null
          and (select pg_stat_force_next_flush()::text) is not null),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 0),
     waiting as (
       insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload,
                              traits, lane)
       select id, coalesce(run_at, now() + pause), created_at, parent_id, 0, kind, payload,
              1, lane
         from freed
        where (run_at is not null or pause is not null)
          and (select pg_stat_force_next_flush()::text) is not null),
     unrun as (
       insert into "rota_7"."task_spread_7" (id, reason)
       select id, case state when 5 then 'skipped' else 'cancelled' end
                  || ': its parent, task ' || culprit || ', did not succeed'
         from resolved where state in (5, 4)
       returning id)
select (select count(*) from moved), (select count(*) from unrun)

-- end nodes
with told as materialized (
       select u.id, u.state from unnest(?::bigint[], ?::smallint[]) as u (id, state)),
     revived as (
       update "rota_7"."task_node_7" n set state = 2 from told
        where n.id = told.id and n.state = 3 and told.state = 2),
     ended as (
       update "rota_7"."task_node_7" n set state = told.state from told
        where n.id = told.id and n.state = 1
       returning n.id, n.state <> 2 as bad),
     heard as materialized (
       select e.child, count(*)::int as parents, min(ended.id) filter (where ended.bad) as bad
         from ended join "rota_7"."task_edge_7" e on e.parent = ended.id group by e.child),
     resolved as (
       update "rota_7"."task_node_7" c
          set missing = c.missing - h.parents, culprit = coalesce(c.culprit, h.bad),
              state = case when c.missing > h.parents then 0
                           when coalesce(c.culprit, h.bad) is null or c.on_dead = 2 then 1
                           when c.on_dead = 1 then 5
                           else 4 end
         from heard h where c.id = h.child and c.state = 0
       returning c.id, c.state, c.culprit),
     freed as (
       delete from "rota_7"."task_held_7" w using resolved r where w.id = r.id and r.state = 1
       returning w.id, w.created_at, w.run_at, w.pause, w.parent_id, w.lane, w.kind,
                 w.payload),
     moved as (
       select id, created_at, parent_id, 0 as attempt, kind, payload, null::text as key,
              1 as traits, lane
         from freed
        where run_at is null and pause is null
          and (select pg_stat_force_next_flush()::text) is not null),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2),
     waiting as (
       insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload,
                              traits, lane)
       select id, coalesce(run_at, now() + pause), created_at, parent_id, 0, kind, payload,
              1, lane
         from freed
        where (run_at is not null or pause is not null)
          and (select pg_stat_force_next_flush()::text) is not null),
     unrun as (
       insert into "rota_7"."task_spread_7" (id, reason)
       select id, case state when 5 then 'skipped' else 'cancelled' end
                  || ': its parent, task ' || culprit || ', did not succeed'
         from resolved where state in (5, 4)
       returning id)
select (select count(*) from moved), (select count(*) from unrun)

-- end unrun nodes
with told as materialized (
       select u.id, u.reason from unnest(?::bigint[], ?::text[]) as u (id, reason)),
     gone as (
       delete from "rota_7"."task_held_7" w using told where w.id = told.id
       returning w.id, w.created_at, w.parent_id, w.lane, w.kind, w.payload,
                 told.reason),
     history as (
       insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, finished_at, attempt,
                              state, kind, payload, error, traits, lane)
       select id, 0, created_at, parent_id, now(), 1, 4, kind, payload, reason, 1,
              lane
         from gone),
     ended as materialized (
       select n.id, n.state = 4 as bad from "rota_7"."task_node_7" n
        where n.id = any (array(select id from told))),
     heard as materialized (
       select e.child, count(*)::int as parents, min(ended.id) filter (where ended.bad) as bad
         from ended join "rota_7"."task_edge_7" e on e.parent = ended.id group by e.child),
     resolved as (
       update "rota_7"."task_node_7" c
          set missing = c.missing - h.parents, culprit = coalesce(c.culprit, h.bad),
              state = case when c.missing > h.parents then 0
                           when coalesce(c.culprit, h.bad) is null or c.on_dead = 2 then 1
                           when c.on_dead = 1 then 5
                           else 4 end
         from heard h where c.id = h.child and c.state = 0
       returning c.id, c.state, c.culprit),
     freed as (
       delete from "rota_7"."task_held_7" w using resolved r where w.id = r.id and r.state = 1
       returning w.id, w.created_at, w.run_at, w.pause, w.parent_id, w.lane, w.kind,
                 w.payload),
     moved as (
       select id, created_at, parent_id, 0 as attempt, kind, payload, null::text as key,
              1 as traits, lane
         from freed
        where run_at is null and pause is null
          and (select pg_stat_force_next_flush()::text) is not null),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 0),
     waiting as (
       insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload,
                              traits, lane)
       select id, coalesce(run_at, now() + pause), created_at, parent_id, 0, kind, payload,
              1, lane
         from freed
        where (run_at is not null or pause is not null)
          and (select pg_stat_force_next_flush()::text) is not null),
     unrun as (
       insert into "rota_7"."task_spread_7" (id, reason)
       select id, case state when 5 then 'skipped' else 'cancelled' end
                  || ': its parent, task ' || culprit || ', did not succeed'
         from resolved where state in (5, 4)
       returning id)
select (select count(*) from moved), (select count(*) from unrun)

-- end unrun nodes
with told as materialized (
       select u.id, u.reason from unnest(?::bigint[], ?::text[]) as u (id, reason)),
     gone as (
       delete from "rota_7"."task_held_7" w using told where w.id = told.id
       returning w.id, w.created_at, w.parent_id, w.lane, w.kind, w.payload,
                 told.reason),
     history as (
       insert into "rota_7"."task_hist_7_1" (id, batch_id, created_at, parent_id, finished_at, attempt,
                              state, kind, payload, error, traits, lane)
       select id, 0, created_at, parent_id, now(), 1, 4, kind, payload, reason, 1,
              lane
         from gone),
     ended as materialized (
       select n.id, n.state = 4 as bad from "rota_7"."task_node_7" n
        where n.id = any (array(select id from told))),
     heard as materialized (
       select e.child, count(*)::int as parents, min(ended.id) filter (where ended.bad) as bad
         from ended join "rota_7"."task_edge_7" e on e.parent = ended.id group by e.child),
     resolved as (
       update "rota_7"."task_node_7" c
          set missing = c.missing - h.parents, culprit = coalesce(c.culprit, h.bad),
              state = case when c.missing > h.parents then 0
                           when coalesce(c.culprit, h.bad) is null or c.on_dead = 2 then 1
                           when c.on_dead = 1 then 5
                           else 4 end
         from heard h where c.id = h.child and c.state = 0
       returning c.id, c.state, c.culprit),
     freed as (
       delete from "rota_7"."task_held_7" w using resolved r where w.id = r.id and r.state = 1
       returning w.id, w.created_at, w.run_at, w.pause, w.parent_id, w.lane, w.kind,
                 w.payload),
     moved as (
       select id, created_at, parent_id, 0 as attempt, kind, payload, null::text as key,
              1 as traits, lane
         from freed
        where run_at is null and pause is null
          and (select pg_stat_force_next_flush()::text) is not null),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2),
     waiting as (
       insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload,
                              traits, lane)
       select id, coalesce(run_at, now() + pause), created_at, parent_id, 0, kind, payload,
              1, lane
         from freed
        where (run_at is not null or pause is not null)
          and (select pg_stat_force_next_flush()::text) is not null),
     unrun as (
       insert into "rota_7"."task_spread_7" (id, reason)
       select id, case state when 5 then 'skipped' else 'cancelled' end
                  || ': its parent, task ' || culprit || ', did not succeed'
         from resolved where state in (5, 4)
       returning id)
select (select count(*) from moved), (select count(*) from unrun)

-- end versions
with locked as materialized (
       select k.key, k.task_id, k.run, k.version, k.payload from "rota_7"."task_key_7" k
        where k.key = any (?::text[]) and k.task_id = any (?::bigint[])
          and k.version is not null and k.live
        order by k.key for update),
     ended as materialized (
       select k.key, k.version > u.version as again, k.payload, u.traits,
              now() + interval '720 hours' as later
         from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[])
              as u (key, id, run, version, traits)
         join locked k on k.key = u.key and k.task_id = u.id and k.run = u.run),
     turned as (
       update "rota_7"."task_key_7" k
          set run = k.run + 1, live = e.again, payload = null,
              free_at = case when not e.again then e.later end
         from ended e where k.key = e.key
       returning k.key, k.task_id, k.kind, k.lane, e.again, e.payload, e.traits),
     moved as (
       select task_id as id, now() as created_at, null::bigint as parent_id, 0 as attempt,
              kind, payload, key, traits, lane
         from turned where again),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 0)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- end versions
with locked as materialized (
       select k.key, k.task_id, k.run, k.version, k.payload from "rota_7"."task_key_7" k
        where k.key = any (?::text[]) and k.task_id = any (?::bigint[])
          and k.version is not null and k.live
        order by k.key for update),
     ended as materialized (
       select k.key, k.version > u.version as again, k.payload, u.traits,
              now() + interval '720 hours' as later
         from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[])
              as u (key, id, run, version, traits)
         join locked k on k.key = u.key and k.task_id = u.id and k.run = u.run),
     turned as (
       update "rota_7"."task_key_7" k
          set run = k.run + 1, live = e.again, payload = null,
              free_at = case when not e.again then e.later end
         from ended e where k.key = e.key
       returning k.key, k.task_id, k.kind, k.lane, e.again, e.payload, e.traits),
     moved as (
       select task_id as id, now() as created_at, null::bigint as parent_id, 0 as attempt,
              kind, payload, key, traits, lane
         from turned where again),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- enqueue
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload)
select u.id, now(), null, 0, ?::text, u.payload
  from unnest(?::bigint[], ?::text[]) as u (id, payload)
 where (select pg_stat_force_next_flush()::text) is not null

-- enqueue
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload)
select u.id, now(), u.parent_id, 0, u.kind, u.payload
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (id, parent_id, kind, payload)
 where (select pg_stat_force_next_flush()::text) is not null

-- enqueue
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload)
values (?::bigint, now(), null, 0, ?::text, ?::text)

-- enqueue delayed
insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select u.id,
       case when u.absolute then timestamptz 'epoch' else now() end
         + u.micros * interval '1 microsecond',
       now(), u.parent_id, 0, u.kind, u.payload, u.key, u.traits, u.lane
  from unnest(?::bigint[], ?::boolean[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
              ?::text[], ?::int[], ?::smallint[])
       as u (id, absolute, micros, parent_id, kind, payload, key, traits, lane)
 where (select pg_stat_force_next_flush()::text) is not null

-- enqueue marked
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select u.id, now(), u.parent_id, 0, u.kind, u.payload, u.key, u.traits
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::int[])
       as u (id, parent_id, kind, payload, key, traits)
 where (select pg_stat_force_next_flush()::text) is not null

-- erase batches
with gone as (delete from "rota"."task_batch_1" where tenant = ? returning id)
insert into "rota"."erasure_part" as p (tenant, kind, name, rows, removed_at)
select ?, 'registry', ?, count(*), now() from gone having count(*) > 0
on conflict (tenant, kind, name)
   do update set rows = p.rows + excluded.rows, removed_at = now()

-- erase foreign table
drop foreign table if exists "rota_7"."task_init_7_0" cascade

-- erase schema
drop schema if exists "rota_7" cascade

-- erase table
drop table "rota_7"."task_init_7_0" cascade

-- erase view
drop materialized view if exists "rota_7"."task_init_7_0" cascade

-- erase view
drop view if exists "rota_7"."task_init_7_0" cascade

-- estimate backlogs
with rings as materialized (
       select c.relnamespace, sum(pg_stat_get_live_tuples(c.oid))::bigint as pending,
              sum(pg_stat_get_tuples_deleted(c.oid))::bigint as removed,
              array_agg(c.relname::text order by c.relname collate "C")
                filter (where pg_stat_get_live_tuples(c.oid) > 0) as slots
         from pg_catalog.pg_class c
        where c.relkind = 'r' and c.relname ~ '^task_init_'
        group by c.relnamespace having sum(pg_stat_get_live_tuples(c.oid)) > 0)
select n.nspname::text, r.pending, r.removed, r.slots
  from rings r join pg_catalog.pg_namespace n on n.oid = r.relnamespace

-- expire objects to erase
update "rota"."archive" set expired_at = coalesce(expired_at, now()) where tenant = ?

-- fence batches
select id from "rota"."task_batch_1"
 where id = any (?::bigint[]) and ended = 0 and worker = ?::bigint
 order by id for update

-- find archivable segments
select s.tenant, s.seq from "rota"."segment" s
  join "rota"."tenant" t on t.number = s.tenant
 where s.dropped_at is null and coalesce(t.archive, true)
   and coalesce((select a.archived_at is null and a.expired_at is null from "rota"."archive" a
                  where a.tenant = s.tenant and a.seq = s.seq), true)
   and (s.sealed_at <= now() - ?::float8 * interval '1 millisecond'
        or s.sealed_at > now() + interval '1 minute')
   and (s.tenant, s.seq) not in (select * from unnest(?::int[], ?::int[]))
   and not exists (select 1 from "rota"."task_batch_1" b
                    where b.closed_at is null and b.tenant = s.tenant
                      and b.segment = s.seq)
 order by s.sealed_at limit 100

-- find archived segments to drop
select a.tenant, a.seq, a.key, a.bytes, a.sha256, a.rows, a.id_sum::text, a.state_sum
  from "rota"."archive" a
  join "rota"."segment" s on s.tenant = a.tenant and s.seq = a.seq
  join "rota"."tenant" t on t.number = a.tenant
 cross join (values (?::float8 * interval '1 millisecond', ?::float8 * interval '1 millisecond'))
         as p (keep, trusted)
 where s.dropped_at is null and a.archived_at is not null and a.expired_at is null
   and coalesce(t.archive, true) and not t.legal_hold
   and s.sealed_at <= now() - coalesce(t.keep_history, p.keep)
   and coalesce(t.keep_history, p.keep) <= p.trusted
   and (a.tenant, a.seq) not in (select * from unnest(?::int[], ?::int[]))
 order by s.sealed_at limit 100

-- find assignment
select worker, task, token from "rota_7"."task_assignment_7" where pool = ? and "worker" = ?

-- find audited
select a.id, t.name, a.counted, a.tasks, a.state, a.stop, a.actor, a.action, a.about, a.detail,
       a.begun_at, a.ended_at, (extract(epoch from clock_timestamp() - a.seen_at) * 1000000)::bigint
  from "rota"."audit" a left join "rota"."tenant" t on t.number = a.tenant where a.id = ?

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.closed_at is null and (?::integer[] is null or b.tenant = any (?::integer[]))

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.closed_at is null and b.id <> all (?::bigint[])
  and not exists (select 1 from "rota"."worker" w where w.id = b.worker)
order by b.id limit 100

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.id = any (?::bigint[]) and b.worker = ? and b.closed_at is null

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.tenant = ? and b.closed_at is null

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.tenant = ? and b.closed_at is null and b.claimed_at <= now() - ? * interval '1 microsecond'

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.worker = ? and b.closed_at is null

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.worker = ? and b.closed_at is null and b.id <> all (?::bigint[]) order by b.id limit 100

-- find batches
select b.id, b.worker, b.seq, b.tenant, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch" b where b.worker = ? and b.tenant = ? and b.segment = ? and b.closed_at is null limit 1000

-- find dead workers
select w.id, (extract(epoch from w.heartbeat_at) * 1000000)::bigint, (extract(epoch from w.lease) * 1000000)::bigint from "rota"."worker" w

-- find erasure
select tenant, name, receipt from "rota"."erasure"
 where name = ? order by finished_at desc nulls first limit 1

-- find graph
select g.id, g.created_at, n.state, count(n.id)
  from "rota_7"."task_graph_7" g
  left join "rota_7"."task_node_7" n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
 where g.id = ?
 group by g.id, n.state order by g.id desc

-- find graphs
select t.number from (
  select c.relnamespace, substring(c.relname from '[0-9]+$') as number
    from pg_catalog.pg_class c
   where c.relname >= 'task_spread_' and c.relname < 'task_spread`' and c.relkind = 'r')
    as g
  join pg_catalog.pg_namespace n on n.oid = g.relnamespace
  join "rota"."tenant" t on t.number::text = g.number and t.parked_at is null
 where n.nspname = ? || '_' || g.number
 order by t.number

-- find holder of sequence
select coalesce('session ' || l.pid, 'a prepared transaction') || ' ('
       || concat_ws(', ', 'application ' || quote_literal(a.application_name),
                    'role ' || quote_literal(a.usename), 'address ' || host(a.client_addr),
                    'in a transaction since '
                    || to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC')
       || ')'
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'relation' and l.granted and l.relation = to_regclass(?)
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
 order by a.xact_start nulls last limit 1

-- find import
select number, importing from "rota"."tenant"
 where name = ?::text collate "C" and imported_from = ?::uuid

-- find keys
select key, task_id, kind, false from "rota_7"."task_key_7" where key = any (?::text[])

-- find newest ledger
select max(seq) from "rota"."ledger_segment"

-- find oldest pending
select extract(epoch from now() - min(r.created_at))::float8
  from (select t.created_at from "rota_7"."task_init_7_0" t where isfinite(t.created_at) limit 1000) r

-- find oldest transaction
select h.pid, h.name, h.seconds
  from (select a.pid, nullif(a.application_name, '') as name,
               extract(epoch from now() - a.xact_start)::float8 as seconds,
               greatest(age(a.backend_xid), age(a.backend_xmin)) as age
          from pg_stat_activity a
         where a.pid <> pg_backend_pid() and num_nonnulls(a.backend_xid, a.backend_xmin) > 0
        union all
        select 0, 'prepared transaction ' || p.gid, extract(epoch from now() - p.prepared)::float8,
               age(p.transaction)
          from pg_prepared_xacts p
        union all
        select 0, 'replication slot ' || r.slot_name, null,
               greatest(age(r.xmin), age(r.catalog_xmin))
          from pg_replication_slots r where num_nonnulls(r.xmin, r.catalog_xmin) > 0) h
 order by h.age desc limit 1

-- find open batches
select b.id from "rota"."task_batch_1" b where b.closed_at is null and b.tenant = ?

-- find pools
select distinct tenant from "rota"."assignment_pool" order by tenant

-- find retirable segments
select s.tenant, s.seq
  from "rota"."segment" s
  join "rota"."tenant" t on t.number = s.tenant
 cross join (values (?::float8 * interval '1 millisecond', ?::float8 * interval '1 millisecond'))
         as p (keep, trusted)
 where s.dropped_at is null and s.tenant <> all (?::int[])
   and not t.legal_hold and not coalesce(t.archive, ?::boolean)
   and s.sealed_at <= now() - coalesce(t.keep_history, p.keep)
   and coalesce(t.keep_history, p.keep) <= p.trusted
   and not exists (select 1 from "rota"."task_batch_1" b
                    where b.closed_at is null and b.tenant = s.tenant
                      and b.segment = s.seq)
 order by s.sealed_at limit 100

-- find rows in blocks
select h.batch_id, count(*), count(*) filter (where h.state = 0),
       min(h.ctid) filter (where h.state = 0), max(h.ctid) filter (where h.state = 0)
  from "rota_7"."task_hist_7_1" h
 where h.batch_id = any (?::bigint[]) and h.ctid >= ?::tid and h.ctid < ?::tid group by h.batch_id

-- find rows of batches
select h.batch_id, count(*), count(*) filter (where h.state = 0),
       min(h.ctid) filter (where h.state = 0), max(h.ctid) filter (where h.state = 0)
  from "rota_7"."task_hist_7_1" h
 where h.batch_id = any (?::bigint[]) group by h.batch_id

-- find schedule
select s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
(extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority
from "rota"."schedule" s where s.tenant = ? and s.name = ?::text collate "C"

-- find segments to index
select s.tenant, s.seq from "rota"."segment" s join "rota"."tenant" t on t.number = s.tenant
 where s.sealed_at is not null and s.indexed_at is null and s.dropped_at is null
   and s.tenant <> all (?::int[]) and t.parked_at is null
   and not exists (select 1 from "rota"."task_batch_1" b
                    where b.closed_at is null and b.tenant = s.tenant and b.segment = s.seq)
 order by s.sealed_at limit 100

-- find tasks of batches
select h.batch_id, h.id, h.ctid, h.state from "rota_7"."task_hist_7_1" h
 where h.batch_id = any (?::bigint[]) and h.id = any (?::bigint[])

-- find tenant to erase
select number from "rota"."tenant" where name = ?::text collate "C"

-- find tenant to explain
select t.number, t.name, t.plan, t.closed, t.importing, t.parked_at is not null, e.begun_at
  from "rota"."tenant" t left join "rota"."erasure" e on e.tenant = t.number
 where t.name = ?::text

-- find tenant to restore
select number, importing from "rota"."tenant" where name = ?::text collate "C"

-- find the leader
select 'session ' || l.pid || ' ('
       || concat_ws(', ', 'application ' || quote_literal(a.application_name),
                    'role ' || quote_literal(a.usename), 'address ' || host(a.client_addr),
                    'connected since '
                    || to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')
                    || ' UTC')
       || ')'
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.classid::bigint = (?::bigint & 4294967295)
   and l.objid::bigint = (?::bigint & 4294967295)

-- find the name of this statement
select name from pg_prepared_statements where statement like 'select name from pg_prepared_statements where statement like %'

-- find the server process
select pg_backend_pid()

-- finish
with ending as materialized (
       select held.ctid from unnest(?::bigint[], ?::bigint[]) as u (task, token),
              lateral (
                select ctid from "rota_7"."task_assignment_7"
                 where pool = ? and task = u.task and token = u.token
                   for update skip locked) as held),
gone as (
  delete from "rota_7"."task_assignment_7" where ctid = any (array(select ctid from ending))
  returning pool, spot, returns, token),
back as (
  insert into "rota_7"."task_free_7" (pool, spot, id)
  select pool, spot, returns from gone where false
  on conflict do nothing)
select token from gone

-- finish erasure
update "rota"."erasure" set finished_at = now(), receipt = ? where tenant = ?

-- finish graphs
update "rota_7"."task_graph_7" g set finished_at = now()
 where g.finished_at is null
   and not exists (
       select 1 from "rota_7"."task_node_7" n
        where n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
          and n.state in (0, 1))
   and not exists (
       select 1 from "rota_7"."task_spread_7" s where s.id >= g.first_id and s.id <= g.last_id)

-- finish import
update "rota"."tenant"
   set importing = false, closed = ?, legal_hold = ?, archive = ?::boolean,
       created_at = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       keep_history = ?::bigint * interval '1 microsecond',
       keep_archive = ?::bigint * interval '1 microsecond',
       segment_age = ?::bigint * interval '1 microsecond', segment_bytes = ?::bigint
 where number = ?

-- flush counters
select pg_stat_force_next_flush()::text

-- forget archived segment
delete from "rota"."archive" where tenant = ? and seq = ? and expired_at is not null

-- forget audited
delete from "rota"."audit" where ctid = any (array(
  select a.ctid from "rota"."audit" a where a.begun_at < now() - interval '400 days' limit ?))

-- forget begun objects
delete from "rota"."archive" where tenant = ?

-- forget dead workers
delete from "rota"."worker" w using unnest(?::bigint[], ?::bigint[]) as u (id, heartbeat) where w.id = u.id and (extract(epoch from w.heartbeat_at) * 1000000)::bigint = u.heartbeat and not exists (select 1 from "rota"."task_batch_1" b where b.worker = w.id and b.closed_at is null)

-- forget erased objects
delete from "rota"."archive" where tenant = ? and archived_at is not null

-- forget graphs
with expired as materialized (
       select id, first_id, last_id from "rota_7"."task_graph_7"
        where finished_at <= now() - ?::bigint * interval '1 microsecond'
          and not exists (select 1 from "rota"."tenant" where number = ? and legal_hold)
        order by id limit 100),
     doomed as materialized (
       select n.id from expired g
         join "rota_7"."task_node_7" n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
        limit 5000),
     cut as (
       delete from "rota_7"."task_edge_7" e using doomed d where e.parent = d.id),
     gone as (
       delete from "rota_7"."task_node_7" n using doomed d where n.id = d.id),
     forgotten as (
       delete from "rota_7"."task_graph_7" g using expired x
        where g.id = x.id and (select count(*) from doomed) < 5000
       returning g.id)
select (select count(*) from doomed) + (select count(*) from forgotten)

-- forget ledger segment
with dropped as (
       delete from "rota"."ledger_segment" where seq = ? returning closed_until, complete_after)
update "rota"."ledger_segment" s
   set complete_after = greatest(s.complete_after, d.complete_after, d.closed_until)
  from dropped d where s.seq <> ?

-- forget segments
delete from "rota"."segment"
 where dropped_at < now() - interval '30 days'
   and tenant not in (select number from "rota"."tenant" where legal_hold)

-- forget statistics
delete from "rota"."error_statistic" where ctid = any (array(
  select e.ctid from "rota"."error_statistic" e
   where e.hour < now() - ?::float8 * interval '1 millisecond' limit ?))

-- forget statistics
delete from "rota"."kind_statistic" where ctid = any (array(
  select s.ctid from "rota"."kind_statistic" s
   where s.hour < now() - ?::float8 * interval '1 millisecond' limit ?))

-- forget statistics
delete from "rota"."statistic" where ctid = any (array(
  select s.ctid from "rota"."statistic" s
   where s.hour < now() - ?::float8 * interval '1 millisecond'
     and s.tenant not in (select number from "rota"."tenant" where legal_hold) limit ?))

-- forget statistics
delete from "rota"."tenant_error" where ctid = any (array(
  select e.ctid from "rota"."tenant_error" e
   where e.hour < now() - ?::float8 * interval '1 millisecond'
     and e.tenant not in (select number from "rota"."tenant" where legal_hold) limit ?))

-- free assignments
with ending as materialized (
       select ctid from "rota_7"."task_assignment_7" where holder = any (?::bigint[]) or not exists (select 1 from "rota"."worker" w where w.id = holder) limit 5000 for update skip locked),
gone as (
  delete from "rota_7"."task_assignment_7" where ctid = any (array(select ctid from ending))
  returning pool, spot, returns, token),
back as (
  insert into "rota_7"."task_free_7" (pool, spot, id)
  select pool, spot, returns from gone where returns is not null
  on conflict do nothing)
select count(*) from gone

-- free expired keys
delete from "rota_7"."task_key_7"
 where key = any (?::text[]) and not live and free_at <= now()

-- gate
select u.tenant, pg_try_advisory_xact_lock(?, u.tenant)
  from unnest(?::int[]) as u (tenant)

-- hand back assignments
with ending as materialized (
       select ctid from "rota_7"."task_assignment_7" where holder = ? for update skip locked),
gone as (
  delete from "rota_7"."task_assignment_7" where ctid = any (array(select ctid from ending))
  returning pool, spot, returns, token),
back as (
  insert into "rota_7"."task_free_7" (pool, spot, id)
  select pool, spot, returns from gone where returns is not null
  on conflict do nothing)
select count(*) from gone

-- heartbeat
insert into "rota"."worker" as w (id, host, lease, started_at, heartbeat_at, token, rules, kinds)
values (?, ?, ? * interval '1 millisecond', now(), now(), ?, 2, ?::text[])
on conflict (id) do update
   set heartbeat_at = now(), token = excluded.token, kinds = excluded.kinds

-- heartbeat
update "rota"."worker" set heartbeat_at = now(), token = ?
 where id = ? and token = any (?::bigint[])

-- hold kind
with held as (
       insert into "rota"."kind_pause" as p (owner, kind, origin, paused_at, paused_until, reason)
       select u.owner, u.kind, 'hold', now(), now() + u.micros * interval '1 microsecond', u.reason
         from (values (?::integer, ?::text, ?::bigint, ?::text)) u (owner, kind, micros, reason)
        where u.owner is null or exists (select 1 from "rota"."tenant" t where t.number = u.owner)
       on conflict (tenant, kind, origin)
       do update set paused_at = case when p.paused_until > now() then p.paused_at else now() end,
                     paused_until = excluded.paused_until, reason = excluded.reason
        where p.paused_until < excluded.paused_until)
delete from "rota"."kind_pause" p
 where p.origin = 'hold' and p.paused_until < now() - interval '1 minute'
   and (p.tenant, p.kind) <> (coalesce(?::integer, 0), ?::text)

-- hold sequence
alter sequence "rota"."task_id" no cycle

-- hold tasks
insert into "rota_7"."task_held_7" (id, created_at, run_at, pause, parent_id, lane, kind, payload)
select u.id, now(), timestamptz 'epoch' + u.run_at * interval '1 microsecond',
       u.pause * interval '1 microsecond', u.parent_id, u.lane, u.kind, u.payload
  from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[],
              ?::text[], ?::text[])
       as u (id, run_at, pause, parent_id, lane, kind, payload)

-- hold tenants
lock table "rota"."tenant" in share row exclusive mode

-- import plan
update "rota"."tenant" set plan = ?::text where number = ?

-- import rules
insert into "rota"."rule" overriding user value
select (jsonb_populate_record(null::"rota"."rule", e.rule || jsonb_build_object('tenant', ?::integer))).*
  from jsonb_array_elements(?::jsonb) e (rule)

-- index a segment
analyze "rota_7"."task_hist_7_1" (id)

-- index a segment
create index on "rota_7"."task_hist_7_1" (state) where state > 1

-- index a segment
create index on "rota_7"."task_hist_7_1" using brin (id)

-- index ledger segment
create index on "rota"."task_batch_1" (worker) where closed_at is null

-- insert rows
insert into "rota_7"."task_init_7_0" (created_at, id) select now(), u.id
  from unnest(?::bigint[]) with ordinality as u (id, place_of_row)
 order by u.place_of_row

-- keep assigned
update "rota_7"."task_assignment_7" a set returns = u.id, spot = u.spot
  from unnest(?::int[], ?::bigint[]) as u (spot, id)
 where a.pool = ? and a."task" = u.id and a.returns is null

-- lead
select pg_try_advisory_lock(?, ?), pg_backend_pid()

-- lease payload
select p.allowed, p.used, p.granted, p.period, p.began, p.lasts
  from "rota"."lease_payload"(?::integer, ?::bigint, true) p

-- lease slots
with asked as materialized (
       select u.*, (select coalesce(sum(s.held), 0) from "rota"."share" s
                     where s.tenant = u.tenant and s.kind = u.kind and s.worker <> ?::bigint) as others
         from unnest(?::integer[], ?::text[], ?::integer[], ?::integer[], ?::integer[], ?::integer[],
                     ?::integer[])
              with ordinality as u (tenant, kind, slots, used, cap, needed, idle, place)
        where exists (select 1 from "rota"."budget" b where b.tenant = u.tenant and b.kind = u.kind)),
     granted as (
       select a.*, greatest(a.used, least(a.slots, a.cap - a.others))::integer as held from asked a),
     written as (
       insert into "rota"."share" as s (tenant, kind, worker, held, wanted, idle)
       select g.tenant, g.kind, ?::bigint, g.held, g.needed > g.held, g.idle = 1 from granted g
       on conflict (tenant, kind, worker)
       do update set held = excluded.held, wanted = excluded.wanted, idle = excluded.idle
        where (s.held, s.wanted, s.idle) is distinct from (excluded.held, excluded.wanted, excluded.idle))
select g.place, g.held from granted g

-- lease starts
with mode as materialized (
       select case when ?::boolean then set_config('synchronous_commit', 'off', true) end as way),
     asked as materialized (
       select u.* from mode,
              unnest(?::integer[], ?::text[], ?::bigint[], ?::bigint[], ?::float8[], ?::float8[], ?::float8[])
              with ordinality as u (tenant, kind, starts, back, step, burst, ahead, place)),
     locked as materialized (
       select b.tenant, b.kind, b.last_at from "rota"."bucket" b
        where (b.tenant, b.kind) in (select a.tenant, a.kind from asked a)
        order by b.tenant, b.kind for no key update),
     clock as materialized (
       select l.*, clock_timestamp() as at from locked l),
     known as (
       select a.*, c.at, greatest(c.last_at - a.back * a.step * interval '1 microsecond',
                                  c.at - a.burst * interval '1 microsecond') as base
         from asked a join clock c on c.tenant = a.tenant and c.kind = a.kind),
     granted as materialized (
       select k.*, extract(epoch from k.base - k.at)::float8 * 1000000 as since,
              greatest(0, least(k.starts, floor((extract(epoch from k.at - k.base)::float8 * 1000000
                                                 + k.ahead + 1) / k.step)))::bigint as count
         from known k),
     written as (
       update "rota"."bucket" b set last_at = g.base + g.count * g.step * interval '1 microsecond'
         from granted g
        where b.tenant = g.tenant and b.kind = g.kind and (g.count > 0 or g.back > 0))
select g.place, g.count, g.since from granted g

-- let assigned go
update "rota_7"."task_assignment_7" set returns = null
 where pool = ? and "task" = any (?::bigint[]) and returns is not null

-- list active nodes
select n.id from "rota_7"."task_graph_7" g
  join "rota_7"."task_node_7" n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
 where g.id = ? and n.state = 1

-- list archive parts
select substring(c.relname from '[0-9]+$')::int,
       (select o.option_value from pg_options_to_table(f.ftoptions) o
         where o.option_name = 'filename')
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
       join pg_foreign_table f on f.ftrelid = c.oid
 where i.inhparent = to_regclass(?) order by 1

-- list archived files
select seq, key, sha256 from "rota"."archive" where tenant = ? order by seq

-- list archived segments
select a.seq, a.key, a.bytes, a.sha256, a.created_from::text, a.created_to::text
  from "rota"."archive" a
 where a.tenant = ? and a.archived_at is not null and a.expired_at is null
   and not exists (select 1 from "rota"."segment" s
                    where s.tenant = a.tenant and s.seq = a.seq and s.dropped_at is null)
 order by a.seq

-- list audited
select a.id, t.name, a.counted, a.tasks, a.state, a.stop, a.actor, a.action, a.about, a.detail,
       a.begun_at, a.ended_at, (extract(epoch from clock_timestamp() - a.seen_at) * 1000000)::bigint
  from "rota"."audit" a left join "rota"."tenant" t on t.number = a.tenant where a.id < ? order by a.id desc limit ?

-- list audited
select a.id, t.name, a.counted, a.tasks, a.state, a.stop, a.actor, a.action, a.about, a.detail,
       a.begun_at, a.ended_at, (extract(epoch from clock_timestamp() - a.seen_at) * 1000000)::bigint
  from "rota"."audit" a left join "rota"."tenant" t on t.number = a.tenant where a.tenant = ? and a.id < ? order by a.id desc limit ?

-- list backlog tables
select c.oid::bigint, n.nspname::text, left(c.relname::text, 9) = 'task_wait'
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and c.relname ~ '^task_(init|wait)_' and c.oid > ?::bigint::oid

-- list begun objects
select key from "rota"."archive" where tenant = ?

-- list erased tenants
select e.tenant, extract(epoch from now() - e.finished_at)::bigint from "rota"."erasure" e
 where e.finished_at > now() - interval '7 days'
   and not exists (select 1 from "rota"."tenant" t where t.number = e.tenant)
 order by e.tenant

-- list errors
with sums as materialized (
       select e.fingerprint, e.kind, max(e.hour) as hour, sum(e.failed)::bigint as failed,
              sum(e.dead)::bigint as dead
         from "rota"."error_statistic" e
        where e.hour > ?::timestamptz - interval '1 hour' and e.hour < ?::timestamptz
          and (?::text is null or e.kind = ?::text)
        group by e.fingerprint, e.kind
        order by sum(e.failed + e.dead) desc, e.kind, e.fingerprint limit ?)
select s.fingerprint, s.kind, l.error, s.failed, s.dead, l.last_at, t.name, l.last_task
  from sums s
  join "rota"."error_statistic" l on l.hour = s.hour and l.kind = s.kind and l.fingerprint = s.fingerprint
  left join "rota"."tenant" t on t.number = l.last_tenant
 order by s.failed + s.dead desc, s.kind, s.fingerprint

-- list errors of tenant
with sums as materialized (
       select e.fingerprint, e.kind, max(e.hour) as hour, sum(e.failed)::bigint as failed,
              sum(e.dead)::bigint as dead, max(e.tenant) as tenant
         from "rota"."tenant_error" e
        where e.tenant = ? and e.hour > ?::timestamptz - interval '1 hour' and e.hour < ?::timestamptz
          and (?::text is null or e.kind = ?::text)
        group by e.fingerprint, e.kind
        order by sum(e.failed + e.dead) desc, e.kind, e.fingerprint limit ?)
select s.fingerprint, s.kind, a.error, s.failed, s.dead, l.last_at, null::text, l.last_task
  from sums s
  join "rota"."tenant_error" l on l.tenant = s.tenant and l.hour = s.hour and l.kind = s.kind
   and l.fingerprint = s.fingerprint
  join "rota"."error_statistic" a on a.hour = s.hour and a.kind = s.kind and a.fingerprint = s.fingerprint
 order by s.failed + s.dead desc, s.kind, s.fingerprint

-- list expired archive
select a.tenant, a.seq, a.key from "rota"."archive" a
 where a.expired_at is not null
   and not exists (select 1 from "rota"."tenant" t where t.number = a.tenant and t.legal_hold)
   and (a.tenant, a.seq) not in (select * from unnest(?::int[], ?::int[]))
 order by a.expired_at limit 100

-- list graphs
select g.id, g.created_at, n.state, count(n.id)
  from "rota_7"."task_graph_7" g
  left join "rota_7"."task_node_7" n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
 where g.id = any (array(select id from "rota_7"."task_graph_7" order by id desc limit ?))
 group by g.id, n.state order by g.id desc

-- list holders
select s.tenant, s.kind, s.worker, w.host, s.held, w.heartbeat_at > now() - w.lease
  from "rota"."share" s join "rota"."worker" w on w.id = s.worker
 where (s.tenant, s.kind) in (select * from unnest(?::integer[], ?::text[])) and s.held > 0
 order by s.held desc, s.worker

-- list hours of ledger
select b.tenant, b.segment,
       extract(epoch from date_bin('1 hour', b.closed_at, timestamptz 'epoch'))::bigint,
       s.seq is not null and s.dropped_at is null
  from "rota"."task_batch_1" b
  join "rota"."tenant" t on t.number = b.tenant
  left join "rota"."segment" s on s.tenant = b.tenant and s.seq = b.segment
 where b.run_micros is not null and b.bytes is not null
   and b.closed_at >= ?::timestamptz and b.closed_at < ?::timestamptz
 group by 1, 2, 3, 4

-- list ledger segments
select s.seq,
       floor(extract(epoch from now()) * 1000 / p.millis)
         - floor(extract(epoch from s.opened_at) * 1000 / p.millis),
       coalesce(s.sealed_at <= now() - p.keep * interval '1 millisecond'
                and s.metered_at is not null, false)
  from "rota"."ledger_segment" s cross join (values (?::bigint, ?::float8)) as p (millis, keep)
 order by s.seq

-- list ledger segments
select seq from "rota"."ledger_segment"
 where metered_at is null
   and (sealed_at <= now() - ?::float8 * interval '1 millisecond'
        or sealed_at > now() + interval '1 minute')
 order by seq

-- list ledger segments
select seq from "rota"."ledger_segment"
 where metered_at is null and opened_at < ?::timestamptz + interval '1 day' order by seq

-- list ledger segments
select seq from "rota"."ledger_segment" order by seq

-- list newer ledger segments
select s.seq from "rota"."ledger_segment" s
 where s.seq >= ?::integer or s.seq = any (?::integer[]) order by s.seq

-- list nodes
select n.id, n.state, h.kind,
       array(select e.child from "rota_7"."task_edge_7" e
              where e.parent = n.id and e.child >= g.first_id and e.child <= g.last_id
              order by e.child limit ?)
  from "rota_7"."task_graph_7" g
  join "rota_7"."task_node_7" n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
  left join "rota_7"."task_held_7" h on h.id = n.id
 where g.id = ? and n.id > ?
 order by n.id limit ?

-- list objects to erase
select name from "rota"."erasure_part"
 where tenant = ? and kind = 'object' and removed_at is null order by name

-- list open batches
select b.seq, b.id from "rota"."task_batch" b where b.closed_at is null

-- list open work
with open as materialized (
       select b.tenant, b.worker, b.id, b.tasks, b.claimed_at from "rota"."task_batch_1" b where b.closed_at is null),
     means as materialized (
       select s.tenant, sum(s.run_micros)::float8
                / nullif(sum(s.done + s.failed + s.dead + s.cancelled), 0)::float8 as micros
         from "rota"."statistic" s
        where s.tenant = any (array(select distinct o.tenant from open o))
          and s.hour >= date_bin('1 hour', now(), timestamptz 'epoch') - interval '1 hour'
        group by s.tenant)
select o.tenant, o.worker, o.tasks, (extract(epoch from o.claimed_at) * 1000000)::bigint,
       coalesce(m.micros, -1)
  from open o left join means m on m.tenant = o.tenant
 order by o.tenant, o.worker, o.claimed_at, o.id

-- list parked tenants
select t.number, t.name, t.closed from "rota"."tenant" t where t.parked_at is not null

-- list planned schedules
select s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
(extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority
from "rota"."schedule" s where s.id > ? and not s.paused and s.run_at > now() order by s.id limit ?

-- list pools served
select distinct coalesce(w.rules, 0), w.pools, null::text[]
  from "rota"."worker" w where w.heartbeat_at > now() - w.lease

-- list processes
select w.id, w.host, w.started_at, w.heartbeat_at > now() - w.lease,
       (extract(epoch from now() - w.heartbeat_at) * 1000000)::bigint,
       (extract(epoch from w.lease) * 1000000)::bigint,
       coalesce(o.tasks, 0), coalesce(o.batches, 0), w.pools, w.kinds, w.left_kinds
  from "rota"."worker" w
  left join (select b.worker, sum(b.tasks)::bigint as tasks, count(*) as batches
               from "rota"."task_batch_1" b where b.closed_at is null group by b.worker) o on o.worker = w.id
 order by 4 desc, w.started_at, w.id limit 1000

-- list relations of tenant
select c.relname, c.relkind = 'v'
  from (values (?::text, ?::integer)) as t (schema, number)
  join pg_catalog.pg_class c on c.relnamespace = to_regnamespace(t.schema)
 where case c.relkind
       when 'r' then c.relname ~ ('^task_((init|hist)_' || t.number || '_[0-9]+|'
         || '(wait|key|assignment|free|graph|node|edge|held|spread)_' || t.number || ')$')
       when 'v' then c.relname ~ ('^task_(init|hist)_' || t.number || '$')
       else false end
 order by c.relname collate "C"

-- list running batches
select b.id, coalesce(t.name, ''), b.worker, b.tasks,
       (extract(epoch from now() - b.claimed_at) * 1000000)::bigint
  from (select o.id, o.tenant, o.worker, o.tasks, o.claimed_at from "rota"."task_batch_1" o
         where o.closed_at is null order by o.claimed_at, o.id limit ?) b
  left join "rota"."tenant" t on t.number = b.tenant
 order by b.claimed_at, b.id

-- list schedules
select s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
(extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority
from "rota"."schedule" s where s.tenant = ? order by s.name collate "C"

-- list schedules of all
select s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
(extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority, t.name
from "rota"."tenant" t join "rota"."schedule" s on s.tenant = t.number
 where (?::text is null or position(lower(?::text) in lower(s.name)) > 0
        or position(lower(?::text) in lower(t.name)) > 0)
   and (?::text is null or (t.name collate "C", s.name collate "C") > (?::text, ?::text))
 order by t.name collate "C", s.name collate "C" limit ?

-- list segments
select seq from "rota"."segment" where tenant = ? and dropped_at is null order by seq

-- list sharded workers
select w.id, w.pools from "rota"."worker" w
 where w.shards is not null and w.heartbeat_at > now() - w.lease

-- list tables of tenant
select c.relname from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ? and c.relkind = 'r'

-- list tables to erase
select c.relname, c.relkind::text
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ? and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
 order by c.oid

-- list tables to explain
select c.relname::text, pg_stat_get_live_tuples(c.oid)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ?::text and c.relkind = 'r' and c.relname ~ '^task_(init|wait|held|key)_'
 order by c.relname collate "C"

-- list tenants of kind
with hours as materialized (
       select k.hour, row_number() over (order by k.hour desc) as place from "rota"."kind_statistic" k
        where k.kind = ? and k.hour > ?::timestamptz - interval '1 hour' and k.hour < ?::timestamptz),
     newest as materialized (
       select count(*) as rows from "rota"."statistic" s
        where s.hour = any (array(select h.hour from hours h where h.place <= 2)) and s.kind = ?
        group by s.hour),
     chosen as materialized (
       select h.hour from hours h
        where h.place <= greatest(1, ?::bigint / (select greatest(1, max(n.rows)) from newest n)))
select t.name, s.done, s.failed, s.dead, s.cancelled, (sum(s.ended) over ())::bigint,
       (select min(c.hour) from chosen c)
  from (select a.tenant, sum(a.done)::bigint as done, sum(a.failed)::bigint as failed,
               sum(a.dead)::bigint as dead, sum(a.cancelled)::bigint as cancelled,
               sum(a.done + a.failed + a.dead + a.cancelled)::bigint as ended
          from "rota"."statistic" a
         where a.hour = any (array(select c.hour from chosen c)) and a.kind = ?
         group by a.tenant) s
  join "rota"."tenant" t on t.number = s.tenant
 where s.ended > 0
 order by s.ended desc, t.name limit ?

-- list tenants with error
select t.name, s.failed, s.dead
  from (select e.tenant, sum(e.failed)::bigint as failed, sum(e.dead)::bigint as dead
          from "rota"."tenant_error" e
         where e.fingerprint = ? and e.hour > ?::timestamptz - interval '1 hour'
           and e.hour < ?::timestamptz and (?::text is null or e.kind = ?::text)
         group by e.tenant) s
  join "rota"."tenant" t on t.number = s.tenant
 where ?::text is null or t.name = ?::text collate "C"
 order by s.dead desc, t.name limit ?

-- list tenants with tables
select t.number, t.name, t.closed, t.tables_made, cardinality(t.priorities), t.rotated_at
  from "rota"."tenant" t where t.parked_at is null

-- list used rates
select r.place - 1, b.last_at + r.step * interval '1 microsecond'
  from unnest(?::integer[], ?::text[], ?::float8[]) with ordinality as r (tenant, kind, step, place)
  join "rota"."bucket" b on b.tenant = r.tenant and b.kind = r.kind
 where b.last_at + r.step * interval '1 microsecond' > clock_timestamp()

-- list workers
select w.host, w.heartbeat_at > now() - w.lease, extract(epoch from now() - w.heartbeat_at)::float8,
       coalesce(w.rules, 0), w.pools, w.kinds
  from "rota"."worker" w order by w.heartbeat_at desc limit ?::integer

-- lock budgets
select b.kind from "rota"."budget" b
 where (b.tenant, b.kind) in (select * from unnest(?::integer[], ?::text[]))
 order by b.tenant, b.kind for no key update

-- lock dead worker
select w.id from "rota"."worker" w where w.id = ? and (extract(epoch from w.heartbeat_at) * 1000000)::bigint = ? for update skip locked

-- lock dead workers
select w.id from "rota"."worker" w join unnest(?::bigint[], ?::bigint[]) as u (id, heartbeat) on u.id = w.id where (extract(epoch from w.heartbeat_at) * 1000000)::bigint = u.heartbeat for update of w skip locked

-- lock for export
lock table "rota_7"."task_init_7_0" in access share mode

-- lock import
select importing from "rota"."tenant" where number = ? for no key update

-- lock ledger segment
lock table "rota"."task_batch_1" in access exclusive mode

-- lock membership
select pg_advisory_xact_lock(1, ?)

-- lock nodes
select count(*) from (
  select n.id from "rota_7"."task_node_7" n
   where n.id = any (array(
         select unnest(?::bigint[])
         union all
         select e.child from "rota_7"."task_edge_7" e where e.parent = any (?::bigint[])))
   order by n.id for no key update) as locked

-- lock out archivers
select pg_try_advisory_xact_lock(?, ?)

-- lock out other migrations
select pg_advisory_xact_lock(1, 0)

-- lock parents
select id, state from "rota_7"."task_node_7" where id = any (?::bigint[]) order by id for share

-- lock rules
select version from "rota"."rule_version" for update

-- lock schedule
select s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
(extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority
from "rota"."schedule" s where s.tenant = ? and s.name = ?::text collate "C" for update of s

-- lock segment
lock table "rota_7"."task_hist_7_1" in share mode

-- lock segment pointer
select current_segment from "rota"."tenant" where number = ? for update

-- lock segment to meter
lock table "rota"."task_batch_1" in share row exclusive mode

-- lock slot
lock table "rota_7"."task_init_7_0" in access exclusive mode

-- lock slot pointer
select lane_slots[?], current_setting('transaction_isolation')
  from "rota"."tenant" where number = ? for update

-- lock table to erase
lock table "rota_7"."task_init_7_0" in access exclusive mode

-- lock tables of tenant
lock table "rota_7"."task_init_7_0" in access exclusive mode

-- lock tenant to erase
select t.closed, t.legal_hold, to_regclass(?) is not null,
       (select count(*) from "rota"."archive" a where a.tenant = t.number)
  from "rota"."tenant" t where t.number = ? for update of t

-- lock tenant to park
select park_at <= now(), current_setting('transaction_isolation')
  from "rota"."tenant" where number = ? and parked_at is null for update

-- locked
select distinct l.relation::bigint from pg_locks l
 where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.relation::bigint = any (?::bigint[])

-- look at shares
select u.place, coalesce(sum(s.held), 0)::integer, count(*) filter (where s.wanted),
       count(*) filter (where s.wanted or s.held > 0), count(*) filter (where s.idle)
  from unnest(?::integer[], ?::text[]) with ordinality as u (tenant, kind, place)
  left join "rota"."share" s on s.tenant = u.tenant and s.kind = u.kind and s.worker <> ?::bigint
 group by u.place order by u.place

-- look briefly
select set_config('statement_timeout', ?, true)

-- look for a daemon
select exists (select 1 from pg_locks l
                where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
                  and l.database = (select d.oid from pg_database d
                                     where d.datname = current_database())
                  and l.classid::bigint = (?::bigint & 4294967295)
                  and l.objid::bigint = (?::bigint & 4294967295))

-- look for a legal hold
select t.number from "rota"."tenant" t join "rota"."archive" a on a.tenant = t.number
 where t.number = ? and a.seq = ? and a.sha256 = ? and a.archived_at is not null
   and a.expired_at is null and not t.legal_hold
   for update of a

-- look for additions
select a.what
  from (values (?::text, ?::integer)) as t (schema, number)
  join pg_catalog.pg_class c on c.relnamespace = to_regnamespace(t.schema)
 cross join lateral (
       select 'relation ' || c.relname || ', which Rota did not make'
        where c.relkind not in ('i', 'I') and not case c.relkind
       when 'r' then c.relname ~ ('^task_((init|hist)_' || t.number || '_[0-9]+|'
         || '(wait|key|assignment|free|graph|node|edge|held|spread)_' || t.number || ')$')
       when 'v' then c.relname ~ ('^task_(init|hist)_' || t.number || '$')
       else false end
        union all
       select 'a grant to ' || coalesce(quote_ident(r.rolname), 'public') || ' on ' || c.relname
         from aclexplode(c.relacl) g left join pg_roles r on r.oid = g.grantee
        where g.grantee <> c.relowner
          and not exists (
                select 1 from pg_default_acl d cross join aclexplode(d.defaclacl) x
                 where d.defaclrole = c.relowner and d.defaclobjtype = 'r'
                   and d.defaclnamespace in (0, c.relnamespace)
                   and x.grantee = g.grantee and x.privilege_type = g.privilege_type
                   and x.is_grantable = g.is_grantable)
        union all
       select 'a grant on column ' || c.relname || '.' || a.attname
         from pg_attribute a where a.attrelid = c.oid and a.attacl is not null
        union all
       select 'trigger ' || t.tgname || ' on ' || c.relname
         from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
        union all
       select 'rule ' || w.rulename || ' on ' || c.relname
         from pg_rewrite w where w.ev_class = c.oid and w.rulename <> '_RETURN'
        union all
       select 'policy ' || p.polname || ' on ' || c.relname
         from pg_policy p where p.polrelid = c.oid
        union all
       select 'index ' || x.relname || ' on ' || c.relname
         from pg_index i join pg_class x on x.oid = i.indexrelid
        where i.indrelid = c.oid
          and x.relname !~ ('^task_((graph|node|edge|held|spread)_' || t.number || '_pkey'
                            || '|wait_' || t.number || '_(run_at|key)_idx'
                            || '|key_' || t.number || '_(pkey|free_at_idx)'
                            || '|(assignment|free)_' || t.number || '_(pkey|worker_pool_key))$')
        union all
       select 'constraint ' || k.conname || ' of ' || c.relname
         from pg_constraint k where k.conrelid = c.oid and k.contype in ('c', 'f', 'x')
        union all
       select 'the replica identity of ' || c.relname where c.relkind = 'r' and c.relreplident <> 'd'
        union all
       select 'view ' || v.oid::regclass || ' on ' || c.relname
         from pg_depend d join pg_rewrite w on w.oid = d.objid join pg_class v on v.oid = w.ev_class
        where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
          and d.refobjid = c.oid and v.relnamespace <> c.relnamespace
        union all
       select 'publication ' || p.pubname || ' of ' || c.relname
         from pg_publication_rel m join pg_publication p on p.oid = m.prpubid
        where m.prrelid = c.oid) as a (what)
 where c.relname !~ ('^task_archive_' || t.number || '(_[0-9]+)?$')
 union all
select 'no function make: run rota migrate'
 where not exists (select 1 from pg_proc p
                    where p.pronamespace = to_regnamespace(?) and p.proname = 'make')
 limit 1

-- look for an erasure
select name from "rota"."erasure" where tenant = ?

-- look for any cancel request
select 1 from "rota"."cancel_request" limit 1

-- look for archived file
select 1 from "rota"."archive" where tenant = ? and seq = ? and expired_at is null

-- look for archived segment
select key, bytes, sha256, archived_at is not null and expired_at is null
  from "rota"."archive" where tenant = ? and seq = ?

-- look for batches to archive
select t.number, t.name, s.seq from "rota"."task_batch_1" b
  join "rota"."segment" s on s.tenant = b.tenant and s.seq = b.segment
  join "rota"."tenant" t on t.number = s.tenant
  left join "rota"."archive" a on a.tenant = s.tenant and a.seq = s.seq
 where (select ?::boolean or exists (select 1 from "rota"."tenant" where archive))
   and s.dropped_at is null and coalesce(t.archive, ?::boolean) and a.sha256 is null
 limit 1

-- look for cancel requests
select batch, task from "rota"."cancel_request" where worker = ?

-- look for erased tenant
select e.begun_at, e.finished_at from "rota"."erasure" e where e.name = ?::text
 order by e.begun_at desc limit 1

-- look for gates
select distinct l.virtualtransaction from pg_locks l
 where l.locktype = 'advisory' and l.classid::bigint = ?::bigint & 4294967295 and l.objsubid = 2
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.granted and (?::integer[] is null or l.objid::bigint = any (?::integer[]))

-- look for handled kinds
select distinct s.kind from "rota"."statistic" s
 where s.hour >= date_bin('1 hour', now(), timestamptz 'epoch') - interval '1 hour'

-- look for idle tenants
select number from "rota"."tenant"
 where parked_at is null and park_at <= now() and number <> all (?::int[])
 order by park_at limit ?

-- look for idle tenants
select t.number from "rota"."tenant" t
 where t.parked_at is null and t.importing is not true
   and exists (select 1 from "rota"."segment" s
                where s.tenant = t.number and s.seq = t.current_segment and s.dropped_at is null
                  and s.opened_at <= now() - ?::float8 * interval '1 millisecond')
   and not exists (select 1 from "rota"."segment" s
                    where s.tenant = t.number and s.seq <> t.current_segment
                      and s.dropped_at is null)
   and not exists (select 1 from "rota"."schedule" s where s.tenant = t.number)
   and not exists (select 1 from "rota"."assignment_pool" p where p.tenant = t.number)
   and not exists (select 1 from "rota"."task_batch_1" b where b.tenant = t.number and b.closed_at is null)
   and t.park_at is null and t.number > ?
 order by t.number limit ?

-- look for large tasks
select exists (select 1 from "rota_7"."task_wait_7"
                where run_at <= now() and octet_length(payload) > 7000)

-- look for leader
select l.pid from pg_locks l
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.classid::bigint = (?::bigint & 4294967295)
   and l.objid::bigint = (?::bigint & 4294967295)

-- look for membership
select pg_catalog.format('grant %I to %I', g.role, g.member)
  from (values (?::text, ?::text)) as g (role, member)
 where not pg_catalog.pg_has_role(g.member, g.role, 'USAGE')

-- look for membership
select pg_catalog.format('grant %I to %I', g.role, session_user)
  from (values (?::text)) as g (role)
 where not pg_catalog.pg_has_role(session_user, g.role, 'USAGE')

-- look for migrations
select has_table_privilege(to_regclass(?)::oid, 'select')

-- look for old task
select exists (select 1 from "rota_7"."task_init_7_0" t where t.created_at < now() - ?::bigint * interval '1 microsecond')

-- look for open batches
select b.id from "rota"."task_batch_1" b
 where b.closed_at is null and b.tenant = ? and b.segment = ? limit 1

-- look for open batches
select exists (select 1 from "rota"."task_batch_1" where closed_at is null)

-- look for open batches
select id from "rota"."task_batch_1" where closed_at is null limit 1

-- look for outdated tenants
with tenant as (
       select r.number, n.oid as schema,
              pg_catalog.to_regclass(
                pg_catalog.format('%I.%I', n.nspname, 'task_wait_' || r.number::text)) as waiting,
              pg_catalog.to_regclass(
                pg_catalog.format('%I.%I', n.nspname, 'task_hist_' || r.number::text)) as history
         from "rota"."tenant" r
         join pg_namespace n on n.nspname = ?::text || '_' || r.number::text
        where r.parked_at is null and (?::integer is null or r.number = ?::integer)),
     lacking as (
       select t.number,
              not exists (select 1 from pg_attribute a
                           where a.attrelid = t.waiting and a.attname = 'lane') as columns,
              (select pg_catalog.count(*) from pg_proc p
                where p.pronamespace = t.schema and p.proname in ('enqueue', 'make')) < 2
                as functions,
              not exists (select 1 from pg_attribute a
                           where a.attrelid = t.history and a.attname = 'headers') as views
         from tenant t where t.waiting is not null)
select l.number, l.columns, l.functions, l.views from lacking l
 where l.columns or l.functions or l.views order by l.number

-- look for renamed tenant
select t.name from "rota"."tenant" t where t.former_name = ?::text order by t.renamed_at desc limit 1

-- look for roles
select rolname, rolsuper from pg_roles where rolname = any (?::text[])

-- look for room
select u.number, r.allowed, r.pending
  from unnest(?::integer[]) as u (number), lateral "rota"."room"(u.number) r
 where r.allowed is not null

-- look for rows of batches
select h.batch_id, count(*), array_agg(h.state) filter (where h.id = ?::bigint)
  from "rota_7"."task_hist_7_1" h where h.batch_id = any (?::bigint[]) group by h.batch_id

-- look for running tasks
select count(*),
       count(*) filter (where h.state = 0 and (?::text is null or h.kind = ?::text)
                          and (?::integer is null or coalesce(h.lane, 0) = ?::integer))
  from "rota_7"."task_hist_7_1" h
 where h.ctid >= ?::tid and h.ctid < ?::tid and h.batch_id = ?::bigint

-- look for segment
select (extract(epoch from opened_at) * 1000000)::bigint,
       (extract(epoch from sealed_at) * 1000000)::bigint from "rota"."segment"
 where tenant = ? and seq = ? and dropped_at is null

-- look for tables
select count(*) from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = ? and c.relname = ?

-- look for tables that are gone
select u.oid
  from unnest(?::bigint[], ?::text[], ?::text[]) as u (oid, schema, name)
 where not exists (select 1 from pg_catalog.pg_class c
                     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                    where c.oid = u.oid::oid and c.relname = u.name
                      and n.nspname = u.schema)

-- look for tasks
select u.oid from unnest(?::bigint[]) as u (oid) where pg_relation_size(u.oid::oid) > 0

-- look for tasks that stayed dead
select count(*) from "rota_7"."task_hist_7_1" h
 where h.ctid = any (?::text[]::tid[]) and h.state = 3

-- look for tenants of an archive
select number, name from "rota"."tenant" where number = any (?::integer[]) order by number

-- look for the holder of archived files
select t.name from "rota"."archive" a join "rota"."tenant" t on t.number = a.tenant
 where starts_with(a.key, ?) and t.name <> ? limit 1

-- look for the last task
(select null::bigint, 0, 0::bigint, 0::bigint, 0 from "rota_7"."task_init_7" where id = ? limit 1)
union all
select b.id, b.segment, b.first_block, b.last_block, b.tasks from "rota"."task_batch_1" b
 where b.tenant = ? and b.closed_at is null

-- look for unknown kinds
select kind from "rota_7"."task_init_7_0" where ctid >= '(0,0)'::tid and (kind is null or kind <> all (?::text[])) limit 1

-- look for wait tables
select u.place from unnest(?::text[]) with ordinality as u (name, place)
 where pg_relation_size(to_regclass(u.name)) > 0 order by u.place

-- look for waiting tasks
select exists (select 1 from "rota_7"."task_wait_7")

-- look for worker
select b.id from "rota"."task_batch_1" b
 where b.id = ? and not exists (select 1 from "rota"."worker" w where w.id = b.worker)

-- look into a batch
select h.batch_id, count(*), array_agg(h.state) filter (where h.id = ?::bigint)
  from "rota_7"."task_hist_7_1" h where h.batch_id = any (?::bigint[]) and h.ctid >= ?::tid and h.ctid < ?::tid group by h.batch_id

-- look into slot
select 1 from "rota_7"."task_init_7_0" limit 1

-- look into table
select 1 from "rota_7"."task_init_7_0" limit 1

-- look up a transaction
select pg_xact_status(?::text::xid8)

-- look up batches
select id from "rota"."task_batch_1"
 where id = any (?::bigint[]) and worker = ?::bigint and ended = ?::smallint

-- look up grants
select pg_catalog.format('grant %s on %I.%I to %I', pg_catalog.string_agg(p.privilege, ', '),
              n.nspname, c.relname, g.role),
       n.nspname
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text, ?::text[])) as g (role, privileges)
 cross join pg_catalog.unnest(g.privileges) as p (privilege)
 where n.nspname ~ ?::text and c.relname ~ ?::text and c.relkind in ('r', 'v')
   and not pg_catalog.has_table_privilege(g.role, c.oid, p.privilege)
 group by n.nspname, c.relname, g.role

-- look up grants
select pg_catalog.format('grant %s on %s to %s', a.privilege_type, ?::text,
                         coalesce(pg_catalog.quote_ident(r.rolname), 'public'))
  from pg_class c
 cross join pg_catalog.aclexplode(c.relacl) a
  left join pg_roles r on r.oid = a.grantee
 where c.oid = ?::text::regclass and a.grantee <> c.relowner

-- look up grants
select pg_catalog.format('grant %s on database %I to %I', g.privilege,
                         pg_catalog.current_database(), g.role)
  from unnest(?::text[], ?::text[]) as g (role, privilege)
 where not pg_catalog.has_database_privilege(g.role, pg_catalog.current_database(), g.privilege)

-- look up grants
select pg_catalog.format('grant %s on schema %I to %I', g.privilege, n.nspname, g.role), n.nspname
  from pg_namespace n
 cross join (values (?::text, ?::text)) as g (role, privilege)
 where n.nspname ~ ?::text and not pg_catalog.has_schema_privilege(g.role, n.oid, g.privilege)

-- look up grants
select pg_catalog.format('grant execute on function %I.%I(%s) to %I', n.nspname, p.proname,
              pg_catalog.pg_get_function_identity_arguments(p.oid), g.role),
       n.nspname
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ?::text and p.proname ~ ?::text and p.pronargs >= ?::integer
   and not pg_catalog.has_function_privilege(g.role, p.oid, 'EXECUTE')

-- look up grants
select pg_catalog.format('grant update (plan) on %I.%I to %I', n.nspname, c.relname, g.role)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ?::text and c.relname = 'tenant'
   and not pg_catalog.has_column_privilege(g.role, c.oid, 'plan', 'UPDATE')

-- look up grants
select pg_catalog.format('grant usage on sequence %I.%I to %I', n.nspname, c.relname, g.role)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
 cross join (values (?::text)) as g (role)
 where n.nspname ~ ?::text and c.relname ~ ?::text and c.relkind = 'S'
   and not pg_catalog.has_sequence_privilege(g.role, c.oid, 'USAGE')

-- look up owners
select n.nspname, t.number
  from "rota"."tenant" t
  join pg_namespace n on n.nspname = ?::text || '_' || t.number::text

-- look up owners
select pg_catalog.format('alter %s %I.%I owner to %I',
              case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
              n.nspname, c.relname, o.rolname),
       n.nspname, pg_catalog.pg_get_userbyid(c.relowner)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_roles o on o.rolname = ?::text
 where n.nspname ~ ?::text and c.relname ~ ?::text and c.relkind in ('r', 'v', 'S')
   and c.relowner <> o.oid
   and not exists (select 1 from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid
                      and d.deptype = 'i' and c.relkind = 'S')

-- look up owners
select pg_catalog.format('alter function %I.%I(%s) owner to %I', n.nspname, p.proname,
              pg_catalog.pg_get_function_identity_arguments(p.oid), o.rolname),
       n.nspname, pg_catalog.pg_get_userbyid(p.proowner)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  join pg_roles o on o.rolname = ?::text
 where n.nspname ~ ?::text and p.proname ~ ?::text and p.proowner <> o.oid

-- look up owners
select pg_catalog.format('alter schema %I owner to %I', n.nspname, o.rolname), n.nspname,
       pg_catalog.pg_get_userbyid(n.nspowner)
  from pg_namespace n join pg_roles o on o.rolname = ?::text
 where n.nspname ~ ?::text and n.nspowner <> o.oid

-- look up owners
select r.rolname
  from pg_roles r
 where r.rolname = session_user or r.rolname = any (?::text[])
       or pg_catalog.has_table_privilege(r.oid, ?::text, 'INSERT')

-- look up tables
select coalesce(to_regclass(u.name)::oid, 0)::bigint
  from unnest(?::text[]) with ordinality as u (name, place) order by u.place

-- look whether an object may be deleted
select a.seq from "rota"."archive" a
 where a.tenant = ? and a.seq = ? and a.expired_at is not null
   and not exists (select 1 from "rota"."tenant" t where t.number = a.tenant and t.legal_hold)

-- look whether idle
select t.number from "rota"."tenant" t
 where t.parked_at is null and t.importing is not true
   and exists (select 1 from "rota"."segment" s
                where s.tenant = t.number and s.seq = t.current_segment and s.dropped_at is null
                  and s.opened_at <= now() - ?::float8 * interval '1 millisecond')
   and not exists (select 1 from "rota"."segment" s
                    where s.tenant = t.number and s.seq <> t.current_segment
                      and s.dropped_at is null)
   and not exists (select 1 from "rota"."schedule" s where s.tenant = t.number)
   and not exists (select 1 from "rota"."assignment_pool" p where p.tenant = t.number)
   and not exists (select 1 from "rota"."task_batch_1" b where b.tenant = t.number and b.closed_at is null) and t.number = ?

-- look whether it is still to be archived
select 1 from "rota"."archive"
 where tenant = ? and seq = ? and archived_at is null and expired_at is null

-- look whether segment is empty
select 1 from "rota_7"."task_hist_7_1" limit 1

-- make buckets
insert into "rota"."bucket" (owner, kind, last_at)
select nullif(u.tenant, 0), u.kind, '2000-01-01 00:00:00+00'
  from unnest(?::integer[], ?::text[]) as u (tenant, kind)
 where u.tenant = 0 or exists (select 1 from "rota"."tenant" t where t.number = u.tenant)
 order by u.tenant, u.kind
on conflict (tenant, kind) do nothing

-- make budgets
insert into "rota"."budget" (owner, kind)
select nullif(u.tenant, 0), u.kind
  from unnest(?::integer[], ?::text[]) as u (tenant, kind)
 where u.tenant = 0 or exists (select 1 from "rota"."tenant" t where t.number = u.tenant)
 order by u.tenant, u.kind
on conflict (tenant, kind) do nothing

-- make tables
select "rota"."open_tenant"(?)

-- make wide
select "rota_7"."make"('wide')

-- mark
update "rota_7"."task_hist_7_1" h set state = u.state, error = u.error, finished_at = now()
  from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::smallint[], ?::text[],
              ?::bigint[]) as u (place, batch, id, state, error, pause)
 where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0

-- mark expired archive
with recursive known (tenant) as (
       select min(tenant) from "rota"."archive"
       union all
       select (select min(a.tenant) from "rota"."archive" a where a.tenant > k.tenant)
         from known k where k.tenant is not null),
     due (place) as (
       select a.place
         from known k
        cross join lateral (select a.ctid as place from "rota"."archive" a
                             where a.tenant = k.tenant and a.expired_at is null
                             order by a.sealed_at limit 100) a
        where not exists (select 1 from "rota"."tenant" t where t.number = k.tenant)
       union all
       select a.place
         from "rota"."tenant" t
        cross join (values (?::float8 * interval '1 millisecond',
                            ?::float8 * interval '1 millisecond')) as p (keep, trusted)
        cross join lateral (select a.ctid as place from "rota"."archive" a
                             where a.tenant = t.number and a.expired_at is null
                               and a.sealed_at <= now() - coalesce(t.keep_archive, p.keep)
                               and not exists (
                                 select 1 from "rota"."segment" s
                                  where s.tenant = t.number and s.seq = a.seq
                                    and s.dropped_at is null)
                             order by a.sealed_at limit 100) a
        where not t.legal_hold and coalesce(t.keep_archive, p.keep) <= p.trusted
       union all
       select a.ctid
         from "rota"."archive" a
         join "rota"."tenant" t on t.number = a.tenant and not t.legal_hold
        where a.archived_at is null and a.expired_at is null
          and not exists (select 1 from "rota"."segment" s
                           where s.tenant = a.tenant and s.seq = a.seq
                             and s.dropped_at is null))
update "rota"."archive" a set expired_at = now()
 where a.ctid = any (array(select d.place from due d)) and a.expired_at is null

-- mark ledger
select s.seq, pg_relation_size(c.oid) / current_setting('block_size')::bigint,
       (extract(epoch from now()) * 1000000)::bigint
  from "rota"."ledger_segment" s
  join pg_catalog.pg_namespace n on n.nspname = ?::text
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'task_batch_' || s.seq
 order by s.seq desc limit 1

-- measure segments
select coalesce(pg_relation_filenode(t.oid), 0)::bigint,
       coalesce(pg_relation_size(t.oid), 0) / current_setting('block_size')::bigint,
       coalesce(pg_stat_get_live_tuples(t.oid), 0),
       coalesce((select c.reltuples from pg_catalog.pg_index i
                   join pg_catalog.pg_class c on c.oid = i.indexrelid
                  where i.indrelid = t.oid and i.indpred is not null and i.indisvalid limit 1),
                -1)::bigint
  from (select to_regclass(u.name) as oid, u.place from unnest(?::text[]) with ordinality as u (name, place)) t
 order by t.place

-- measure slots
select coalesce(pg_relation_size(to_regclass(u.name)), 0)
       / current_setting('block_size')::bigint
  from unnest(?::text[]) with ordinality as u (name, place) order by u.place

-- meter segment
with counted as materialized (
       select b.tenant, date_bin('1 hour', b.closed_at, timestamptz 'epoch') as hour,
              sum(b.attempts) as attempts, sum(b.run_micros) as run_micros,
              sum(b.bytes) as bytes, sum(case when b.ended = 2 then b.tasks - b.attempts else 0 end) as lost,
              max(b.closed_at) as last
         from "rota"."task_batch_1" b join "rota"."tenant" t on t.number = b.tenant
        where b.run_micros is not null and b.bytes is not null
          and exists (select 1 from "rota"."ledger_segment" where seq = ?::int and metered_at is null)
        group by 1, 2),
     added as (
       insert into "rota"."usage" as u (tenant, hour, attempts, run_micros, bytes, lost)
       select tenant, hour, attempts, run_micros, bytes, lost from counted
        order by tenant, hour
       on conflict (tenant, hour) do update
          set attempts = u.attempts + excluded.attempts,
              run_micros = u.run_micros + excluded.run_micros,
              bytes = u.bytes + excluded.bytes,
              lost = u.lost + excluded.lost)
update "rota"."ledger_segment"
   set metered_at = now(), closed_until = (select max(last) from counted)
 where seq = ?::int and metered_at is null

-- move
with moved as (
       update "rota_7"."task_hist_7_1" h set state = 1, finished_at = now()
         from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
                     ?::bigint[]) as u (place, batch, id, kind, payload, pause)
        where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0
       returning h.id, h.parent_id, u.kind, coalesce(u.payload, h.payload) as payload, h.key,
                 h.traits, h.lane, u.pause)
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, now(), parent_id, 0, kind, payload, key, traits
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- move delayed
with moved as (
       update "rota_7"."task_hist_7_1" h set state = 1, finished_at = now()
         from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
                     ?::bigint[]) as u (place, batch, id, kind, payload, pause)
        where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0
       returning h.id, h.parent_id, u.kind, coalesce(u.payload, h.payload) as payload, h.key,
                 h.traits, h.lane, u.pause)
insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select id, now() + pause * interval '1 microsecond', now(), parent_id, 0, kind, payload,
       key, traits, lane
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- move sequence
alter sequence "rota"."task_id" restart with 1

-- move tenant numbers
select setval(s.name::regclass, s.last)
  from (select pg_get_serial_sequence(?, 'number') as name, ?::bigint as last) s
 where coalesce(pg_sequence_last_value(s.name::regclass), 0) < s.last

-- name archived files
update "rota"."archive" set key = regexp_replace(key, '^tenant=[0-9]+/', 'tenant=' || tenant || '/')
 where tenant = ?

-- name tenants
select t.number, t.name from "rota"."tenant" t where t.number = any (?::integer[])

-- next due
select case when min(run_at) is not null then
         (extract(epoch from least(greatest(min(run_at), now() - interval '1 day'),
                                   now() + interval '1 day') - now()) * 1000000)::bigint
       end,
       coalesce(max(run_at) = 'infinity', false)
         or exists (select 1 from "rota_7"."task_wait_7" where run_at is null)
  from "rota_7"."task_wait_7"

-- next schedule
select (extract(epoch from min(run_at) - now()) * 1000000)::bigint, now() from "rota"."schedule"
 where not paused and run_at > now()

-- note archived files
update "rota"."archive" set archived_at = now() where tenant = ? and archived_at is null

-- note archived segment
update "rota"."archive" a
   set bytes = ?, rows = ?, id_sum = ?::numeric, state_sum = ?, sha256 = ?,
       id_from = ?, id_to = ?,
       created_from = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       created_to = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       claimed_from = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       claimed_to = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
       archived_at = now(), trouble = ?
 where tenant = ? and seq = ? and expired_at is null

-- note dropped segment
update "rota"."segment" set dropped_at = now(), rows = ? where tenant = ? and seq = ?

-- note dropped segments
update "rota"."segment" set dropped_at = now(), sealed_at = coalesce(sealed_at, now()), rows = 0
 where tenant = ? and dropped_at is null

-- note erased object
update "rota"."erasure_part" set removed_at = now()
 where tenant = ? and kind = 'object' and name = ?

-- note indexed segments
update "rota"."segment" s set indexed_at = now()
  from unnest(?::int[], ?::int[]) as u (tenant, seq)
 where s.tenant = u.tenant and s.seq = u.seq and s.indexed_at is null and s.dropped_at is null

-- note object to erase
insert into "rota"."erasure_part" (tenant, kind, name, bytes) values (?, 'object', ?, ?)
on conflict (tenant, kind, name) do update set removed_at = null

-- note objects to erase
insert into "rota"."erasure_part" (tenant, kind, name, rows, bytes, sha256)
select tenant, 'object', key, rows, bytes, sha256 from "rota"."archive" where tenant = ?

-- note parked
update "rota"."tenant" set parked_at = now(), park_at = null, postponed_reason = null,
       current_segment = current_segment + 1
 where number = ?

-- note progress
update "rota"."audit" set tasks = ?, seen_at = clock_timestamp() where id = ? and state = 0 returning stop

-- note recovery of the archive
update "rota"."archive" set trouble = null
 where tenant = ? and seq = ? and trouble is not null

-- note restored file
insert into "rota"."archive" (tenant, seq, key, bytes, rows, id_sum, state_sum, sha256,
                       opened_at, sealed_at, id_from, id_to, created_from, created_to,
                       claimed_from, claimed_to, archived_at)
select f.tenant, f.seq, f.key, f.bytes, f.rows, f.id_sum, f.states, f.sha256,
       coalesce(timestamptz 'epoch' + f.opened * f.micro, f.hour),
       coalesce(timestamptz 'epoch' + f.sealed * f.micro,
                greatest(f.hour, timestamptz 'epoch' + f.bounds[7] * f.micro)),
       f.bounds[1], f.bounds[2],
       timestamptz 'epoch' + f.bounds[3] * f.micro,
       timestamptz 'epoch' + f.bounds[4] * f.micro,
       timestamptz 'epoch' + f.bounds[5] * f.micro,
       timestamptz 'epoch' + f.bounds[6] * f.micro, now()
  from (select ?::integer as tenant, ?::integer as seq, ?::text as key, ?::bigint as bytes,
               ?::bigint as rows, ?::numeric as id_sum, ?::bigint as states,
               ?::text as sha256, ?::timestamptz as hour, ?::bigint as opened,
               ?::bigint as sealed, ?::bigint[] as bounds,
               interval '1 microsecond' as micro) f
on conflict (tenant, seq) do nothing

-- note restored ids
update "rota"."tenant" set ids_above = greatest(ids_above, ?) where number = ?

-- note rows to erase
insert into "rota"."erasure_part" (tenant, kind, name, rows, removed_at)
select ?, 'registry', ?, count(*), now() from "rota"."tenant" where "number" = ?
having count(*) > 0

-- note run
update "rota"."schedule" set last_run_at = now(), last_task_id = ?, version = version + 1
 where id = ?

-- note table to erase
insert into "rota"."erasure_part" (tenant, kind, name, rows, bytes, removed_at)
select ?, 'table', ?, (select count(*) from "rota_7"."task_init_7_0"),
       pg_total_relation_size(to_regclass(?)), now()

-- note trouble after an erasure
update "rota"."erasure" set trouble = ?
 where tenant = ? and trouble is distinct from ?

-- note trouble with the archive
update "rota"."archive" set trouble = ?
 where tenant = ? and seq = ? and trouble is distinct from ?

-- notify
select pg_notify(?, ?)

-- open batches
insert into "rota"."task_batch_1" (id, worker, claimed_at, closed_at, first_block, last_block, tenant,
                      segment, tasks, ended, attempts, run_micros, bytes)
select u.id, ?::bigint, now(), now(), u.first_block, u.last_block, u.tenant, u.segment,
       u.tasks, ?::smallint, u.attempts, u.run_micros, u.bytes
  from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[],
              ?::int[], ?::bigint[], ?::bigint[])
       as u (id, first_block, last_block, tenant, segment, tasks, attempts, run_micros, bytes)

-- open batches
insert into "rota"."task_batch_1" (id, worker, claimed_at, first_block, last_block, tenant, segment, tasks,
                      ended, bytes)
select u.id, ?::bigint, now(), u.first_block, u.last_block, u.tenant, u.segment, u.tasks, 0,
       u.bytes
  from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[],
              ?::bigint[])
       as u (id, first_block, last_block, tenant, segment, tasks, bytes)

-- open ledger segment
insert into "rota"."ledger_segment" (seq) values (?)

-- open segment
insert into "rota"."segment" (tenant, seq) values (?, ?)

-- open tenant
select "rota"."open_tenant"(7)

-- pause schedule
update "rota"."schedule" set paused = true, version = version + 1
 where tenant = ? and name = ?::text collate "C"

-- pause scope
insert into "rota"."rule" (tenant, plan, kind, priority, paused_reason, paused_at, paused_until)
values (?::integer, ?::text, ?::text, ?::smallint, ?::text, now(),
        coalesce(now() + ?::bigint * interval '1 microsecond', 'infinity'))
on conflict (coalesce(tenant, 0), coalesce(plan, ''), coalesce(kind, ''),
             coalesce(priority, 32767))
do update set paused_reason = excluded.paused_reason, paused_at = excluded.paused_at,
              paused_until = excluded.paused_until, changed_at = now()

-- pin migration
select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false),
       pg_catalog.set_config('lock_timeout', '5000', true),
       pg_catalog.set_config('standard_conforming_strings', 'on', true)

-- pin settings
select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('lock_timeout', '5000', true), set_config('statement_timeout', '60000', true),
       set_config('idle_in_transaction_session_timeout', '30000', true),
       case when current_setting('search_path') like '%,%pg_catalog%'
            then set_config('search_path', 'pg_catalog', true) end,
       extract(epoch from pg_postmaster_start_time())

-- point to segment
update "rota"."tenant" set current_segment = ? where number = ?

-- postpone rotation
update "rota"."tenant" set postponed = postponed + 1, postponed_reason = ? where number = ?

-- preflight
select 'rules'
  from pg_namespace n
  join pg_class w on w.relnamespace = n.oid and w.relname = 'worker'
  join pg_class r on r.relnamespace = n.oid and r.relname = 'rule'
  join pg_class t on t.relnamespace = n.oid and t.relname = 'tenant'
  join pg_attribute a on a.attrelid = w.oid and a.attname = 'rules' and not a.attisdropped
  join pg_attribute p on p.attrelid = w.oid and p.attname = 'pools' and not p.attisdropped
 where n.nspname = ? and has_schema_privilege(n.oid, 'USAGE')
   and has_table_privilege(w.oid, 'SELECT') and has_table_privilege(r.oid, 'SELECT')
   and has_table_privilege(t.oid, 'SELECT')

-- preflight
select 'standby' where pg_is_in_recovery()

-- preflight
select a.pid, a.application_name, a.usename, a.state,
       extract(epoch from now() - coalesce(a.xact_start, a.state_change))::bigint, count(*)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.classid::bigint = (?::bigint & 4294967295)
   and l.objid::bigint not in (0, 4294967294, 4294967295)
   and (a.state = 'idle' or a.xact_start < now() - interval '1 minute')
 group by a.pid, a.application_name, a.usename, a.state, a.xact_start, a.state_change
 order by a.pid limit 5

-- preflight
select count(*), min(w.host)
  from "rota"."worker" w
 where w.heartbeat_at > now() - w.lease
   and exists (select 1 from "rota"."rule" r
                where coalesce(w.rules, 0) < case when r.pool is null then 1 else 2 end)
having count(*) > 0

-- preflight
select current_setting('server_version_num')::integer, current_setting('server_version')

-- preflight
select e.pool, count(*), min(e.name)
  from (select t.name, coalesce(own.pool, plans.pool) as pool
          from "rota"."tenant" t
          left join "rota"."rule" own on own.tenant = t.number and own.pool is not null
          left join "rota"."rule" plans on plans.plan = t.plan and plans.pool is not null) e
 where e.pool <> 'default'
   and not exists (select 1 from "rota"."worker" w
                    where e.pool = any (w.pools) and w.heartbeat_at > now() - w.lease)
 group by e.pool order by e.pool

-- preflight
select l.per_transaction * (l.connections + l.prepared), l.per_transaction,
       (select count(*) from pg_class c where c.relkind in ('r', 'p')),
       (select coalesce(max(t.relations), 0)
          from (select c.relnamespace, count(*) as relations
                  from pg_class c group by c.relnamespace) t
         where btrim(t.relnamespace::regnamespace::text, '"') ~ ?)
  from (select current_setting('max_locks_per_transaction')::bigint,
               current_setting('max_connections')::bigint,
               current_setting('max_prepared_transactions')::bigint)
    as l (per_transaction, connections, prepared)

-- preflight
select n.nspname
  from pg_namespace n
 cross join lateral pg_catalog.aclexplode(n.nspacl) a
 where n.nspname = any (pg_catalog.current_schemas(false))
   and a.grantee = 0 and a.privilege_type = 'CREATE'
 order by n.nspname

-- preflight
select p.pubname, w.what
  from pg_publication p
 cross join lateral (
       select 'all tables' as what where p.puballtables
        union all
       select 'the tables of schema ' || n.nspname
         from pg_publication_namespace m join pg_namespace n on n.oid = m.pnnspid
        where m.pnpubid = p.oid and n.nspname ~ ?
        union all
       select 'table ' || n.nspname || '.' || c.relname
         from pg_publication_rel m join pg_class c on c.oid = m.prrelid
         join pg_namespace n on n.oid = c.relnamespace
        where m.prpubid = p.oid and n.nspname ~ ?
          and (c.relreplident = 'n'
               or c.relreplident = 'd'
                  and not exists (select 1 from pg_index i
                                   where i.indrelid = c.oid and i.indisprimary))
        limit 1) w
 where p.pubdelete or p.pubupdate
 order by p.pubname

-- preflight
select s.name, s.setting, s.source
  from pg_settings s join unnest(?::text[], ?::text[]) as bad (name, setting)
    on bad.name = s.name and bad.setting = s.setting
 order by s.name

-- preflight
select s.name, s.setting, s.source
  from pg_settings s join unnest(?::text[], ?::text[]) as good (name, setting)
    on good.name = s.name and good.setting <> s.setting
 order by s.name

-- preflight
select t.what
  from (select 'schema ' || n.nspname
          from pg_namespace n cross join lateral aclexplode(n.nspacl) a
         where n.nspacl is not null and n.nspname ~ ? and a.grantee = 0
         union all
        select c.relnamespace::regnamespace || '.' || c.relname
          from pg_class c cross join lateral aclexplode(c.relacl) a
         where c.relacl is not null and c.relname ~ ?
           and btrim(c.relnamespace::regnamespace::text, '"') ~ ?
           and a.grantee = 0
         union all
        select 'function ' || p.pronamespace::regnamespace || '.' || p.proname
          from pg_proc p
         cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
         where p.proname ~ '^(enqueue.*|make.*|open_tenant)$'
           and btrim(p.pronamespace::regnamespace::text, '"') ~ ? and a.grantee = 0) as t (what)
 group by t.what order by t.what limit 5

-- preflight
select t.what, t.name, t.seconds
  from (select 'session ' || a.pid || ' (' || coalesce(a.state, 'unknown') || ')',
               a.application_name, extract(epoch from now() - a.xact_start)::bigint
          from pg_stat_activity a
         where a.datname = current_database() and a.pid <> pg_backend_pid()
           and a.backend_type = 'client backend'
           and a.xact_start < now() - ?::float8 * interval '1 millisecond'
         union all
        select 'prepared transaction ' || quote_literal(x.gid), x.owner::text,
               extract(epoch from now() - x.prepared)::bigint
          from pg_prepared_xacts x
         where x.database = current_database()
           and x.prepared < now() - ?::float8 * interval '1 millisecond')
    as t (what, name, seconds)
 order by t.seconds desc limit 5

-- preflight
set local default_transaction_isolation to default

-- promote
with due as materialized (
       select ctid, lane from "rota_7"."task_wait_7" where run_at <= now()
        order by run_at limit ? for update skip locked),
     moved as (
       delete from "rota_7"."task_wait_7"
        where ctid = any (array(select ctid from due
                                 where lane is null or lane between 1 and 1 - 1))
       returning id, created_at, parent_id, attempt, kind, payload, key, traits, lane)
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt, kind, payload, key, traits
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- promote
with due as materialized (
       select ctid, lane from "rota_7"."task_wait_7" where run_at <= now()
        order by run_at limit ? for update skip locked),
     moved as (
       delete from "rota_7"."task_wait_7"
        where ctid = any (array(select ctid from due
                                 where lane is null or lane between 1 and 3 - 1))
       returning id, created_at, parent_id, attempt, kind, payload, key, traits, lane),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- promote
with due as materialized (
       select ctid, lane from "rota_7"."task_wait_7" where run_at <= now() and coalesce(octet_length(payload), 0) <= 7000
        order by run_at limit ? for update skip locked),
     moved as (
       delete from "rota_7"."task_wait_7"
        where ctid = any (array(select ctid from due
                                 where lane is null or lane between 1 and 1 - 1))
       returning id, created_at, parent_id, attempt, kind, payload, key, traits, lane)
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt, kind, payload, key, traits
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- promote
with due as materialized (
       select ctid, lane from "rota_7"."task_wait_7" where run_at <= now() and coalesce(octet_length(payload), 0) <= 7000
        order by run_at limit ? for update skip locked),
     moved as (
       delete from "rota_7"."task_wait_7"
        where ctid = any (array(select ctid from due
                                 where lane is null or lane between 1 and 3 - 1))
       returning id, created_at, parent_id, attempt, kind, payload, key, traits, lane),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- read age of block
select min(h.created_at) from "rota_7"."task_hist_7_1" h
 where h.ctid >= ?::tid and h.ctid < ?::tid and isfinite(h.created_at)

-- read archive owner
select id::text from "rota"."archive_owner"

-- read archive troubles
select a.tenant, t.name, a.seq, a.trouble
  from "rota"."archive" a left join "rota"."tenant" t on t.number = a.tenant
 where a.trouble is not null and (?::text is null or t.name = ?::text)
 order by a.begun_at limit ?

-- read backlog counters
select now(), coalesce(r.live, '{}'), coalesce(r.inserted, '{}'), coalesce(w.live, '{}')
  from (select array_agg(pg_stat_get_live_tuples(u.oid::oid)) as live,
               array_agg(pg_stat_get_tuples_inserted(u.oid::oid)) as inserted
          from unnest(?::bigint[]) as u (oid)) r,
       (select array_agg(pg_stat_get_live_tuples(u.oid::oid)) as live
          from unnest(?::bigint[]) as u (oid)) w

-- read batches
select b.id, b.worker, (extract(epoch from b.claimed_at) * 1000000)::bigint,
       (extract(epoch from b.closed_at) * 1000000)::bigint
  from "rota"."task_batch_1" b where b.id = any (?::bigint[])

-- read batches of attempts
select b.id, b.claimed_at, b.closed_at from "rota"."task_batch_1" b where b.id = any (?::bigint[])

-- read blocks of tables
select coalesce(pg_relation_size(to_regclass(u.name)), 0) / current_setting('block_size')::bigint
  from unnest(?::text[]) with ordinality as u (name, place) order by u.place

-- read cancel requests
select task, reason from "rota"."cancel_request" where batch = any (?::bigint[])

-- read completeness
select coalesce(extract(epoch from date_bin('1 hour', max(complete_after), timestamptz 'epoch')
                                     + interval '1 hour')::bigint, 0)
  from "rota"."ledger_segment"

-- read counters directly
select set_config('stats_fetch_consistency', 'none', true)

-- read erasure
select kind, name, rows, bytes, sha256,
       to_char(removed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  from "rota"."erasure_part" where tenant = ? order by kind, name

-- read erasure troubles
select e.tenant, e.name, e.trouble
  from "rota"."erasure" e
 where e.trouble is not null and (?::text is null or e.name = ?::text)
 order by e.finished_at limit ?

-- read extent
select pg_relation_filenode(u.name::regclass)::bigint,
       pg_relation_size(u.name::regclass) / current_setting('block_size')::bigint
  from (select ?::text as name) u

-- read last id
select coalesce(pg_sequence_last_value('"rota"."task_id"'), 0)

-- read leader
select l.pid, nullif(a.application_name, ''), host(a.client_addr), a.backend_start
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.classid::bigint = (?::bigint & 4294967295)
   and l.objid::bigint = (?::bigint & 4294967295)

-- read long
select set_config('statement_timeout', '600000', true)

-- read plan
select plan from "rota"."tenant" where number = ?

-- read plans
select t.number, t.plan from "rota"."tenant" t where t.plan <> 'default'

-- read present time
select (extract(epoch from now()) * 1000000)::bigint

-- read priorities
select t.priorities[0:]::integer[] from "rota"."tenant" t where t.number = ?

-- read recent attempts
select h.ctid::text, h.id, h.state, h.attempt, h.kind,
case when starts_with(h.payload, chr(1)) then substr(h.payload, strpos(h.payload, chr(10)) + 1)
     else h.payload end,
case when starts_with(h.payload, chr(1)) and strpos(h.payload, chr(10)) > 0
     then substr(h.payload, 2, strpos(h.payload, chr(10)) - 2) end,
h.key, h.lane, h.created_at, h.finished_at, h.error, h.batch_id
  from "rota_7"."task_hist_7_1" h
 where h.ctid >= ?::tid and h.ctid < ?::tid and h.state = any (?::smallint[]) and (?::text is null or h.kind = ?::text)
and (?::bigint is null or h.id = ?::bigint)
and (?::timestamptz is null or h.created_at >= ?::timestamptz)
and (?::timestamptz is null or h.created_at < ?::timestamptz)
 order by h.ctid desc limit ?

-- read recent exceptions
select h.ctid::text, h.id, h.state, h.attempt, h.kind,
case when starts_with(h.payload, chr(1)) then substr(h.payload, strpos(h.payload, chr(10)) + 1)
     else h.payload end,
case when starts_with(h.payload, chr(1)) and strpos(h.payload, chr(10)) > 0
     then substr(h.payload, 2, strpos(h.payload, chr(10)) - 2) end,
h.key, h.lane, h.created_at, h.finished_at, h.error, h.batch_id
  from "rota_7"."task_hist_7_1" h
 where h.state > 1 and h.ctid < ?::tid and h.state = any (?::smallint[]) and (?::text is null or h.kind = ?::text)
and (?::bigint is null or h.id = ?::bigint)
and (?::timestamptz is null or h.created_at >= ?::timestamptz)
and (?::timestamptz is null or h.created_at < ?::timestamptz)
 order by h.ctid desc limit ?

-- read rows
select h.id from "rota_7"."task_init_7_0" h where h.ctid >= ?::tid and h.ctid < ?::tid
 order by h.ctid

-- read rows of tenant
select h.id from "rota"."schedule" h where h.tenant = ? order by h.id

-- read rows set aside
select t.name, a.rows, a.last_id, a.last_at, a.reason
  from "rota"."set_aside" a join "rota"."tenant" t on t.number = a.tenant
 where ?::text is null or t.name = ?::text
 order by a.last_at desc limit ?

-- read rows set aside of tenant
select a.rows, a.last_id, a.last_at, a.reason
  from "rota"."set_aside" a where a.tenant = ?::integer order by a.last_at desc limit ?::integer

-- read rule version
select version from "rota"."rule_version"

-- read rules
select coalesce(r.tenant, k.owner), r.plan, coalesce(r.kind, k.kind), r.priority, r.weight,
       case coalesce(r.paused_until, k.paused_until)
            when 'infinity' then 9223372036854775807 when '-infinity' then -1
            else (extract(epoch from coalesce(r.paused_until, k.paused_until) - now())
                  * 1000000)::bigint end,
       coalesce(r.paused_reason, k.reason), coalesce(r.paused_at, k.paused_at), t.name,
       nullif(coalesce(r.paused_until, k.paused_until), 'infinity'), r.tier, r.concurrency,
       r.rate, r.rate_millis, r.burst, r.max_pending, r.max_payload || '/' || r.payload_period as max_payload,
       r.pool, r.breaker, k.origin, r.id
  from "rota"."rule" r
  full join (select p.* from "rota"."kind_pause" p
              where p.origin = 'breaker' or p.paused_until > now()) k on false
  left join "rota"."tenant" t on t.number = coalesce(r.tenant, k.owner)
 order by 1 nulls first, 2 nulls first, 3 nulls first, 4 nulls first, k.origin nulls first

-- read schema version
select m.version from "rota"."schema_history" m
 where m.success and m.version is not null order by m.installed_rank desc limit 1

-- read segment
select h.id, h.batch_id, h.parent_id, h.attempt, h.state, h.kind, h.payload, h.error, h.key,
       coalesce((select t.priorities from "rota"."tenant" t
                  where t.number = 7)[h.lane], 0)::integer,
       coalesce(h.lane, 0)::smallint, h.traits,
       (extract(epoch from h.created_at) * 1000000)::bigint,
       (extract(epoch from h.finished_at) * 1000000)::bigint
  from "rota_7"."task_hist_7_1" h where h.ctid >= ?::tid and h.ctid < ?::tid

-- read server
select now(), current_setting('server_version')

-- read settings
select current_setting('search_path'), current_setting('enable_seqscan'), current_setting('jit'), current_setting('plan_cache_mode')

-- read statistics
select extract(epoch from s.hour)::bigint, s.kind, s.done, s.failed, s.dead, s.cancelled,
       s.run_micros, s.first_attempts, s.wait_micros, s.run_buckets, s.wait_buckets
  from "rota"."statistic" s
 where s.tenant = ? and s.hour > ?::timestamptz - interval '1 hour'
   and s.hour < ?::timestamptz
 order by s.hour, s.kind

-- read tenant
select gen_random_uuid()::text, t.closed, t.importing, t.current_segment,
       t.priorities, t.lane_slots, pg_sequence_last_value('"rota"."task_id"'),
       (extract(epoch from now()) * 1000000)::bigint,
       (extract(epoch from t.created_at) * 1000000)::bigint,
       (extract(epoch from t.keep_history) * 1000000)::bigint, t.archive,
       (extract(epoch from t.keep_archive) * 1000000)::bigint, t.legal_hold,
       (extract(epoch from t.segment_age) * 1000000)::bigint, t.segment_bytes
  from "rota"."tenant" t where t.number = ?

-- read tenant limits
select t.plan,
       coalesce(jsonb_agg(to_jsonb(r) - 'id' - 'tenant') filter (where r.id is not null), '[]')::text
  from "rota"."tenant" t left join "rota"."rule" r on r.tenant = t.number
 where t.number = ? group by t.number having t.plan <> 'default' or count(r.id) > 0

-- read the clock
select now()

-- read the clock for statistics
select (extract(epoch from clock_timestamp()) * 1000000)::bigint

-- read the hour
select extract(epoch from date_bin('1 hour', now(), timestamptz 'epoch'))::bigint

-- read the status of tenants
select t.number, t.name, t.closed, case when t.rotations > 0 then t.rotated_at end, t.rotations,
       t.postponed, t.postponed_reason, t.current_segment, coalesce(s.opened_at, t.created_at),
       case when t.parked_at is null
            then (select count(*) from "rota"."segment" k
                   where k.tenant = t.number and k.dropped_at is null)
            else 0 end,
       t.parked_at is not null
  from "rota"."tenant" t
  left join "rota"."segment" s on s.tenant = t.number and s.seq = t.current_segment
 where ?::text is null or t.name = ?::text
 order by t.number

-- read times of erasure
select to_char(begun_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), receipt
  from "rota"."erasure" where tenant = ? for update

-- read usage
select b.tenant, t.name, extract(epoch from b.hour)::bigint, b.attempts, b.run_micros, b.bytes,
       b.lost, 0::bigint
  from (select tenant, date_bin('1 hour', closed_at, timestamptz 'epoch') as hour,
               sum(attempts)::bigint as attempts, sum(run_micros)::bigint as run_micros,
               sum(bytes)::bigint as bytes,
               sum(case when ended = 2 then tasks - attempts else 0 end)::bigint as lost
          from "rota"."task_batch_1"
         where run_micros is not null and bytes is not null
           and closed_at >= ?::timestamptz and closed_at < ?::timestamptz
           and (?::int = 0 or tenant = ?::int)
         group by 1, 2) as b
  join "rota"."tenant" t on t.number = b.tenant

-- read usage
select u.tenant, t.name, extract(epoch from u.hour)::bigint, u.attempts, u.run_micros, u.bytes,
       u.lost, u.storage_byte_hours
  from "rota"."usage" u join "rota"."tenant" t on t.number = u.tenant
 where u.hour >= ?::timestamptz and u.hour < ?::timestamptz
   and (?::int = 0 or u.tenant = ?::int)

-- redrive
with moved as (
       update "rota_7"."task_hist_7_1" h set state = 2
where h.state = 3
  and (?::bigint[] is null or h.id = any (?::bigint[]))
  and (?::text is null or h.kind = ?::text)
  and (?::text[] is null or split_part(h.error, E'\n\tat ', 1) = any (?::text[]))
  and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
  and (?::timestamptz is null or h.finished_at < ?::timestamptz) and h.ctid >= ?::tid and h.ctid < ?::tid
  and (h.key is null or h.ctid = any (?::text[]::tid[]))
returning h.id, h.created_at, h.parent_id, 0 as attempt, h.kind, h.payload, h.key,
          h.traits, h.lane)
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt, kind, payload, key, traits
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- redrive
with moved as (
       update "rota_7"."task_hist_7_1" h set state = 2
where h.state = 3
  and (?::bigint[] is null or h.id = any (?::bigint[]))
  and (?::text is null or h.kind = ?::text)
  and (?::text[] is null or split_part(h.error, E'\n\tat ', 1) = any (?::text[]))
  and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
  and (?::timestamptz is null or h.finished_at < ?::timestamptz) and h.ctid >= ?::tid and h.ctid < ?::tid
  and (h.key is null or h.ctid = any (?::text[]::tid[]))
returning h.id, h.created_at, h.parent_id, 0 as attempt, h.kind, h.payload, h.key,
          h.traits, h.lane),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- redrive spread
with moved as (
       update "rota_7"."task_hist_7_1" h set state = 2
where h.state = 3
  and (?::bigint[] is null or h.id = any (?::bigint[]))
  and (?::text is null or h.kind = ?::text)
  and (?::text[] is null or split_part(h.error, E'\n\tat ', 1) = any (?::text[]))
  and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
  and (?::timestamptz is null or h.finished_at < ?::timestamptz) and h.ctid >= ?::tid and h.ctid < ?::tid
  and (h.key is null or h.ctid = any (?::text[]::tid[]))
returning h.id, h.created_at, h.parent_id, 0 as attempt, h.kind, h.payload, h.key,
          h.traits, h.lane)
insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select id, now() + random() * ? * interval '1 microsecond', created_at, parent_id,
       attempt, kind, payload, key, traits, lane
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- refuse batches
create trigger metered before insert on "rota"."task_batch_1"
   for each statement execute function "rota"."refuse_batches"()

-- register lane
update "rota"."tenant" set priorities = array_append(priorities, ?::smallint),
       lane_slots = array_append(lane_slots, ?::smallint),
       lane_rotated_at = array_append(lane_rotated_at, now())
 where number = ?

-- register services
update "rota"."worker"
   set pools = nullif(?::text[], '{}'), shards = nullif(?::integer, 0), kinds = ?::text[],
       left_kinds = nullif(?::text[], '{}')
 where id = ?

-- release
with ending as materialized (
       select held.ctid from unnest(?::bigint[], ?::bigint[]) as u (task, token),
              lateral (
                select ctid from "rota_7"."task_assignment_7"
                 where pool = ? and task = u.task and token = u.token
                   for update skip locked) as held),
gone as (
  delete from "rota_7"."task_assignment_7" where ctid = any (array(select ctid from ending))
  returning pool, spot, returns, token),
back as (
  insert into "rota_7"."task_free_7" (pool, spot, id)
  select pool, spot, returns from gone where returns is not null
  on conflict do nothing)
select token from gone

-- release
with settled as (
update "rota_7"."task_hist_7_1" h set state = u.state, error = u.error, finished_at = now()
  from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::smallint[], ?::text[],
              ?::bigint[]) as u (place, batch, id, state, error, pause)
 where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0
 returning h.id, h.created_at, h.parent_id, h.attempt, h.kind, h.payload, h.key,
           h.traits, h.batch_id),
     left_out as (
       update "rota"."task_batch_1" b
          set attempts = coalesce(b.attempts, 0) - s.tasks, bytes = b.bytes - s.bytes
         from (select batch_id, count(*)::int as tasks,
                      coalesce(sum(octet_length(payload)), 0) as bytes
                 from settled group by batch_id) s
        where b.id = any (?::bigint[]) and b.id = s.batch_id)
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt - 1, kind, payload, key, traits
  from settled where (select pg_stat_force_next_flush()::text) is not null

-- remove cancel requests
delete from "rota"."cancel_request" where batch = any (?::bigint[])

-- remove empty rules
delete from "rota"."rule"
 where weight is null and tier is null and concurrency is null
   and rate is null and max_pending is null and max_payload is null and pool is null and breaker is null
   and coalesce(paused_until <= now(), true)

-- remove free
delete from "rota_7"."task_free_7" f using unnest(?::int[], ?::bigint[]) as u (spot, id)
 where f.pool = ? and f.spot = u.spot and f.id = u.id

-- remove schedule
delete from "rota"."schedule" where tenant = ? and name = ?::text collate "C"

-- renew keys
with newer as materialized (
       select k.key, k.live, u.version, u.payload, u.lane
         from unnest(?::text[], ?::bigint[], ?::text[], ?::text[], ?::smallint[])
              as u (key, version, kind, payload, lane)
         join "rota_7"."task_key_7" k on k.key = u.key
        where k.version < u.version and k.kind = u.kind
        order by k.key for update of k)
update "rota_7"."task_key_7" k
   set version = n.version, lane = n.lane, live = true, free_at = null,
       payload = case when n.live then n.payload end
  from newer n where k.key = n.key
returning k.key, k.task_id, k.kind, not n.live

-- renew ledger view
select id, worker, claimed_at, closed_at, first_block, last_block, tenant, segment,
       tasks, ended, "seq" as seq, attempts, run_micros, bytes from "rota"."task_batch_1"

-- reopen kind
delete from "rota"."kind_pause" p where p.tenant = ?::integer and p.kind = ?::text

-- replace payloads
update "rota_7"."task_hist_7_1" h set payload = u.payload
  from unnest(?::text[]::tid[], ?::bigint[], ?::text[]) as u (place, id, payload)
 where h.ctid = u.place and h.id = u.id
returning h.id, h.ctid

-- replan schedules
update "rota"."schedule" s
   set planned_at = u.planned_at::timestamptz, run_at = u.run_at::timestamptz,
       version = s.version + 1
  from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[])
       as u (id, version, planned_at, run_at)
 where s.id = u.id and s.version = u.version and not s.paused
returning s.id

-- report counters
select pg_stat_force_next_flush()

-- request cancel
insert into "rota"."cancel_request" (batch, task, worker, tenant, reason)
select b.id, t.id, b.worker, b.tenant, ?
  from "rota"."task_batch_1" b join "rota_7"."task_hist_7_1" t on t.batch_id = b.id
 where b.id = any (?::bigint[]) and t.state = 0
   and (?::bigint[] is null or t.id = any (?::bigint[]))
   and (?::text is null or t.kind = ?::text)
   and (?::text is null or t.key = ?::text)
   and (?::timestamptz is null or t.created_at >= ?::timestamptz)
   and (?::timestamptz is null or t.created_at < ?::timestamptz)
   and t.ctid >= ?::tid and t.ctid < ?::tid
on conflict do nothing

-- request stop
update "rota"."audit" set stop = true where id = ? and state = 0

-- reserve tenant
insert into "rota"."tenant" (name, closed, legal_hold, importing, imported_from, ids_above,
                       current_segment, parked_at)
values (?, true, true, true, ?::uuid, ?, ?, now()) returning number

-- resign
select pg_advisory_unlock(?, ?)

-- restore settings
select set_config('search_path', ?, true), set_config('enable_seqscan', ?, true), set_config('jit', ?, true), set_config('plan_cache_mode', ?, true), set_config('statement_timeout', ?, true), set_config('lock_timeout', '0', true), set_config('idle_in_transaction_session_timeout', ?, true)

-- restore tenant
insert into "rota"."tenant" (number, name, closed, legal_hold, current_segment, parked_at)
overriding system value values (?, ?, true, true, ?, now())
on conflict do nothing

-- resume schedule
update "rota"."schedule" set paused = false, planned_at = ?::timestamptz,
       run_at = ?::timestamptz, version = version + 1
 where id = ?

-- resume scope
update "rota"."rule" r set paused_until = null, paused_at = null, paused_reason = null, changed_at = now()
 where coalesce(r.tenant, 0) = coalesce(?::integer, 0)
   and coalesce(r.plan, '') = coalesce(?::text, '')
   and coalesce(r.kind, '') = coalesce(?::text, '')
   and coalesce(r.priority, 32767) = coalesce(?::smallint, 32767)
   and r.paused_until > now()

-- retake keys
with dead as materialized (
select distinct on (h.key) h.ctid as place, h.key, h.id, h.kind, h.traits, h.finished_at
  from "rota_7"."task_hist_7_1" h
where h.state = 3
  and (?::bigint[] is null or h.id = any (?::bigint[]))
  and (?::text is null or h.kind = ?::text)
  and (?::text[] is null or split_part(h.error, E'\n\tat ', 1) = any (?::text[]))
  and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
  and (?::timestamptz is null or h.finished_at < ?::timestamptz) and h.ctid >= ?::tid and h.ctid < ?::tid and h.key is not null
 order by h.key, h.finished_at desc),
taken as (
  insert into "rota_7"."task_key_7" as k (key, task_id, live, run, free_at, version, kind)
  select key, id, true, 0,
         case when traits & 4 <> 0 then finished_at + interval '720 hours' end,
         case when traits & 4 <> 0 then -9223372036854775808 end,
         case when traits & 4 <> 0 then kind end
    from dead order by key collate "C"
  on conflict (key) do update
     set live = true, free_at = case when k.version is null then k.free_at end
   where not k.live and k.task_id = excluded.task_id
     and (k.version is null or k.free_at <= excluded.free_at)
  returning key)
select d.place from dead d join taken t on t.key = d.key

-- retry
with settled as (
update "rota_7"."task_hist_7_1" h set state = u.state, error = u.error, finished_at = now()
  from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::smallint[], ?::text[],
              ?::bigint[]) as u (place, batch, id, state, error, pause)
 where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0
 returning h.id, h.created_at, h.parent_id, h.attempt, h.kind, h.payload, h.key,
           h.traits, h.lane, u.pause)
insert into "rota_7"."task_wait_7" (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                       traits, lane)
select id, now() + pause * interval '1 microsecond', created_at, parent_id, attempt,
       kind, payload, key, traits, lane
  from settled where (select pg_stat_force_next_flush()::text) is not null

-- return batch
with moved as (
       update "rota_7"."task_hist_7_1" set state = ?::smallint, error = ?, finished_at = now()
        where ctid >= ?::tid and ctid < ?::tid and batch_id = ?::bigint and state = 0
       returning id, created_at, parent_id, attempt - ?::int as attempt, kind, payload,
                 key, traits, lane),
     left_out as (
       update "rota"."task_batch_1" b
          set attempts = coalesce(b.attempts, 0) - m.tasks, bytes = b.bytes - m.bytes
         from (select count(*)::int as tasks, coalesce(sum(octet_length(payload)), 0) as bytes
                 from moved) m
        where b.id = ?::bigint and m.tasks > 0)
insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits)
select id, created_at, parent_id, attempt, kind, payload, key, traits
  from moved where (select pg_stat_force_next_flush()::text) is not null

-- return batch
with moved as (
       update "rota_7"."task_hist_7_1" set state = ?::smallint, error = ?, finished_at = now()
        where ctid >= ?::tid and ctid < ?::tid and batch_id = ?::bigint and state = 0
       returning id, created_at, parent_id, attempt - ?::int as attempt, kind, payload,
                 key, traits, lane),
     left_out as (
       update "rota"."task_batch_1" b
          set attempts = coalesce(b.attempts, 0) - m.tasks, bytes = b.bytes - m.bytes
         from (select count(*)::int as tasks, coalesce(sum(octet_length(payload)), 0) as bytes
                 from moved) m
        where b.id = ?::bigint and m.tasks > 0),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- return payload
select "rota"."return_payload"(?::integer[], ?::text[], ?::bigint[], ?::bigint[])

-- room for claims
select current_setting('max_locks_per_transaction')::bigint
       * (current_setting('max_connections')::bigint
          + current_setting('max_prepared_transactions')::bigint),
       (select count(*) from "rota"."worker")

-- sample storage
insert into "rota"."usage" as u (tenant, hour, storage_byte_hours)
select w.tenant, date_bin('1 hour', now(), timestamptz 'epoch'),
       coalesce(sum(pg_total_relation_size(c.oid)), 0)
  from unnest(?::int[], ?::text[]) as w (tenant, schema)
  join "rota"."tenant" t on t.number = w.tenant
  join pg_catalog.pg_namespace n on n.nspname = w.schema
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'm')
 group by w.tenant order by w.tenant
on conflict (tenant, hour) do update
   set storage_byte_hours = excluded.storage_byte_hours where u.storage_byte_hours = 0

-- seal ledger segment
update "rota"."ledger_segment" set sealed_at = greatest(now(), opened_at) where seq = ? and sealed_at is null

-- seal segment
update "rota"."segment" set sealed_at = greatest(now(), opened_at)
 where tenant = ? and seq = ? and sealed_at is null

-- set aside
update "rota_7"."task_hist_7_1" r
   set batch_id = 0, state = 3, finished_at = now(),
       error = 'set aside, never run: ' || coalesce(case when r.id is null then 'its id is null'
     when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00')
       then 'its created_at is null, or not in the years 1 to 9999'
     when r.attempt is null or r.attempt not between 1 and 2147483647
       then 'its attempt is null, negative or too large'
     when r.kind is null or octet_length(r.kind) > 128
          or r.kind collate "C" !~ '^[A-Za-z0-9._:/-]+$'
       then 'its kind is null or malformed'
     when r.payload is null then 'its payload is null'
     when octet_length(r.key) not between 1 and 500
       then 'its key is empty or longer than 500 bytes'
     when r.key is not null and not true
       then 'it has a key, and its tenant has no table of keys'
     when (r.traits & ~ 7) <> 0
       then 'it has traits that are unknown, or whose tables its tenant does not have'
     when (r.traits & 6) <> 0 and r.key is null then 'it has traits of a key, and no key'
end, 'it cannot be read'),
       id = coalesce(r.id, 0),
       created_at = case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then clock.now else r.created_at end,
       attempt = greatest(coalesce(r.attempt, 1), 1),
       kind = coalesce(left(r.kind, 128), ''), payload = coalesce(r.payload, ''),
       key = case when true and octet_length(r.key) between 1 and 500 then r.key end,
       traits = nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0)
  from (select now() as now) as clock
 where r.ctid = any (?::text[]::tid[]) and r.batch_id = ?::bigint
returning r.id, r.key, r.traits, r.error

-- set aside
update "rota_7"."task_wait_7" set lane = null
 where ctid = any (array(select r.ctid from "rota_7"."task_wait_7" r
                          where r.ctid >= '(0,0)'::tid and r.lane not between 1 and 1 - 1 limit ?::int))

-- set aside
update "rota_7"."task_wait_7" set lane = null
 where ctid = any (array(select r.ctid from "rota_7"."task_wait_7" r
                          where r.ctid >= '(0,0)'::tid and r.lane not between 1 and 3 - 1 limit ?::int))

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_init_7_0" r where r.ctid >= '(0,0)'::tid and case when r.id is null then 'its id is null'
     when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00')
       then 'its created_at is null, or not in the years 1 to 9999'
     when r.attempt is null or r.attempt not between 0 and 2147483646
       then 'its attempt is null, negative or too large'
     when r.kind is null or octet_length(r.kind) > 128
          or r.kind collate "C" !~ '^[A-Za-z0-9._:/-]+$'
       then 'its kind is null or malformed'
     when r.payload is null then 'its payload is null'
     when octet_length(r.key) not between 1 and 500
       then 'its key is empty or longer than 500 bytes'
     when r.key is not null and not true
       then 'it has a key, and its tenant has no table of keys'
     when (r.traits & ~ 7) <> 0
       then 'it has traits that are unknown, or whose tables its tenant does not have'
     when (r.traits & 6) <> 0 and r.key is null then 'it has traits of a key, and no key'
end is not null limit ?::int),
     moved as (
       delete from "rota_7"."task_init_7_0" r where r.ctid = any (array(select place from odd))
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || case when r.id is null then 'its id is null'
     when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00')
       then 'its created_at is null, or not in the years 1 to 9999'
     when r.attempt is null or r.attempt not between 0 and 2147483646
       then 'its attempt is null, negative or too large'
     when r.kind is null or octet_length(r.kind) > 128
          or r.kind collate "C" !~ '^[A-Za-z0-9._:/-]+$'
       then 'its kind is null or malformed'
     when r.payload is null then 'its payload is null'
     when octet_length(r.key) not between 1 and 500
       then 'its key is empty or longer than 500 bytes'
     when r.key is not null and not true
       then 'it has a key, and its tenant has no table of keys'
     when (r.traits & ~ 7) <> 0
       then 'it has traits that are unknown, or whose tables its tenant does not have'
     when (r.traits & 6) <> 0 and r.key is null then 'it has traits of a key, and no key'
end,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), 1
  from moved r
returning h.id, h.key, h.traits, h.error

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_init_7_0" r where r.ctid >= '(0,0)'::tid and case when r.id is null then 'its id is null'
     when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00')
       then 'its created_at is null, or not in the years 1 to 9999'
     when r.attempt is null or r.attempt not between 0 and 2147483646
       then 'its attempt is null, negative or too large'
     when r.kind is null or octet_length(r.kind) > 128
          or r.kind collate "C" !~ '^[A-Za-z0-9._:/-]+$'
       then 'its kind is null or malformed'
     when r.payload is null then 'its payload is null'
     when octet_length(r.key) not between 1 and 500
       then 'its key is empty or longer than 500 bytes'
     when r.key is not null and not true
       then 'it has a key, and its tenant has no table of keys'
     when (r.traits & ~ 7) <> 0
       then 'it has traits that are unknown, or whose tables its tenant does not have'
     when (r.traits & 6) <> 0 and r.key is null then 'it has traits of a key, and no key'
end is not null limit ?::int),
     moved as (
       delete from "rota_7"."task_init_7_0" r where r.ctid = any (array(select place from odd))
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || case when r.id is null then 'its id is null'
     when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00')
       then 'its created_at is null, or not in the years 1 to 9999'
     when r.attempt is null or r.attempt not between 0 and 2147483646
       then 'its attempt is null, negative or too large'
     when r.kind is null or octet_length(r.kind) > 128
          or r.kind collate "C" !~ '^[A-Za-z0-9._:/-]+$'
       then 'its kind is null or malformed'
     when r.payload is null then 'its payload is null'
     when octet_length(r.key) not between 1 and 500
       then 'its key is empty or longer than 500 bytes'
     when r.key is not null and not true
       then 'it has a key, and its tenant has no table of keys'
     when (r.traits & ~ 7) <> 0
       then 'it has traits that are unknown, or whose tables its tenant does not have'
     when (r.traits & 6) <> 0 and r.key is null then 'it has traits of a key, and no key'
end,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), cast(null as smallint)
  from moved r
returning h.id, h.key, h.traits, h.error

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_init_7_0" r where r.ctid >= '(0,0)'::tid and kind = any ('{"email.send","search.index"}') limit 1),
     moved as (
       delete from "rota_7"."task_init_7_0" r where r.ctid = any (array(select place from odd)) and coalesce(octet_length(r.payload), 0)::bigint + coalesce(octet_length(r.kind), 0) + coalesce(octet_length(r.key), 0) >= ?::bigint
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || ?::text,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), 1
  from moved r
returning h.id, h.key, h.traits, h.error

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_init_7_0" r where r.ctid >= '(0,0)'::tid and kind = any ('{"email.send","search.index"}') limit 1),
     moved as (
       delete from "rota_7"."task_init_7_0" r where r.ctid = any (array(select place from odd)) and coalesce(octet_length(r.payload), 0)::bigint + coalesce(octet_length(r.kind), 0) + coalesce(octet_length(r.key), 0) >= ?::bigint
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || ?::text,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), cast(null as smallint)
  from moved r
returning h.id, h.key, h.traits, h.error

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_init_7_0" r where r.ctid >= '(0,0)'::tid limit 1),
     moved as (
       delete from "rota_7"."task_init_7_0" r where r.ctid = any (array(select place from odd)) and coalesce(octet_length(r.payload), 0)::bigint + coalesce(octet_length(r.kind), 0) + coalesce(octet_length(r.key), 0) >= ?::bigint
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || ?::text,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), 1
  from moved r
returning h.id, h.key, h.traits, h.error

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_init_7_0" r where r.ctid >= '(0,0)'::tid limit 1),
     moved as (
       delete from "rota_7"."task_init_7_0" r where r.ctid = any (array(select place from odd)) and coalesce(octet_length(r.payload), 0)::bigint + coalesce(octet_length(r.kind), 0) + coalesce(octet_length(r.key), 0) >= ?::bigint
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || ?::text,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), cast(null as smallint)
  from moved r
returning h.id, h.key, h.traits, h.error

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_wait_7" r where r.ctid >= '(0,0)'::tid and case when r.run_at is null or r.run_at = 'infinity' then 'its run_at is null or infinite' end is not null limit ?::int),
     moved as (
       delete from "rota_7"."task_wait_7" r where r.ctid = any (array(select place from odd))
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits, r.run_at, r.lane)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || case when r.run_at is null or r.run_at = 'infinity' then 'its run_at is null or infinite' end,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), 1
  from moved r
returning h.id, h.key, h.traits, h.error

-- set aside
with odd as materialized (
       select r.ctid as place from "rota_7"."task_wait_7" r where r.ctid >= '(0,0)'::tid and case when r.run_at is null or r.run_at = 'infinity' then 'its run_at is null or infinite' end is not null limit ?::int),
     moved as (
       delete from "rota_7"."task_wait_7" r where r.ctid = any (array(select place from odd))
       returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                 r.traits, r.run_at, r.lane)
insert into "rota_7"."task_hist_7_1" as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                            state, kind, payload, error, key, traits, lane)
select coalesce(r.id, 0), 0, case when (r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00' or r.created_at >= timestamptz '10000-01-01 00:00:00+00') then now() else r.created_at end, r.parent_id,
       now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
       coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), 'set aside, never run: ' || case when r.run_at is null or r.run_at = 'infinity' then 'its run_at is null or infinite' end,
       case when true and octet_length(r.key) between 1 and 500 then r.key end, nullif(r.traits & 7 & case when (true and octet_length(r.key) between 1 and 500) is true then 7 else 1 end, 0), cast(null as smallint)
  from moved r
returning h.id, h.key, h.traits, h.error

-- set limits
insert into "rota"."rule" (tenant, plan, kind, priority, weight, tier, concurrency,
                     rate, rate_millis, burst, max_pending, max_payload, payload_period,
                     pool, breaker)
values (?::integer, ?::text, ?::text, ?::smallint, ?::float8, ?::smallint, ?::integer,
        ?::bigint, ?::bigint, ?::integer, ?::bigint, ?::bigint, ?::text, ?::text, ?::text)
on conflict (coalesce(tenant, 0), coalesce(plan, ''), coalesce(kind, ''),
             coalesce(priority, 32767))
do update set weight = excluded.weight, tier = excluded.tier,
              concurrency = excluded.concurrency,
              rate = excluded.rate, rate_millis = excluded.rate_millis, burst = excluded.burst,
              max_pending = excluded.max_pending,
              max_payload = excluded.max_payload, payload_period = excluded.payload_period,
              pool = excluded.pool, breaker = excluded.breaker, changed_at = now()

-- settle segments
update "rota"."segment" t
   set sealed_at = coalesce(sealed_at, now()),
       rows = case when seq = any (s.kept) then rows else coalesce(rows, 0) end,
       dropped_at = case when seq = any (s.kept) then null
                         else coalesce(dropped_at, now()) end
  from (select ?::integer as tenant, ?::integer as last, ?::integer[] as kept) s
 where t.tenant = s.tenant and seq <= s.last

-- sign off
delete from "rota"."worker" where id = ?

-- size backlogs
select n.nspname::text, c.relname::text,
       case when c.oid not in (select l.relation from pg_locks l
                                where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
                                  and l.database = (select d.oid from pg_database d
                                                     where d.datname = current_database()))
            then pg_relation_size(c.oid) end,
       pg_stat_get_live_tuples(c.oid)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r' and n.nspname ~ ?::text and c.relname ~ '^task_(init|wait)_'

-- size of ledger segment
select coalesce(pg_relation_size(to_regclass(?)), 0)

-- size of slot
select coalesce(pg_relation_size(to_regclass(?)), 0)

-- sizes
select u.oid, coalesce(pg_relation_size(u.oid::oid), 0)
  from unnest(?::bigint[]) as u (oid)

-- spread
insert into "rota_7"."task_spread_7" (id, reason) select u.id, u.reason from unnest(?::bigint[], ?::text[]) as u (id, reason)

-- start versions
select task_id, run, version, payload from "rota_7"."task_key_7"
 where key = any (?::text[]) and version is not null

-- sum kinds
select extract(epoch from s.hour)::bigint, s.kind, s.done, s.failed, s.dead, s.cancelled,
       s.run_micros, s.first_attempts, s.wait_micros, s.run_buckets, s.wait_buckets
  from "rota"."kind_statistic" s
 where s.hour > ?::timestamptz - interval '1 hour' and s.hour < ?::timestamptz
   and (?::text is null or s.kind = ?::text)

-- sum run time
with since as materialized (
       select timestamptz 'epoch' + ?::bigint * interval '1 microsecond' as t),
     ended as (
       select b.id, b.tenant, b.worker, b.tasks, b.run_micros::float8 as micros, b.claimed_at, b.closed_at
         from "rota"."task_batch_1" b
        where b.ctid >= ?::tid and b.run_micros is not null
          and b.closed_at > (select s.t - interval '10 seconds' from since s)
        union
       select b.id, b.tenant, b.worker, b.tasks, b.run_micros::float8, b.claimed_at, b.closed_at
         from "rota"."task_batch_1" b
        where b.id = any (?::bigint[]) and b.run_micros is not null
          and b.closed_at > (select s.t from since s)),
     earlier as (
       select e.tenant, e.worker, max(e.closed_at) as closed_at, max(e.claimed_at) as claimed_at,
              sum(e.micros) / greatest(1, extract(epoch from max(e.closed_at) - min(e.claimed_at))::float8
                                            * 1000000) as handlers
         from ended e cross join since s where e.closed_at <= s.t group by 1, 2),
     later as (
       select e.tenant, e.worker, e.micros, e.tasks, e.claimed_at, e.closed_at, s.t,
              b.closed_at as before, e.claimed_at >= s.t as whole,
              coalesce(e.claimed_at < b.claimed_at, false) as overtaken,
              extract(epoch from e.closed_at - s.t)::float8 * 1000000 as within
         from ended e cross join since s
         left join earlier b on b.tenant = e.tenant and b.worker = e.worker
        where e.closed_at > s.t),
     summed as (
       select l.tenant, l.worker, max(l.closed_at) as closed_at, max(l.claimed_at) as claimed_at,
              sum(l.micros) filter (where l.whole) as whole,
              sum(l.micros * l.within
                    / greatest(1, extract(epoch from l.closed_at - l.claimed_at)::float8 * 1000000))
                filter (where l.overtaken and not l.whole) as alone,
              sum(l.micros) filter (where not l.overtaken and not l.whole) as queued,
              sum(l.tasks * l.within) filter (where not l.overtaken and not l.whole) as most,
              max(l.within) filter (where not l.overtaken and not l.whole) as within,
              extract(epoch from max(l.closed_at) filter (where not l.overtaken and not l.whole)
                - greatest(min(l.claimed_at) filter (where not l.overtaken and not l.whole),
                           max(l.before)))::float8 * 1000000 as span,
              sum(l.micros) filter (where not l.overtaken)
                / greatest(1, extract(epoch from max(l.closed_at)
                                - greatest(min(l.claimed_at) filter (where not l.overtaken),
                                           max(l.before)))::float8 * 1000000) as handlers
         from later l group by l.tenant, l.worker)
select tenant, worker,
       coalesce(l.whole, 0) + coalesce(l.alone, 0)
         + coalesce(least(l.most, l.queued * l.within / greatest(1, l.span)), 0),
       coalesce(l.handlers, e.handlers, 0),
       (extract(epoch from coalesce(l.closed_at, e.closed_at)) * 1000000)::bigint,
       (extract(epoch from greatest(l.claimed_at, e.claimed_at)) * 1000000)::bigint
  from summed l full join earlier e using (tenant, worker)

-- sum shares
select s.tenant, s.kind, sum(s.held)::integer, bool_or(s.wanted), count(*) filter (where s.held > 0)
  from "rota"."share" s group by 1, 2

-- sum up segment
select count(*), coalesce(sum(id), 0)::text, coalesce(sum(state), 0)
  from "rota_7"."task_hist_7_1" where ctid >= ?::tid and ctid < ?::tid

-- summarize storage
select max(u.hour), sum(u.storage_byte_hours) filter (where u.hour = h.last)::bigint,
       sum(u.storage_byte_hours) filter (where u.hour < h.last)::bigint
  from (select date_bin('1 hour', now(), timestamptz 'epoch') - interval '1 hour' as last) h
  join "rota"."usage" u on u.hour in (h.last, h.last - interval '1 day')
 where u.storage_byte_hours > 0
having max(u.hour) = max(h.last)

-- summarize storage
select now(),
       (select count(*) from "rota"."tenant" t where t.parked_at is null),
       coalesce((select i.reltuples::bigint from pg_catalog.pg_class i
                  where i.relname = 'segment_present' and i.reltuples > 10000
                    and i.relnamespace = (select c.relnamespace from pg_catalog.pg_class c
                                           where c.oid = to_regclass(?))),
                (select count(*) from "rota"."segment" s where s.dropped_at is null)),
       (select count(*) from "rota"."ledger_segment"),
       (select greatest(0, c.reltuples)::bigint from pg_catalog.pg_class c where c.oid = to_regclass(?)),
       (select count(*) from "rota"."archive" a where a.archived_at is null)

-- survey tenants
select t.number, l.slot, t.current_segment,
       floor(extract(epoch from now()) * 1000 / p.millis)::bigint,
       floor(extract(epoch from l.rotated_at) * 1000 / p.millis)::bigint,
       floor(extract(epoch from s.opened_at) * 1000 / p.millis)::bigint,
       s.opened_at + least(coalesce(t.segment_age, p.age * interval '1 millisecond'),
                           case when coalesce(t.archive, p.archives)
                                then p.longest * interval '1 millisecond' end) <= now()
       or s.opened_at > now() + interval '1 minute',
       t.keep_history is not null
       and s.opened_at + greatest(t.keep_history / 10, interval '1 minute') <= now(),
       coalesce(t.segment_bytes, p.bytes)
  from "rota"."tenant" t
 cross join unnest(t.lane_slots, t.lane_rotated_at) as l (slot, rotated_at)
  left join "rota"."segment" s on s.tenant = t.number and s.seq = t.current_segment
 cross join (values (?::bigint, ?::float8, ?::bigint, ?::boolean, ?::float8))
         as p (millis, age, bytes, archives, longest)
 where t.parked_at is null
 order by l.rotated_at

-- sweep keys
delete from "rota_7"."task_key_7"
 where key = any (array(
         select key from "rota_7"."task_key_7"
          where free_at <= now() and not live
            and not exists (select 1 from "rota"."tenant" where number = ? and legal_hold)
          order by free_at limit ? for update skip locked))
   and not live and free_at <= now()

-- switch slot
update "rota"."tenant" set lane_slots[?] = ?, lane_rotated_at[?] = now(),
       rotations = rotations + 1,
       postponed_reason =
         case when coalesce(substring(postponed_reason from '^lane ([0-9]+): '), '0') <> ?::text
              then postponed_reason end
 where number = ?

-- take gate of tenant
select pg_try_advisory_xact_lock(?, ?)

-- take held batches along
insert into "rota"."task_batch_1" (id, worker, claimed_at, closed_at, first_block, last_block, tenant,
                      segment, tasks, ended)
select b.id, b.worker, b.claimed_at, b.closed_at, b.first_block, b.last_block, b.tenant,
       b.segment, b.tasks, b.ended
  from "rota"."task_batch_1" b
  join "rota"."tenant" t on t.number = b.tenant and t.legal_hold
  join "rota"."segment" s on s.tenant = b.tenant and s.seq = b.segment
 where (select exists (select 1 from "rota"."tenant" where legal_hold)) and s.dropped_at is null

-- take keys
insert into "rota_7"."task_key_7" (key, task_id, live, run, free_at, version, kind, lane)
select u.key, u.id, true, 0, now() + u.kept * interval '1 microsecond', u.version, u.kind,
       u.lane
  from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::smallint[])
       as u (key, id, kept, version, kind, lane)
 order by u.key collate "C"
on conflict (key) do nothing
returning key, task_id, kind, true

-- take spread
delete from "rota_7"."task_spread_7"
 where id = any (array(
       select id from "rota_7"."task_spread_7" order by id limit ? for update skip locked))
returning id, reason

-- tenants of plan
select t.number from "rota"."tenant" t where t.plan = ?::text

-- trip breaker
with wanted as materialized (
       select * from (values (?::integer, ?::text, ?::bigint, ?::text, ?::timestamptz))
              u (owner, kind, micros, reason, seen))
insert into "rota"."kind_pause" as p (owner, kind, origin, paused_at, paused_until, reason)
select u.owner, u.kind, 'breaker', now(), now() + u.micros * interval '1 microsecond', u.reason
  from wanted u
 where (u.owner is null or exists (select 1 from "rota"."tenant" t where t.number = u.owner))
   and (u.seen is null
        or exists (select 1 from "rota"."kind_pause" k
                    where k.tenant = coalesce(u.owner, 0) and k.kind = u.kind
                      and k.origin = 'breaker' and k.paused_at = u.seen))
on conflict (tenant, kind, origin)
do update set paused_at = excluded.paused_at, paused_until = excluded.paused_until,
              reason = excluded.reason
 where p.paused_at = (select u.seen from wanted u)

-- truncate slot
truncate table "rota_7"."task_init_7_0"

-- unwatch
select set_config(s.name, s.reset_val, false) from pg_settings s
 where s.name in ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count')

-- wait briefly
select set_config('lock_timeout', '200', true)

-- wake keys
with moved as (
       delete from "rota_7"."task_wait_7" where key = any (?::text[])
       returning id, created_at, parent_id, 0 as attempt, kind, payload, key, traits,
                 lane),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 0)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- wake keys
with moved as (
       delete from "rota_7"."task_wait_7" where key = any (?::text[])
       returning id, created_at, parent_id, 0 as attempt, kind, payload, key, traits,
                 lane),
into_0 as (insert into "rota_7"."task_init_7_0" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where coalesce(lane, 0) not between 1 and 2),
into_1 as (insert into "rota_7"."task_init_7_3" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 1),
into_2 as (insert into "rota_7"."task_init_7_6" (id, created_at, parent_id, attempt, kind, payload, key, traits) select id, created_at, parent_id, attempt, kind, payload, key, traits from moved where lane = 2)
select count(*) from moved where (select pg_stat_force_next_flush()::text) is not null

-- watch
select set_config('tcp_keepalives_idle', '30', false),
       set_config('tcp_keepalives_interval', '10', false),
       set_config('tcp_keepalives_count', '3', false)

-- widen archive table
alter table "rota_7"."task_archive_7" add column if not exists headers text

-- withdraw parking
update "rota"."tenant" set park_at = null where number = ? and park_at is not null
