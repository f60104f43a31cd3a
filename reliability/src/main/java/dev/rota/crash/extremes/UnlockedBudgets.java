package dev.rota.crash.extremes;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Sabotages caps: reads how many slots others hold without the lock of the budget. */
final class UnlockedBudgets extends PGSimpleDataSource {

  private static final long serialVersionUID = 1L;

  private static final String LOCK = " for no key update";

  UnlockedBudgets(String jdbcUrl) {
    setUrl(jdbcUrl);
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
