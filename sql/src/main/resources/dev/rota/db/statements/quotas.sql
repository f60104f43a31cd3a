-- Quotas: how many tasks a tenant may have pending, and how many bytes of payloads it may enqueue. Only those of tenants
-- that have one ask.

-- name: look_for_room
-- Reads the quotas of tenants, and how many pending tasks each has, by the counters of its tables. The
-- insert of the same transaction is the next statement, so that only calls in flight can come between.
--
-- Rejected, by an estimate: an answer that serves for 100 ms while the tenant is below nine tenths of
-- its quota. At 200,000 tasks a second, producers of batches fill the last tenth of 100,000 in 50 ms.
select u.number, r.allowed, r.pending
  from unnest(?::integer[]) as u (number), lateral {room}(u.number) r
 where r.allowed is not null

-- name: count_pending_tasks
-- Counts the pending tasks of some tenants with a quota, if the server has lost counters since they
-- were counted last. Returns how many. A thorough call also counts those anew whose counts no longer
-- tell the tasks: after a vacuum, with other tables, or by counters that rollbacks have changed.
-- A thorough call reads counters of each table of these tenants, so that not every call is one.
select {count_pending}(?::boolean)

-- name: lease_payload
-- Leases bytes of the quota of payloads of a tenant, a hundredth of it where that is more, in a
-- transaction of its own before that of the enqueue. Values: tenant, bytes.
--
-- Rejected: to take the bytes of each enqueue in its transaction, as the functions for SQL do. All
-- enqueues of a tenant would wait for one row, and some for as long as their callers' transactions
-- last.
select p.allowed, p.used, p.granted, p.period, p.began, p.lasts
  from {lease_payload}(?::integer, ?::bigint, true) p

-- name: return_payload
-- Gives back what a process has leased and not used, when it closes. Values: tenants, periods, their
-- beginnings, bytes.
select {return_payload}(?::integer[], ?::text[], ?::bigint[], ?::bigint[])
