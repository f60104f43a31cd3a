package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.WorkerStatistics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs a worker with default settings in a separate process. Each run of a task writes its length
 * to table {@code effect}. Answers "peak", with the most tasks that it held at a time, and "close".
 */
final class LargePayloadProcess {

  private LargePayloadProcess() {}

  /** Argument: the URL. */
  public static void main(String[] args) throws IOException, SQLException {
    PrintStream answers = JavaProcess.answers();
    AtomicReference<Worker> started = new AtomicReference<>();
    AtomicLong peak = new AtomicLong();
    try (Rota rota = Rota.builder(args[0]).build();
        Connection effects = DriverManager.getConnection(args[0])) {
      Worker worker =
          rota.worker()
              .handle(
                  "large",
                  task -> {
                    Worker own = started.get();
                    if (own != null) {
                      peak.accumulateAndGet(held(own.statistics()), Math::max);
                    }
                    effect(effects, task);
                  })
              .concurrency(4)
              .start();
      started.set(worker);
      answers.println("started");
      answer(worker, peak, answers);
    }
  }

  private static long held(WorkerStatistics statistics) {
    return statistics.claimed() - statistics.done();
  }

  private static void effect(Connection connection, Task task) throws SQLException {
    synchronized (connection) {
      try (PreparedStatement insert =
          connection.prepareStatement("insert into effect values (?, ?, ?)")) {
        insert.setString(1, task.tenant());
        insert.setLong(2, task.id());
        insert.setInt(3, task.payload().length());
        insert.executeUpdate();
      }
    }
  }

  private static void answer(Worker worker, AtomicLong peak, PrintStream answers)
      throws IOException {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String command = commands.readLine(); command != null; command = commands.readLine()) {
      if (command.equals("close")) {
        worker.close();
        answers.println("closed");
        return;
      }
      answers.println(peak.get());
    }
  }
}
