package dev.rota.crash.campaign;

import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Sessions of other programs that interfere with Rota. A crash of the server ends them early. */
final class SessionFaults {

  /** The first of the two keys of Rota's advisory locks by default. */
  private static final int NAMESPACE = 0x726F7461;

  /**
   * Whether a session holds a snapshot. A running query has one in any case: only one that it
   * leaves behind is held.
   */
  private static final String HOLDS_A_SNAPSHOT =
      """
      select count(*) from pg_stat_activity
       where pid = %d and state = 'idle in transaction' and backend_xmin is not null""";

  private static final String HOLDS_THE_GATE =
      """
      select count(*) from pg_locks
       where pid = %d and granted and locktype = 'advisory'
         and classid = %d and objid = %d and objsubid = 2""";

  private SessionFaults() {}

  private interface Act {

    /** Performs the session's action; the returned query counts one if it has happened. */
    String done(Statement statement, int pid) throws SQLException;
  }

  static void keepSnapshot(ActiveFault fault) throws Exception {
    holdTransaction(
        fault,
        fault.hold().multipliedBy(2),
        (statement, pid) -> {
          statement.execute("set transaction isolation level repeatable read");
          statement.execute("select txid_current()");
          return HOLDS_A_SNAPSHOT.formatted(pid);
        });
  }

  static void takeGate(ActiveFault fault) throws Exception {
    int tenant = fault.tenant().number();
    holdTransaction(
        fault,
        fault.hold(),
        (statement, pid) -> {
          statement.execute("set lock_timeout = '10s'");
          statement.execute("select pg_advisory_lock(" + NAMESPACE + ", " + tenant + ")");
          return HOLDS_THE_GATE.formatted(pid, NAMESPACE, tenant);
        });
  }

  /**
   * Tries until the action has happened, since the server may be unavailable; then stays for a
   * while.
   */
  private static void holdTransaction(ActiveFault fault, Duration hold, Act act) throws Exception {
    Await.until("a session does what it should", () -> heldTransaction(fault, hold, act));
  }

  private static boolean heldTransaction(ActiveFault fault, Duration hold, Act act) {
    ControlledServer server = fault.environment().server();
    boolean happened = false;
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      int pid = ControlledServer.backendOf(connection);
      connection.setAutoCommit(false);
      happened = server.number(act.done(statement, pid)) == 1;
      LockSupport.parkNanos(happened ? hold.toNanos() : 0);
      return happened;
    } catch (SQLException e) {
      // The server is unavailable; or it failed while the session held its lock or snapshot.
      return happened;
    }
  }
}
