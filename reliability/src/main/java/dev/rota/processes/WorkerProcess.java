package dev.rota.processes;

import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Runs a worker in a separate process. Each run of a task writes a row to table {@code effect}. A
 * task with payload "hold" then waits until the test releases the advisory lock 42. Tasks of the
 * pipeline write a row to table {@code passed} at each stage, and wait there as well. Answers to
 * the lines "stats" and "close" on its standard input.
 */
public final class WorkerProcess {

  public static final int HELD_LOCK = 42;
  static final Pipeline DOCS =
      Pipeline.named("doc").stage("fetch").stage("parse").stage("index").build();

  private WorkerProcess() {}

  /** Arguments: the URL, and the lease in milliseconds. */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    String url = args[0];
    try (Rota rota = Rota.builder(url).lease(Duration.ofMillis(Long.parseLong(args[1]))).build()) {
      Worker worker =
          rota.worker()
              .handle("quick", task -> {})
              .handle("effect", task -> effect(url, task))
              .stage(DOCS, "fetch", task -> passed(url, task, StageResult.next()))
              .stage(DOCS, "parse", task -> passed(url, task, StageResult.next()))
              .stage(DOCS, "index", task -> passed(url, task, StageResult.finish()))
              .handle("fail", WorkerProcess::fail)
              .concurrency(4)
              .retry(RetryPolicy.defaults())
              .pollInterval(Duration.ofMillis(20))
              .start();
      answers.println("started");
      answer(worker, answers);
    }
  }

  private static void fail(Task task) throws IOException {
    throw new IOException("no way to do task " + task.id());
  }

  private static void answer(Worker worker, PrintStream answers) throws IOException {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String command = commands.readLine(); command != null; command = commands.readLine()) {
      switch (command) {
        case "stats" -> answers.println(worker.statistics());
        case "close" -> {
          worker.close();
          answers.println("closed");
          return;
        }
        default -> answers.println("unknown command " + command);
      }
    }
  }

  private static StageResult passed(String url, Task task, StageResult result) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement insert =
            connection.prepareStatement("insert into passed values (?, ?)")) {
      insert.setLong(1, task.id());
      insert.setString(2, task.kind());
      insert.executeUpdate();
      if (task.payload().equals("hold")) {
        hold(connection);
      }
    }
    return result;
  }

  private static void effect(String url, Task task) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "insert into effect (task, attempt, process) values (?, ?, ?)")) {
        insert.setLong(1, task.id());
        insert.setInt(2, task.attempt());
        insert.setLong(3, ProcessHandle.current().pid());
        insert.executeUpdate();
      }
      if (task.payload().equals("hold")) {
        hold(connection);
      }
    }
  }

  private static void hold(Connection connection) throws SQLException {
    connection.createStatement().execute("select pg_advisory_lock_shared(" + HELD_LOCK + ")");
  }
}
