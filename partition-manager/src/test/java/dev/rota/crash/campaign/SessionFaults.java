package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DatabaseException;
import dev.rota.Tenant;
import dev.rota.processes.Waiting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What sessions of others do to Rota. A crash of the server ends them before their time. */
final class SessionFaults {

  /** The first of the two keys of Rota's advisory locks, unless its settings say otherwise. */
  private static final int NAMESPACE = 0x726F7461;

  private static final Duration LONG_ENOUGH_TO_ROTATE = Duration.ofSeconds(30);

  private SessionFaults() {}

  private interface Act {
    boolean happened(Statement statement) throws SQLException;
  }

  static void read(Strike strike) throws Exception {
    int tenant = strike.tenant().number();
    String slot = "rota_%1$d.task_init_%1$d_%2$d".formatted(tenant, strike.victim() % 3);
    holdTransaction(
        strike,
        strike.hold(),
        statement -> {
          statement.execute("select 1 from " + slot + " limit 1");
          return number(
                  statement,
                  "select count(*) from pg_locks where pid = pg_backend_pid() and granted"
                      + (" and mode = 'AccessShareLock' and relation = '" + slot + "'::regclass"))
              == 1;
        });
  }

  static void keepSnapshot(Strike strike) throws Exception {
    holdTransaction(
        strike,
        strike.hold().multipliedBy(2),
        statement -> {
          statement.execute("set transaction isolation level repeatable read");
          statement.execute("select txid_current()");
          return number(
                  statement,
                  "select count(*) from pg_stat_activity where pid = pg_backend_pid()"
                      + " and backend_xmin is not null")
              == 1;
        });
  }

  static void takeGate(Strike strike) throws Exception {
    int tenant = strike.tenant().number();
    holdTransaction(
        strike,
        strike.hold(),
        statement -> {
          statement.execute("set lock_timeout = '10s'");
          statement.execute("select pg_advisory_lock(" + NAMESPACE + ", " + tenant + ")");
          return number(
                  statement,
                  "select count(*) from pg_locks where pid = pg_backend_pid() and granted and"
                      + " locktype = 'advisory' and classid = "
                      + NAMESPACE
                      + (" and objid = " + tenant + " and objsubid = 2"))
              == 1;
        });
  }

  /** Tries until it has happened, since the server may be away; then stays for a while. */
  private static void holdTransaction(Strike strike, Duration hold, Act act) throws Exception {
    Waiting.until("a session does what it should", () -> heldTransaction(strike, hold, act));
  }

  private static boolean heldTransaction(Strike strike, Duration hold, Act act) {
    boolean happened = false;
    try (Connection connection = strike.field().server().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      happened = act.happened(statement);
      LockSupport.parkNanos(hold.toNanos());
      return happened;
    } catch (SQLException e) {
      // The server is away; or it went while the session held what it had.
      return happened;
    }
  }

  /** The transaction is open over a rotation at least, over two if they come soon. */
  static void enqueueStale(Strike strike) throws Exception {
    Waiting.until("a transaction is open over a rotation", () -> enqueuedStale(strike));
  }

  private static boolean enqueuedStale(Strike strike) throws Exception {
    Tenant tenant = strike.tenant();
    long mark = strike.field().nextMark();
    strike.field().log().invoke(mark, 1, Way.SINGLE);
    boolean committing = false;
    try (Connection connection = strike.field().server().connect()) {
      connection.setAutoCommit(false);
      long id = tenant.enqueue(connection, Deed.of(mark).task(mark));
      boolean rotated = awaitRotation(connection, tenant, strike.hold());
      committing = true;
      connection.commit();
      strike.field().log().acknowledged(mark, List.of(id));
      return rotated;
    } catch (SQLException | DatabaseException e) {
      // The server is away: the next try has a mark of its own.
      if (committing) {
        strike.field().log().unknown(mark, 1);
      } else {
        strike.field().log().failed(mark, 1);
      }
      return false;
    }
  }

  private static boolean awaitRotation(Connection connection, Tenant tenant, Duration hold)
      throws SQLException {
    String query = "select rotations from rota.tenant where number = " + tenant.number();
    long begun = System.nanoTime();
    try (Statement statement = connection.createStatement()) {
      long before = number(statement, query);
      long rotations = 0;
      while (rotations < 2) {
        long waited = System.nanoTime() - begun;
        if (waited > LONG_ENOUGH_TO_ROTATE.toNanos()
            || (rotations == 1 && waited > 2 * hold.toNanos())) {
          break;
        }
        LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        rotations = number(statement, query) - before;
      }
      return rotations > 0;
    }
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      assertThat(row.next()).as("a row of " + query).isTrue();
      return row.getLong(1);
    }
  }
}
