package dev.rota.crash.points;

import dev.rota.internal.db.Session.StatementObserver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Numbers the round trips of a Rota at its seam, and breaks one of them. Timer-driven calls run at
 * unpredictable moments, so they are not numbered; {@link WorkerScenarios} makes them on the test's
 * thread. Thread-safe.
 */
final class StatementFaults implements StatementObserver {

  private static final String BACKGROUND = "rota-background";
  private static final String ROLLBACK = "rollback";

  /** Calls that send nothing alone, without an open transaction. */
  private static final Set<String> ENDINGS = Set.of("commit", ROLLBACK);

  /** Ends the server process of a connection, and waits until it is gone. */
  @FunctionalInterface
  interface Killer {
    void kill(int process) throws SQLException;
  }

  /** Lets the next BEGIN of a server process fail. */
  @FunctionalInterface
  interface BeginBreaker {
    void breakNext(int process);
  }

  private record Plan(Point point, Fault fault) {}

  private final Killer killer;
  private final BeginBreaker beginBreaker;
  private final Map<Thread, Set<String>> announced = new HashMap<>();
  private final Map<Thread, Point> underWay = new HashMap<>();
  private final Map<String, Integer> occurrences = new HashMap<>();
  private final List<Point> seen = new ArrayList<>();
  private final Map<Point, Point> previous = new HashMap<>();
  private final Set<Point> beginnings = new HashSet<>();
  private final List<Integer> victims = new ArrayList<>();
  private @Nullable Plan plan;
  private @Nullable Point last;
  private int lastProcess;
  private boolean open;
  private boolean ignoring;
  private boolean struck;
  private boolean cutsRollback;

  StatementFaults(Killer killer, BeginBreaker beginBreaker) {
    this.killer = killer;
    this.beginBreaker = beginBreaker;
  }

  /** Begins to number, and to break one round trip, or none. */
  synchronized void begin(@Nullable Point point, Fault fault) {
    plan = point == null ? null : new Plan(point, fault);
    open = true;
  }

  /** Sets whether calls are numbered from now on; they are by default. */
  synchronized void heed(boolean heeded) {
    ignoring = !heeded;
  }

  /** Lets all calls pass from now on. */
  synchronized void end() {
    open = false;
    cutsRollback = false;
  }

  /** The numbered round trips. */
  synchronized List<Point> seen() {
    return List.copyOf(seen);
  }

  /** Maps each numbered round trip to the previous one on the same connection, if there is one. */
  synchronized Map<Point, Point> previous() {
    return Map.copyOf(previous);
  }

  /** The numbered round trips that travel together with the BEGIN of their transaction. */
  synchronized Set<Point> beginnings() {
    return Set.copyOf(beginnings);
  }

  /** Whether the fault has happened. */
  synchronized boolean hasStruck() {
    return struck;
  }

  /** The last round trip except rollbacks. */
  synchronized @Nullable Point last() {
    return last;
  }

  /** The server processes whose connections were cut. */
  synchronized List<Integer> victims() {
    return List.copyOf(victims);
  }

  @Override
  public synchronized void before(String call) {
    announced.computeIfAbsent(Thread.currentThread(), unused -> new LinkedHashSet<>()).add(call);
  }

  @Override
  public void sending(Connection connection) throws SQLException {
    String calls = announced();
    Point point = number(calls, process(connection));
    if (cutsNow(calls)) {
      throw cut(connection);
    }
    if (point == null) {
      return;
    }
    noteBeginning(point, connection);
    Fault fault = strikes(point, true);
    if (fault == null) {
      return;
    }
    if (fault == Fault.BEGIN_FAILS) {
      beginBreaker.breakNext(process(connection));
      return;
    }
    if (fault == Fault.KILLED_BEFORE) {
      killer.kill(process(connection));
      return;
    }
    if (fault == Fault.CUT_BEFORE) {
      throw cut(connection);
    }
    if (fault == Fault.REFUSED_THEN_CUT) {
      cutNextRollback();
    }
    throw refusal();
  }

  @Override
  public void answered(Connection connection) throws SQLException {
    Point point = underWay();
    if (point == null) {
      return;
    }
    Fault fault = strikes(point, false);
    if (fault == Fault.CUT_AFTER) {
      throw cut(connection);
    }
    if (fault == Fault.KILLED_AFTER) {
      killer.kill(process(connection));
    }
  }

  private synchronized String announced() {
    Set<String> calls = announced.remove(Thread.currentThread());
    return calls == null ? "nothing" : String.join(Point.SEPARATOR, calls);
  }

  private synchronized @Nullable Point underWay() {
    return underWay.remove(Thread.currentThread());
  }

  private synchronized @Nullable Point number(String calls, int process) {
    boolean background = Thread.currentThread().getName().startsWith(BACKGROUND);
    if (!open || ignoring || background) {
      underWay.remove(Thread.currentThread());
      lastProcess = background ? lastProcess : 0;
      return null;
    }
    Point point = new Point(calls, occurrences.merge(calls, 1, Integer::sum));
    if (process == lastProcess) {
      previous.put(point, seen.get(seen.size() - 1));
    }
    seen.add(point);
    lastProcess = process;
    underWay.put(Thread.currentThread(), point);
    if (!calls.equals(ROLLBACK)) {
      last = point;
    }
    return point;
  }

  private void noteBeginning(Point point, Connection connection) throws SQLException {
    boolean idle =
        connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
    if (idle && !connection.getAutoCommit() && !ENDINGS.contains(point.calls())) {
      synchronized (this) {
        beginnings.add(point);
      }
    }
  }

  private synchronized @Nullable Fault strikes(Point point, boolean before) {
    if (plan == null || struck || !plan.point().equals(point)) {
      return null;
    }
    boolean after = plan.fault() == Fault.CUT_AFTER || plan.fault() == Fault.KILLED_AFTER;
    if (after == before) {
      return null;
    }
    struck = true;
    return plan.fault();
  }

  private synchronized void cutNextRollback() {
    cutsRollback = true;
  }

  private synchronized boolean cutsNow(String calls) {
    boolean now = cutsRollback && calls.equals(ROLLBACK);
    cutsRollback &= !now;
    return now;
  }

  private SQLException cut(Connection connection) throws SQLException {
    int process = process(connection);
    synchronized (this) {
      victims.add(process);
    }
    connection.abort(Runnable::run);
    return new SQLException("the connection broke, by order of a test", "08006");
  }

  private static SQLException refusal() {
    return new SQLException("the server refused, by order of a test", "53200");
  }

  private static int process(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getBackendPID();
  }
}
