package dev.rota.internal.worker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * The connection of a claim for a handler, which must not end the transaction. That would commit
 * later tasks as done, though they have not run.
 */
final class GuardedConnection {

  private static final Set<String> ENDING = Set.of("commit", "setAutoCommit", "abort");

  private GuardedConnection() {}

  static Connection guard(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            GuardedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              int count = arguments == null ? 0 : arguments.length;
              if (ENDING.contains(method.getName())
                  || (method.getName().equals("rollback") && count == 0)) {
                throw new SQLException(
                    method.getName()
                        + " is not for a handler: its transaction is that of the claim, and ends"
                        + " after the last task; throw an exception to undo this task's writes");
              }
              if (method.getName().equals("close")) {
                return null;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
