package dev.rota.partition.internal;

/** The statements by which one daemon leads. */
final class LeaderSql {

  /**
   * Takes the leader's lock if nobody has it. The lock belongs to the session: the server gives it
   * back when the connection ends, however it ends. Second key: 0 is for migrations, tenants have
   * their numbers, and locks of daemons have negative ones.
   */
  static final String LEAD = "select pg_try_advisory_lock(?, ?), pg_backend_pid()";

  /** The second key of the leader's lock. */
  static final int LEADER = -1;

  /** Lets the server notice within a minute that the leader's machine is gone. */
  static final String WATCH =
      """
      select set_config('tcp_keepalives_idle', '30', false),
             set_config('tcp_keepalives_interval', '10', false),
             set_config('tcp_keepalives_count', '3', false)""";

  /** The server process that serves the connection: another one does not hold the lock. */
  static final String PROCESS = "select pg_backend_pid()";

  /** Gives the lock back. */
  static final String RESIGN = "select pg_advisory_unlock(?, ?)";

  /** Undoes {@link #WATCH} before the connection returns to its pool. */
  static final String UNWATCH =
      "reset tcp_keepalives_idle; reset tcp_keepalives_interval; reset tcp_keepalives_count";

  private LeaderSql() {}
}
