package dev.rota.crash.interleaving;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A pool whose connections belong to one thread each, so that the server processes of an actor are
 * known. It notifies the gate when statements are sent. Thread-safe.
 */
final class ThreadBoundPool implements AutoCloseable {

  private final DataSource source;
  private final Rewriting rewriting;
  private final StepGate stage;
  private final Map<Thread, Own> threads = new ConcurrentHashMap<>();
  private final Queue<SQLException> refusals = new ConcurrentLinkedQueue<>();

  /** The connections of one thread; used by it, except the numbers of their processes. */
  private static final class Own {
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final List<Connection> all = new ArrayList<>();
    private volatile List<Integer> pids = List.of();
  }

  ThreadBoundPool(DataSource source, Rewriting rewriting, StepGate stage) {
    this.source = source;
    this.rewriting = rewriting;
    this.stage = stage;
  }

  /** The server processes of a thread. */
  List<Integer> pidsOf(Thread thread) {
    Own own = threads.get(thread);
    return own == null ? List.of() : own.pids;
  }

  /** The pool for one process. */
  DataSource of(int process) {
    return new BoundDataSource(process);
  }

  @Override
  public void close() throws SQLException {
    for (Own own : threads.values()) {
      close(own);
    }
  }

  private Connection take(int process) throws SQLException {
    Own own = ownOfThisThread();
    Connection physical = own.idle.poll();
    if (physical == null) {
      physical = source.getConnection();
      own.all.add(physical);
      List<Integer> pids = new ArrayList<>(own.pids);
      pids.add(physical.unwrap(PGConnection.class).getBackendPID());
      own.pids = List.copyOf(pids);
    }
    return lend(process, physical, own);
  }

  private Own ownOfThisThread() throws SQLException {
    Own known = threads.get(Thread.currentThread());
    if (known != null) {
      return known;
    }
    for (Thread thread : List.copyOf(threads.keySet())) {
      if (!thread.isAlive()) {
        close(threads.remove(thread));
      }
    }
    Own own = new Own();
    threads.put(Thread.currentThread(), own);
    return own;
  }

  /**
   * Closes the connections of a thread that has ended; another thread may have just closed them.
   */
  private static void close(@Nullable Own own) throws SQLException {
    if (own != null) {
      for (Connection connection : own.all) {
        connection.close();
      }
    }
  }

  private Connection lend(int process, Connection physical, Own own) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "close" -> {
                  physical.setAutoCommit(true);
                  own.idle.push(physical);
                  return null;
                }
                case "prepareStatement" -> {
                  stage.sent();
                  return prepare(process, physical, method, arguments);
                }
                case "commit" -> {
                  stage.sent();
                  rewriting.commit(process, new PhysicalEnding(physical));
                  return null;
                }
                case "rollback" -> stage.transactionEnded();
                // What goes through a pipeline has no text that could be changed here.
                case "isWrapperFor" -> {
                  return false;
                }
                default -> {}
              }
              return invoke(physical, method, arguments);
            });
  }

  private Object prepare(
      int process, Connection physical, Method method, @Nullable Object[] arguments)
      throws Throwable {
    String text = rewriting.text(process, (String) arguments[0]);
    boolean changed = !text.equals(arguments[0]);
    arguments[0] = text;
    PreparedStatement prepared =
        (PreparedStatement) Objects.requireNonNull(invoke(physical, method, arguments));
    return changed ? watched(process, prepared) : prepared;
  }

  private PreparedStatement watched(int process, PreparedStatement statement) {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            PreparedStatement.class.getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, method, arguments) -> {
              Object result;
              try {
                result = invoke(statement, method, arguments);
              } catch (SQLException e) {
                refusals.add(e);
                throw e;
              }
              if (method.getName().startsWith("execute")) {
                rewriting.answered(process);
              }
              return result;
            });
  }

  /** The errors of the server for statements that were changed on their way. */
  List<SQLException> refusals() {
    return List.copyOf(refusals);
  }

  private record PhysicalEnding(Connection connection) implements Rewriting.Ending {
    @Override
    public void run() throws SQLException {
      connection.commit();
    }

    @Override
    public void rollBack() throws SQLException {
      connection.rollback();
    }
  }

  private static @Nullable Object invoke(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  /** A data source that can only return connections. */
  private final class BoundDataSource implements DataSource {
    private final int process;

    BoundDataSource(int process) {
      this.process = process;
    }

    @Override
    public Connection getConnection() throws SQLException {
      return take(process);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      throw new SQLFeatureNotSupportedException("this pool has one user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException("this pool writes no log");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      throw new SQLException("this pool hides nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return false;
    }
  }
}
