package dev.rota.crash.extremes;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Runs a worker in a separate process whose handlers call a service, which is a table: it records
 * each call, and refuses it while the service is down.
 */
final class RefusedWorker {

  /** How many handlers it has. */
  static final int HANDLERS = 8;

  private static final String CALL =
      "insert into call (task, refused) select %d, down from service returning refused";

  private final ThreadLocal<Connection> connections;

  private RefusedWorker(String url) {
    this.connections = ThreadLocal.withInitial(() -> open(url));
  }

  /** Arguments: the URL, and the lease in milliseconds. */
  public static void main(String[] args) throws IOException {
    RefusedWorker refused = new RefusedWorker(args[0]);
    try (Rota rota =
            Rota.builder(args[0]).lease(Duration.ofMillis(Long.parseLong(args[1]))).build();
        Worker worker =
            rota.worker().handle("charge", refused::run).concurrency(HANDLERS).start()) {
      System.out.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static Connection open(String url) {
    try {
      return DriverManager.getConnection(url);
    } catch (SQLException e) {
      throw new IllegalStateException("a handler cannot connect", e);
    }
  }

  private void run(Task task) throws SQLException {
    try (Statement call = connections.get().createStatement();
        ResultSet answer = call.executeQuery(CALL.formatted(task.id()))) {
      answer.next();
      if (answer.getBoolean(1)) {
        throw new IllegalStateException("the service is down");
      }
    }
  }
}
