-- Shards: the workers that visit a tenant are some of those that live.

-- name: list_sharded_workers
-- Lists the processes that have workers with shards and hold a lease, with their pools; null for the
-- default one.
select w.id, w.pools from {workers} w
 where w.shards is not null and w.heartbeat_at > now() - w.lease

-- name: look_for_old_task
-- Looks whether a slot has a task that was enqueued a number of microseconds ago. The counters may show
-- tasks that a worker has taken, for some seconds.
-- Plan: scans the table until it finds one; the caller bounds the time.
select exists (select 1 from {table} t where t.created_at < now() - ?::bigint * interval '1 microsecond')
