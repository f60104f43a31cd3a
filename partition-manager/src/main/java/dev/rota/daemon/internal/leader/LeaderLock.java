package dev.rota.daemon.internal.leader;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.PoolerProbe;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.SafeText;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The leader's lock and the one connection that holds it. It polls for the lock and never waits for
 * it: a waiting session would hold a snapshot and a connection for nothing. Used by one thread,
 * except {@link #isHeld()}.
 */
public final class LeaderLock {

  private static final Logger log = Logs.of(LeaderLock.class);

  private static final Sql LEAD = Sql.named("lead");
  private static final Sql WATCH = Sql.named("watch");
  private static final Sql CONFIRM = Sql.named("confirm");
  private static final Sql FIND_THE_LEADER = Sql.named("find_the_leader");
  private static final Sql RESIGN = Sql.named("resign");
  private static final Sql UNWATCH = Sql.named("unwatch");

  private static final int NETWORK_TIMEOUT_MILLIS =
      (int) LeaderSession.LONG_STATEMENT.plusSeconds(30).toMillis();

  private static final String POOLER =
      "a pooler in transaction mode is in between, and the leader's lock belongs to a session;"
          + " connect the daemon to the server itself, or set pool_mode=session for its user";

  private final Database database;
  private final PoolerProbe probe;
  private final int namespace;
  private final int lock;
  private final boolean watched;
  private @Nullable Connection connection;
  private int process;
  private volatile boolean held;

  private record Answer(boolean granted, int process) {}

  /** Creates the lock of this number, for which daemons compete; see {@code leader.sql}. */
  public LeaderLock(Database database, int namespace, int lock) {
    this(database, namespace, lock, true);
  }

  /**
   * Creates the lock for a leader in the thread of a test: the server need not notice that its
   * machine is gone.
   */
  public static LeaderLock unwatched(Database database, int namespace, int lock) {
    return new LeaderLock(database, namespace, lock, false);
  }

  private LeaderLock(Database database, int namespace, int lock, boolean watched) {
    this.watched = watched;
    this.database = database;
    this.probe = new PoolerProbe(database);
    this.namespace = namespace;
    this.lock = lock;
  }

  boolean isHeld() {
    return held;
  }

  /**
   * Tries to take the lock once. A connection without it goes straight back to its pool.
   *
   * @return the session, or null while another daemon leads
   */
  @Nullable
  public LeaderSession seek() throws SQLException {
    Connection candidate = database.dataSource().getConnection();
    requireSession(candidate);
    try {
      Answer answer = ask(candidate);
      if (!answer.granted()) {
        candidate.close();
        return null;
      }
      keep(candidate, answer.process());
      return new LeaderSession(database, candidate);
    } catch (SQLException | RuntimeException | Error e) {
      abort(candidate);
      throw e;
    }
  }

  /** Describes the session that holds the lock; empty if it gave the lock back meanwhile. */
  Optional<String> holder() throws SQLException {
    return database
        .tryTransaction(
            "find the leader",
            session ->
                session.run(
                    BoundStatement.query(
                        FIND_THE_LEADER,
                        row -> SafeText.of(row.getString(1)),
                        (long) namespace,
                        (long) lock)))
        .stream()
        .findFirst();
  }

  /** Checks that the connection is still the session that took the lock. */
  public void confirm(LeaderSession leader) throws SQLException {
    int present =
        leader.transaction(
            "confirm the leadership",
            session -> session.run(BoundStatement.query(CONFIRM, row -> row.getInt(1))).get(0));
    if (present != process) {
      throw new LeadershipLostException(
          new SQLException(
              "the connection changed its server process "
                  + process
                  + ", which keeps the lock until it ends, as by pg_terminate_backend: "
                  + POOLER));
    }
  }

  /** Refuses a pooler, which would keep the lock, and with it all daemons from leading. */
  private void requireSession(Connection candidate) throws SQLException {
    if (exchangesSessions(candidate)) {
      candidate.close();
      throw new SQLException(POOLER);
    }
  }

  private boolean exchangesSessions(Connection candidate) throws SQLException {
    try {
      return probe.exchangesSessions(candidate);
    } catch (SQLException | RuntimeException | Error e) {
      abort(candidate);
      throw e;
    }
  }

  /** Gives the lock back, or cuts the connection so that the server does it. */
  public void resign() {
    Connection leaders = connection;
    if (leaders == null) {
      return;
    }
    forget();
    try {
      release(leaders);
      leaders.close();
    } catch (SQLException | RuntimeException | Error e) {
      log.info("the daemon ends the session that led, since it did not resign: {}", e.toString());
      abort(leaders);
    }
  }

  /** Ends the session after a failure, whatever state the connection is in. */
  public void abandon() {
    Connection leaders = connection;
    if (leaders != null) {
      forget();
      abort(leaders);
    }
  }

  private void forget() {
    held = false;
    connection = null;
  }

  private Answer ask(Connection candidate) throws SQLException {
    return on(
        candidate,
        "ask for the leadership",
        BoundStatement.query(
            LEAD, row -> new Answer(row.getBoolean(1), row.getInt(2)), namespace, lock));
  }

  private void keep(Connection candidate, int serverProcess) throws SQLException {
    candidate.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
    if (watched) {
      on(candidate, "watch the leader", BoundStatement.query(WATCH, row -> true));
    }
    connection = candidate;
    process = serverProcess;
    held = true;
  }

  private void release(Connection leaders) throws SQLException {
    boolean released =
        on(
            leaders,
            "resign",
            BoundStatement.query(RESIGN, row -> row.getBoolean(1), namespace, lock));
    if (!released) {
      throw new SQLException("the session did not hold the leader's lock");
    }
    if (watched) {
      on(leaders, "resign", BoundStatement.query(UNWATCH, row -> true));
    }
    leaders.setNetworkTimeout(Runnable::run, 0);
  }

  private <T> T on(Connection session, String purpose, BoundStatement<List<T>> call)
      throws SQLException {
    return database
        .transactionOn(session, database.settings(), purpose, Database.alone(call))
        .get()
        .get(0);
  }

  /** Aborts a session. A session that may hold the lock must never be used by other code. */
  private static void abort(Connection session) {
    try {
      session.abort(Runnable::run);
      session.close();
    } catch (SQLException | RuntimeException e) {
      // The session is gone already, and the lock with it.
      return;
    }
  }
}
