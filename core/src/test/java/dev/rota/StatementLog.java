package dev.rota;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Wraps connections and records every statement, commit and rollback on them. */
final class StatementLog {

  private static final Set<String> ENDS =
      Set.of("commit", "rollback", "setAutoCommit", "setSavepoint", "close");

  private final List<String> sent = new CopyOnWriteArrayList<>();

  /** What was sent, in order: the text of statements, the names of other calls. */
  List<String> sent() {
    return List.copyOf(sent);
  }

  void clear() {
    sent.clear();
  }

  Connection over(Connection connection) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          if (ENDS.contains(method.getName())) {
            sent.add(method.getName());
          }
          Object result = call(connection, method, arguments);
          return result instanceof PreparedStatement prepared
              ? over(PreparedStatement.class, prepared, (String) arguments[0])
              : result instanceof Statement plain ? over(Statement.class, plain, "") : result;
        });
  }

  private <T extends Statement> T over(Class<T> type, T statement, String text) {
    return proxy(
        type,
        (method, arguments) -> {
          if (method.getName().startsWith("execute")) {
            sent.add(arguments == null ? text : (String) arguments[0]);
          }
          return call(statement, method, arguments);
        });
  }

  static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            StatementLog.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> handler.handle(method, arguments)));
  }

  @FunctionalInterface
  private interface Handler {
    Object handle(Method method, Object[] arguments) throws Throwable;
  }
}
