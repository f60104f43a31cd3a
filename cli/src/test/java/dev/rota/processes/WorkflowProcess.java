package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.demo.Workflow;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a worker for steps of workflows in a separate process. It records, independent of Rota, when
 * a step begins, with the number of its parents that have not ended, and when it has ended. The
 * first attempt of the first step never ends.
 */
final class WorkflowProcess {

  static final String KIND = "workflow.step";

  private static final String BEGIN =
      """
      insert into begun (copy, step, early)
      select ?, ?, cardinality(?::int[]) - count(distinct e.step)
        from ended e where e.copy = ? and e.step = any (?::int[])""";

  private static final String END = "insert into ended (copy, step) values (?, ?)";

  private final String url;
  private final Workflow workflow;
  private final long workNanos;
  private final ThreadLocal<Connection> connections = ThreadLocal.withInitial(this::connect);

  private WorkflowProcess(String url, Workflow workflow, long workNanos) {
    this.url = url;
    this.workflow = workflow;
    this.workNanos = workNanos;
  }

  /**
   * Arguments: the URL, the lease in milliseconds, the file of the workflow, and how many
   * milliseconds a step takes.
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    Workflow workflow = Workflow.read(Path.of(args[2]));
    WorkflowProcess process =
        new WorkflowProcess(args[0], workflow, Long.parseLong(args[3]) * 1_000_000);
    try (Rota rota =
            Rota.builder(args[0]).lease(Duration.ofMillis(Long.parseLong(args[1]))).build();
        Worker worker = rota.worker().handle(KIND, process::run).concurrency(4).start()) {
      answers.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private void run(Task task) throws SQLException {
    String[] place = task.payload().split(":", 2);
    int copy = Integer.parseInt(place[0]);
    int step = Integer.parseInt(place[1]);
    Connection connection = connections.get();
    Object[] parents = workflow.steps().get(step).parents().toArray();
    try (PreparedStatement begin = connection.prepareStatement(BEGIN);
        PreparedStatement end = connection.prepareStatement(END)) {
      begin.setInt(1, copy);
      begin.setInt(2, step);
      begin.setArray(3, connection.createArrayOf("int4", parents));
      begin.setInt(4, copy);
      begin.setArray(5, connection.createArrayOf("int4", parents));
      begin.executeUpdate();
      if (copy == 0 && step == 0 && task.attempt() == 1) {
        standStill();
      }
      LockSupport.parkNanos(workNanos);
      end.setInt(1, copy);
      end.setInt(2, step);
      end.executeUpdate();
    }
  }

  /** Ends with the process alone: so one attempt at least is lost, whenever the kills come. */
  private static void standStill() {
    while (true) {
      LockSupport.park();
    }
  }

  private Connection connect() {
    try {
      Connection connection = DriverManager.getConnection(url);
      connection.createStatement().execute("set synchronous_commit = off");
      return connection;
    } catch (SQLException e) {
      throw new IllegalStateException("cannot connect to " + url, e);
    }
  }
}
