package dev.rota.partition.internal;

import dev.rota.internal.db.DaemonSql;

/** The statements by which one daemon leads. */
final class LeaderSql {

  /**
   * Takes the leader's lock if nobody has it. The lock belongs to the session: the server gives it
   * back when the connection ends, however it ends. Second key: 0 is for migrations, tenants have
   * their numbers, and locks of daemons have negative ones.
   */
  static final String LEAD = "select pg_try_advisory_lock(?, ?), pg_backend_pid()";

  /** The second key of the leader's lock. */
  static final int LEADER = DaemonSql.LEADER;

  /** Lets the server notice within a minute that the leader's machine is gone. */
  static final String WATCH =
      """
      select set_config('tcp_keepalives_idle', '30', false),
             set_config('tcp_keepalives_interval', '10', false),
             set_config('tcp_keepalives_count', '3', false)""";

  /** The server process that serves the connection: another one does not hold the lock. */
  static final String PROCESS = "select pg_backend_pid()";

  /**
   * The session that holds the lock, in words: its process, and what the server lets this role see
   * of its application, role, address, and start.
   */
  static final String HOLDER =
      """
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
         and l.objid::bigint = (?::bigint & 4294967295)""";

  /** Gives the lock back. */
  static final String RESIGN = "select pg_advisory_unlock(?, ?)";

  /** Undoes {@link #WATCH} before the connection returns to its pool. */
  static final String UNWATCH =
      "reset tcp_keepalives_idle; reset tcp_keepalives_interval; reset tcp_keepalives_count";

  private LeaderSql() {}
}
