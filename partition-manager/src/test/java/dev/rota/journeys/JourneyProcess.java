package dev.rota.journeys;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.internal.ManualDaemon;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Makes the three journeys in a process of its own, between marks at which a debugger stops it.
 * Before the first mark it makes each often enough that nothing happens for the first time.
 */
final class JourneyProcess {

  private static final int WARM_UP = 20;
  private static final int ROUNDS = 3;
  private static final NewTask TASK = NewTask.of("k", "{}");

  private final String jdbcUrl;
  private final Rota rota;
  private final Tenant tenant;

  private JourneyProcess(String jdbcUrl, Rota rota) {
    this.jdbcUrl = jdbcUrl;
    this.rota = rota;
    this.tenant = rota.tenants().register("acme");
  }

  /** The places where a journey begins, and the one where it ends. */
  static final class Marks {

    private Marks() {}

    static void enqueue() {}

    static void work() {}

    static void rotation() {}

    static void end() {}
  }

  public static void main(String[] arguments) throws Exception {
    // With the usual second, the main thread of a slow machine starts a refresh in every round.
    try (Rota rota = Rota.builder(arguments[0]).registryRefresh(Duration.ofMinutes(1)).build()) {
      JourneyProcess process = new JourneyProcess(arguments[0], rota);
      process.enqueue();
      process.work();
      process.rotate();
    }
  }

  private void enqueue() {
    enqueue(WARM_UP);
    for (int round = 0; round < ROUNDS; round++) {
      Marks.enqueue();
      enqueue(1);
      Marks.end();
    }
  }

  private void enqueue(int tasks) {
    for (int i = 0; i < tasks; i++) {
      long unused = tenant.enqueue(TASK);
    }
  }

  /** Without a search for tasks that the doorbell did not announce. */
  private void work() {
    try (Worker worker =
        rota.worker().handle("k", task -> {}).pollInterval(Duration.ofMinutes(10)).start()) {
      awaitDone(worker, WARM_UP + ROUNDS);
      for (int task = 1; task <= WARM_UP; task++) {
        enqueue(1);
        awaitDone(worker, WARM_UP + ROUNDS + task);
      }
      for (int round = 1; round <= ROUNDS; round++) {
        Marks.work();
        enqueue(1);
        awaitDone(worker, 2 * WARM_UP + ROUNDS + round);
        Marks.end();
      }
    }
  }

  private static void awaitDone(Worker worker, int tasks) {
    Await.until("tasks are done", () -> worker.statistics().done(), tasks);
  }

  private void rotate() throws SQLException {
    for (int round = 0; round < ROUNDS; round++) {
      rotate(ManualDaemon.leading(rota));
    }
    for (int round = 0; round < ROUNDS; round++) {
      rotate(ManualDaemon.leading(rota, JourneyProcess::mark));
    }
  }

  private static void mark(boolean begins) {
    if (begins) {
      Marks.rotation();
    } else {
      Marks.end();
    }
  }

  private void rotate(ManualDaemon daemon) throws SQLException {
    enqueue(1);
    try (Batch batch = tenant.claim(1)) {
      batch.settle();
    }
    age();
    daemon.perform("look for due rotations", "rotate rings");
  }

  private void age() throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement()) {
      statement.execute("update rota.tenant set lane_rotated_at[0] = now() - interval '8 days'");
    }
  }
}
