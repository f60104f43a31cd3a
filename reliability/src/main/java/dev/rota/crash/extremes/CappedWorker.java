package dev.rota.crash.extremes;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Runs a worker in a separate process whose handlers write when they begin and end, by the clock of
 * the database. What they write lies within the time that they run.
 */
final class CappedWorker {

  private static final String BEGIN =
      "insert into capped_run (worker, tenant, kind, begun) values (?, ?, ?, clock_timestamp())"
          + " returning id";
  private static final String END = "update capped_run set ended = clock_timestamp() where id = ?";

  private final String name;
  private final ThreadLocal<Connection> connections;

  private CappedWorker(String url, String name) {
    this.name = name;
    this.connections = ThreadLocal.withInitial(() -> open(url));
  }

  /**
   * Arguments: the URL, a name, the lease in milliseconds, whether slots go without a lock, and the
   * kinds.
   */
  public static void main(String[] args) throws IOException {
    CappedWorker capped = new CappedWorker(args[0], args[1]);
    Rota.Builder builder =
        Boolean.parseBoolean(args[3])
            ? Rota.builder(UnlockedBudgets.pool(args[0]))
            : Rota.builder(args[0]);
    try (Rota rota = builder.lease(Duration.ofMillis(Long.parseLong(args[2]))).build();
        Worker worker = capped.worker(rota, List.of(args).subList(4, args.length)).start()) {
      System.out.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private Worker.Builder worker(Rota rota, List<String> kinds) {
    Worker.Builder worker = rota.worker().concurrency(8);
    kinds.forEach(kind -> worker.handle(kind, this::run));
    return worker;
  }

  private static Connection open(String url) {
    try {
      Connection connection = DriverManager.getConnection(url);
      // A kill of the process takes nothing from the server.
      connection.createStatement().execute("set synchronous_commit = off");
      return connection;
    } catch (SQLException e) {
      throw new IllegalStateException("a handler cannot connect", e);
    }
  }

  private void run(Task task) throws Exception {
    long id;
    try (PreparedStatement begin = connections.get().prepareStatement(BEGIN)) {
      begin.setString(1, name);
      begin.setString(2, task.tenant());
      begin.setString(3, task.kind());
      var key = begin.executeQuery();
      key.next();
      id = key.getLong(1);
    }
    Thread.sleep(20);
    try (PreparedStatement end = connections.get().prepareStatement(END)) {
      end.setLong(1, id);
      end.executeUpdate();
    }
  }
}
