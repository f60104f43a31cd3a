package dev.rota.testing;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to a database that can be switched, and changes their statements by a function
 * that can be switched as well. It is made for tests of clocks that step and of servers that are
 * replaced. The present function applies to all connections, also to those that were opened before.
 * Thread-safe.
 */
public final class RewritingDataSource implements DataSource {

  private volatile DataSource target;
  private volatile UnaryOperator<String> change = UnaryOperator.identity();

  /** Creates a source over a database, without a change. */
  public RewritingDataSource(DataSource target) {
    this.target = target;
  }

  /** Directs new connections to another database; open ones stay where they are. */
  public void lead(DataSource other) {
    target = other;
  }

  /** Changes each statement that is prepared from now on. */
  public void change(UnaryOperator<String> statements) {
    change = statements;
  }

  /** Steps the clock of the database for all statements that are prepared from now on. */
  public void stepClock(Duration step) {
    String stepped = "(pg_catalog.now() + interval '" + step.toMillis() + " milliseconds')";
    change(text -> text.replaceAll("(?<![\\w.])(now|clock_timestamp)\\(\\)", stepped));
  }

  @Override
  public Connection getConnection() throws SQLException {
    return rewriting(target.getConnection());
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return rewriting(target.getConnection(user, password));
  }

  private Connection rewriting(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isWrapperFor")) {
                // Rota must keep no statements prepared here: no later change would reach them.
                return false;
              }
              if (method.getName().equals("prepareStatement")) {
                arguments[0] = change.apply((String) arguments[0]);
              }
              return invoke(connection, method, arguments);
            });
  }

  private static @Nullable Object invoke(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
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
    throw new SQLFeatureNotSupportedException("these connections write no log");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("these connections hide nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
