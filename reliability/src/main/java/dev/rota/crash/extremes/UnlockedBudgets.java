package dev.rota.crash.extremes;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Sabotages caps: reads how many slots others hold without the lock of the budget. */
final class UnlockedBudgets extends PGSimpleDataSource {

  private static final long serialVersionUID = 1L;

  private static final String LOCK = " for no key update";

  private UnlockedBudgets(String jdbcUrl) {
    setUrl(jdbcUrl);
  }

  /** Returns a pool of its connections, which lasts as long as its process. */
  static DataSource pool(String jdbcUrl) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(new UnlockedBudgets(jdbcUrl));
    return new HikariDataSource(config);
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection physical = super.getConnection();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> call(physical, method, arguments));
  }

  private static @Nullable Object call(
      Connection physical, Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    if (method.getName().equals("isWrapperFor")) {
      // What goes through a pipeline has no text that could be changed here.
      return false;
    }
    if (method.getName().equals("prepareStatement") && arguments != null) {
      arguments[0] = String.valueOf(arguments[0]).replace(LOCK, "");
    }
    try {
      return method.invoke(physical, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
