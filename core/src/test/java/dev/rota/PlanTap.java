package dev.rota;

import dev.rota.testing.TestDatabase;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Logger;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.ResultHandler;

/**
 * Collects the plans with which a pool's statements ran: the server sends each one as a notice, and
 * a driver of the test keeps them.
 */
final class PlanTap {

  private static final String PREFIX = "jdbc:explained:";
  private static final Map<String, PlanTap> TAPS = new ConcurrentHashMap<>();
  private static final List<String> AUTO_EXPLAIN =
      List.of(
          "session_preload_libraries=auto_explain",
          "auto_explain.log_min_duration=0",
          "auto_explain.log_level=notice",
          "auto_explain.log_analyze=on",
          "auto_explain.log_buffers=on",
          "auto_explain.log_timing=off");

  static {
    try {
      DriverManager.registerDriver(new TapDriver());
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Queue<Plan> plans = new ConcurrentLinkedQueue<>();

  /** A JDBC URL whose connections report to this tap, with further settings of the server. */
  String url(TestDatabase database, String... settings) {
    String name = Integer.toString(TAPS.size() + 1);
    TAPS.put(name, this);
    StringBuilder options = new StringBuilder();
    AUTO_EXPLAIN.forEach(setting -> options.append(" -c ").append(setting));
    for (String setting : settings) {
      options.append(" -c ").append(setting.replace(" ", "\\ "));
    }
    return PREFIX
        + name
        + database.jdbcUrl().substring("jdbc".length())
        + "&options="
        + URLEncoder.encode(options.substring(1), StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Forgets the plans that were seen so far. */
  void clear() {
    plans.clear();
  }

  /** The plans of the statements whose texts contain this, in the order in which they ran. */
  List<Plan> plansOf(String text) {
    return plans.stream().filter(plan -> plan.text().contains(text)).toList();
  }

  /**
   * The plan with which a statement ran once.
   *
   * @param connection where it ran
   * @param text what the server says about it
   */
  record Plan(Connection connection, String text) {

    /** Whether the statement is server-prepared on its connection, and not by this run. */
    boolean isOfPrepared(String statement) throws SQLException {
      return count(statement, "generic_plans + custom_plans > 1") > 0;
    }

    /** Whether the statement is server-prepared on its connection and has a generic plan. */
    boolean isGenericOf(String statement) throws SQLException {
      return count(statement, "generic_plans > 1") > 0;
    }

    private long count(String statement, String condition) throws SQLException {
      String query =
          "select count(*) from pg_prepared_statements where %s and position('%s' in statement) > 0"
              .formatted(condition, statement);
      long count = Long.parseLong(RotaFixture.texts(connection, query).get(0));
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      return count;
    }
  }

  private Connection tapped(Connection connection) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          Object result = call(() -> method.invoke(connection, arguments));
          if (result instanceof PreparedStatement statement) {
            return tapped(connection, statement);
          }
          return method.getName().equals("unwrap") && arguments[0] == BaseConnection.class
              ? tapped((BaseConnection) result)
              : result;
        });
  }

  /** The driver's connection, with a tap on what goes through its executor. */
  private BaseConnection tapped(BaseConnection connection) {
    return proxy(
        BaseConnection.class,
        (proxy, method, arguments) -> {
          Object result = call(() -> method.invoke(connection, arguments));
          return result instanceof QueryExecutor executor ? tapped(connection, executor) : result;
        });
  }

  private QueryExecutor tapped(BaseConnection connection, QueryExecutor executor) {
    return proxy(
        QueryExecutor.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("execute")) {
            arguments[2] = tapped(connection, (ResultHandler) arguments[2]);
          }
          return call(() -> method.invoke(executor, arguments));
        });
  }

  private ResultHandler tapped(BaseConnection connection, ResultHandler handler) {
    return proxy(
        ResultHandler.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("handleWarning")) {
            keep(connection, (SQLWarning) arguments[0]);
          }
          return call(() -> method.invoke(handler, arguments));
        });
  }

  private PreparedStatement tapped(Connection connection, PreparedStatement statement) {
    return proxy(
        PreparedStatement.class,
        (proxy, method, arguments) -> {
          Object result = call(() -> method.invoke(statement, arguments));
          if (method.getName().startsWith("execute")) {
            keep(connection, statement.getWarnings());
          }
          return result;
        });
  }

  private void keep(Connection connection, SQLWarning first) {
    for (SQLWarning notice = first; notice != null; notice = notice.getNextWarning()) {
      plans.add(new Plan(connection, String.valueOf(notice.getMessage())));
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(PlanTap.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private interface Reflective {
    Object call() throws ReflectiveOperationException;
  }

  private static Object call(Reflective body) throws Throwable {
    try {
      return body.call();
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Connects to PostgreSQL, and taps what it connects. */
  private static final class TapDriver implements Driver {

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      String[] parts = url.substring(PREFIX.length()).split(":", 2);
      return TAPS.get(parts[0]).tapped(DriverManager.getConnection("jdbc:" + parts[1], properties));
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }
  }
}
