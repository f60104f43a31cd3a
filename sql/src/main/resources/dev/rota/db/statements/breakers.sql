-- Pauses of kinds that handlers and breakers order. Only a process that orders one sends these.

-- name: hold_kind
-- Holds a kind of a tenant, or of all, for some microseconds, unless it is held for longer. Removes
-- holds that have been over for a while. Values: tenant, kind, length, reason, tenant, kind.
with held as (
       insert into {kind_pauses} as p (owner, kind, origin, paused_at, paused_until, reason)
       select u.owner, u.kind, 'hold', now(), now() + u.micros * interval '1 microsecond', u.reason
         from (values (?::integer, ?::text, ?::bigint, ?::text)) u (owner, kind, micros, reason)
        where u.owner is null or exists (select 1 from {tenants} t where t.number = u.owner)
       on conflict (tenant, kind, origin)
       do update set paused_at = case when p.paused_until > now() then p.paused_at else now() end,
                     paused_until = excluded.paused_until, reason = excluded.reason
        where p.paused_until < excluded.paused_until)
delete from {kind_pauses} p
 where p.origin = 'hold' and p.paused_until < now() - interval '1 minute'
   and (p.tenant, p.kind) <> (coalesce(?::integer, 0), ?::text)

-- name: trip_breaker
-- Pauses the kind of a breaker, unless another process was first: it trips, or a try of what tripped
-- at a known time has failed. Values: tenant, kind, length in microseconds, reason, known time.
with wanted as materialized (
       select * from (values (?::integer, ?::text, ?::bigint, ?::text, ?::timestamptz))
              u (owner, kind, micros, reason, seen))
insert into {kind_pauses} as p (owner, kind, origin, paused_at, paused_until, reason)
select u.owner, u.kind, 'breaker', now(), now() + u.micros * interval '1 microsecond', u.reason
  from wanted u
 where (u.owner is null or exists (select 1 from {tenants} t where t.number = u.owner))
   and (u.seen is null
        or exists (select 1 from {kind_pauses} k
                    where k.tenant = coalesce(u.owner, 0) and k.kind = u.kind
                      and k.origin = 'breaker' and k.paused_at = u.seen))
on conflict (tenant, kind, origin)
do update set paused_at = excluded.paused_at, paused_until = excluded.paused_until,
              reason = excluded.reason
 where p.paused_at = (select u.seen from wanted u)

-- name: close_breaker
-- Lets the tasks of a kind through after tries that succeeded, unless another process was first.
-- Values: tenant, kind, when it tripped.
delete from {kind_pauses} p
 where p.tenant = ?::integer and p.kind = ?::text and p.origin = 'breaker'
   and p.paused_at = ?::timestamptz

-- name: reopen_kind
-- Ends what handlers and a breaker ordered for a kind. Values: tenant, kind.
delete from {kind_pauses} p where p.tenant = ?::integer and p.kind = ?::text
