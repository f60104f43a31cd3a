-- Starts at rates, which workers lease. A process sends these only while a rule has a rate.

-- name: make_buckets
-- Makes the rows of buckets, full, but for tenants that are erased. Values: tenants, kinds.
insert into {buckets} (owner, kind, last_at)
select nullif(u.tenant, 0), u.kind, '2000-01-01 00:00:00+00'
  from unnest(?::integer[], ?::text[]) as u (tenant, kind)
 where u.tenant = 0 or exists (select 1 from {tenants} t where t.number = u.tenant)
 order by u.tenant, u.kind
on conflict (tenant, kind) do nothing

-- name: lease_starts
-- Leases the starts that follow the last leased one, as many as are asked for and come soon enough
-- (GCRA). Starts that come back follow the last one again. A start is lost once it is older than the burst. Returns for each bucket
-- how many are leased, and how many microseconds from now the one before the first is. All sessions
-- lock buckets in one order, and read the clock once they have the lock. Values: whether the commit
-- may return before it is on disk, tenants, kinds, starts, starts that come back, microseconds between
-- starts, microseconds of the burst, microseconds to look ahead.
--
-- Rejected: one UPDATE whose SET reads the clock. Two of several buckets could wait for each other.
with mode as materialized (
       select case when ?::boolean then set_config('synchronous_commit', 'off', true) end as way),
     asked as materialized (
       select u.* from mode,
              unnest(?::integer[], ?::text[], ?::bigint[], ?::bigint[], ?::float8[], ?::float8[], ?::float8[])
              with ordinality as u (tenant, kind, starts, back, step, burst, ahead, place)),
     locked as materialized (
       select b.tenant, b.kind, b.last_at from {buckets} b
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
       update {buckets} b set last_at = g.base + g.count * g.step * interval '1 microsecond'
         from granted g
        where b.tenant = g.tenant and b.kind = g.kind and (g.count > 0 or g.back > 0))
select g.place, g.count, g.since from granted g
