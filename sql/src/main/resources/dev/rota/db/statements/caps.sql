-- Slots of caps, which workers lease. A process sends these only while a rule has a cap.

-- name: look_at_shares
-- Reads for some budgets how many slots other workers hold, how many workers want more, how many
-- hold or want any, and how many have idle handlers for more. Values: tenants, kinds, this worker.
select u.place, coalesce(sum(s.held), 0)::integer, count(*) filter (where s.wanted),
       count(*) filter (where s.wanted or s.held > 0), count(*) filter (where s.idle)
  from unnest(?::integer[], ?::text[]) with ordinality as u (tenant, kind, place)
  left join {shares} s on s.tenant = u.tenant and s.kind = u.kind and s.worker <> ?::bigint
 group by u.place order by u.place

-- name: make_budgets
-- Makes the rows of budgets, but for tenants that are erased. Values: tenants, kinds.
insert into {budgets} (owner, kind)
select nullif(u.tenant, 0), u.kind
  from unnest(?::integer[], ?::text[]) as u (tenant, kind)
 where u.tenant = 0 or exists (select 1 from {tenants} t where t.number = u.tenant)
 order by u.tenant, u.kind
on conflict (tenant, kind) do nothing

-- name: lock_budgets
-- Lets one session at a time lease slots of these budgets. All sessions lock them in one order. A
-- statement of its own: what it waited for is visible to the next one. Values: tenants, kinds.
--
-- Rejected: advisory locks. A process leases of hundreds of budgets at once, and the lock table of
-- the server is small.
select b.kind from {budgets} b
 where (b.tenant, b.kind) in (select * from unnest(?::integer[], ?::text[]))
 order by b.tenant, b.kind for no key update

-- name: lease_slots
-- Takes slots as far as the caps leave them, or gives some back, under the lock of the budgets. A
-- worker never gets less than what it may use without this statement. Values: this worker, tenants,
-- kinds, slots to have, slots that may be in use, caps, slots for which it has tasks, whether it has
-- idle handlers for more (1), this worker.
with asked as materialized (
       select u.*, (select coalesce(sum(s.held), 0) from {shares} s
                     where s.tenant = u.tenant and s.kind = u.kind and s.worker <> ?::bigint) as others
         from unnest(?::integer[], ?::text[], ?::integer[], ?::integer[], ?::integer[], ?::integer[],
                     ?::integer[])
              with ordinality as u (tenant, kind, slots, used, cap, needed, idle, place)
        where exists (select 1 from {budgets} b where b.tenant = u.tenant and b.kind = u.kind)),
     granted as (
       select a.*, greatest(a.used, least(a.slots, a.cap - a.others))::integer as held from asked a),
     written as (
       insert into {shares} as s (tenant, kind, worker, held, wanted, idle)
       select g.tenant, g.kind, ?::bigint, g.held, g.needed > g.held, g.idle = 1 from granted g
       on conflict (tenant, kind, worker)
       do update set held = excluded.held, wanted = excluded.wanted, idle = excluded.idle
        where (s.held, s.wanted, s.idle) is distinct from (excluded.held, excluded.wanted, excluded.idle))
select g.place, g.held from granted g
