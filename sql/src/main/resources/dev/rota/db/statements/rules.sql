-- Rules of scopes: weights, tiers, caps, rates, quotas and pauses. Every process reads all of them when their version
-- moved.

-- name: lock_rules
-- Lets one session at a time change rules.
select version from {rule_version} for update

-- name: read_rule_version
-- Reads the version of all rules.
select version from {rule_version}

-- name: read_rules
-- Reads all rules, and how many microseconds the pause of each lasts, by the clock of the database:
-- null without one, negative when it is over, and the most there is without an end. What handlers
-- and breakers ordered comes as rows of its own, with its origin and without a number. Rejected:
-- the difference to -infinity, which is an error for all rows.
select coalesce(r.tenant, k.owner), r.plan, coalesce(r.kind, k.kind), r.priority, r.weight,
       case coalesce(r.paused_until, k.paused_until)
            when 'infinity' then 9223372036854775807 when '-infinity' then -1
            else (extract(epoch from coalesce(r.paused_until, k.paused_until) - now())
                  * 1000000)::bigint end,
       coalesce(r.paused_reason, k.reason), coalesce(r.paused_at, k.paused_at), t.name,
       nullif(coalesce(r.paused_until, k.paused_until), 'infinity'), r.tier, r.concurrency,
       r.rate, r.rate_millis, r.burst, r.max_pending, r.max_payload || '/' || r.payload_period as max_payload,
       r.pool, r.breaker, k.origin, r.id
  from {rules} r
  full join (select p.* from {kind_pauses} p
              where p.origin = 'breaker' or p.paused_until > now()) k on false
  left join {tenants} t on t.number = coalesce(r.tenant, k.owner)
 order by 1 nulls first, 2 nulls first, 3 nulls first, 4 nulls first, k.origin nulls first

-- name: read_plans
-- Reads which tenants have another plan than most.
select t.number, t.plan from {tenants} t where t.plan <> 'default'

-- name: set_limits
-- Writes the limits of a scope.
insert into {rules} (tenant, plan, kind, priority, weight, tier, concurrency,
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

-- name: pause_scope
-- Pauses a scope for a number of microseconds, or without an end. It replaces a pause.
insert into {rules} (tenant, plan, kind, priority, paused_reason, paused_at, paused_until)
values (?::integer, ?::text, ?::text, ?::smallint, ?::text, now(),
        coalesce(now() + ?::bigint * interval '1 microsecond', 'infinity'))
on conflict (coalesce(tenant, 0), coalesce(plan, ''), coalesce(kind, ''),
             coalesce(priority, 32767))
do update set paused_reason = excluded.paused_reason, paused_at = excluded.paused_at,
              paused_until = excluded.paused_until, changed_at = now()

-- name: resume_scope
-- Ends the pause of a scope. It changes no row if the scope is not paused.
update {rules} r set paused_until = null, paused_at = null, paused_reason = null, changed_at = now()
 where coalesce(r.tenant, 0) = coalesce(?::integer, 0)
   and coalesce(r.plan, '') = coalesce(?::text, '')
   and coalesce(r.kind, '') = coalesce(?::text, '')
   and coalesce(r.priority, 32767) = coalesce(?::smallint, 32767)
   and r.paused_until > now()

-- name: remove_empty_rules
-- Removes rules that say nothing any more.
delete from {rules}
 where weight is null and tier is null and concurrency is null
   and rate is null and max_pending is null and max_payload is null and pool is null and breaker is null
   and coalesce(paused_until <= now(), true)

-- name: change_plan
-- Gives a tenant a plan. It changes no row if there is no such tenant.
update {tenants} set plan = ?::text where number = ?

-- name: read_plan
-- Reads the plan of a tenant.
select plan from {tenants} where number = ?

-- name: look_for_gates
-- Finds the transactions that hold gates of tenants: claims under way, and handlers that run inside
-- their claim. Values: namespace, tenants or null for all.
select distinct l.virtualtransaction from pg_locks l
 where l.locktype = 'advisory' and l.classid::bigint = ?::bigint & 4294967295 and l.objsubid = 2
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
   and l.granted and (?::integer[] is null or l.objid::bigint = any (?::integer[]))

-- name: look_for_running_tasks
-- Counts the rows of a batch in a range of blocks, and those of them that are unsettled and of a kind
-- and a lane, where given. Values: kind twice, lane twice, blocks, batch.
select count(*),
       count(*) filter (where h.state = 0 and (?::text is null or h.kind = ?::text)
                          and (?::integer is null or coalesce(h.lane, 0) = ?::integer))
  from {segment} h
 where h.ctid >= ?::tid and h.ctid < ?::tid and h.batch_id = ?::bigint

-- name: tenants_of_plan
-- Finds the tenants of a plan.
select t.number from {tenants} t where t.plan = ?::text
