-- The leader among the daemons, and the check whether one leads.

-- name: lead
-- Takes the leader's lock if no session holds it. The lock belongs to the session: the server
-- releases it when the connection ends. Second keys: 0 is for migrations, tenants have their
-- numbers, daemons have negative ones.
select pg_try_advisory_lock(?, ?), pg_backend_pid()

-- name: watch
-- Lets the server notice within a minute that the leader's machine is gone.
select set_config('tcp_keepalives_idle', '30', false),
       set_config('tcp_keepalives_interval', '10', false),
       set_config('tcp_keepalives_count', '3', false)

-- name: confirm
-- Reads the server process of the connection: another process does not hold the lock.
select pg_backend_pid()

-- name: find_the_leader
-- Describes the session that holds the lock: its process, and what the server lets this role see of
-- its application, role, address, and start.
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

-- name: resign
-- Releases the leader's lock.
select pg_advisory_unlock(?, ?)

-- name: unwatch
-- Undoes watch before the connection returns to its pool.
select set_config(s.name, s.reset_val, false) from pg_settings s
 where s.name in ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count')

-- name: look_for_a_daemon
-- Checks whether a session holds the leader's lock, given by its two keys.
select exists (select 1 from pg_locks l
                where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
                  and l.database = (select d.oid from pg_database d
                                     where d.datname = current_database())
                  and l.classid::bigint = (?::bigint & 4294967295)
                  and l.objid::bigint = (?::bigint & 4294967295))

-- name: look_for_wait_tables
-- Finds which wait tables of a list hold anything at all, dead rows included. A missing table holds
-- nothing.
select u.place from unnest(?::text[]) with ordinality as u (name, place)
 where pg_relation_size(to_regclass(u.name)) > 0 order by u.place

-- name: look_for_waiting_tasks
-- Checks whether any task waits.
select exists (select 1 from {waiting})
