package dev.rota.benchmarks.rivals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * graphile-worker on Node.js, with its local queue and batched completion. Tasks come from SQL, its
 * own {@code add_jobs}; the handlers are in a Node process that outlives the shots.
 *
 * <p>The environment variable {@code ROTA_GRAPHILE_WORKER} names a folder in which {@code npm
 * install graphile-worker} has run. The table is analyzed after it was filled.
 */
final class GraphileWorker implements Contender {

  private static final String FOLDER = "ROTA_GRAPHILE_WORKER";
  private static final String SCRIPT = "graphile-worker.js";
  private static final long LOOK_NANOS = 1_000_000;
  private static final String COUNT = "select count(*) from graphile_worker._private_jobs";

  private static final String ADD =
      """
      select count(*)
        from graphile_worker.add_jobs(array(
          select row('nothing', ?::json, null, null, null, null, null, null)::graphile_worker.job_spec
            from generate_series(1, ?)))""";

  private final String url;
  private final RivalWorkload workload;
  private final Process node;
  private final PrintStream commands;
  private final BufferedReader answers;
  private final AtomicLong done = new AtomicLong();
  private boolean running;

  /** Creates the contender in a new database. */
  GraphileWorker(String url, RivalWorkload workload) {
    this.url = url;
    this.workload = workload;
    this.node = start(url, System.getenv(FOLDER));
    this.commands = new PrintStream(node.getOutputStream(), true, StandardCharsets.UTF_8);
    this.answers = node.inputReader(StandardCharsets.UTF_8);
    say("migrate");
  }

  private static Process start(String url, @Nullable String folder) {
    if (folder == null) {
      throw new IllegalArgumentException(
          "graphileWorker: set "
              + FOLDER
              + " to a folder in which npm install graphile-worker has run, or leave it out");
    }
    try (InputStream script =
        Objects.requireNonNull(GraphileWorker.class.getResourceAsStream(SCRIPT), SCRIPT)) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      return new ProcessBuilder("node", "-e", text, url.substring("jdbc:".length()))
          .directory(Path.of(folder).toFile())
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("graphileWorker: cannot start node", e);
    }
  }

  private void say(String command) {
    commands.println(command);
    await("did " + command.split(" ", 2)[0]);
  }

  private void await(String expected) {
    try {
      String answer = answers.readLine();
      while (answer != null && !answer.equals(expected)) {
        answer = answers.readLine();
      }
      if (answer == null) {
        throw new IllegalStateException("graphileWorker: node has ended before " + expected);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public RivalProducer producer() throws SQLException {
    return new Producer(Jdbc.connect(url), workload.payloadText());
  }

  private record Producer(Connection connection, String payload) implements RivalProducer {

    @Override
    public void enqueue(int tenant, int tasks) throws SQLException {
      try (PreparedStatement add = connection.prepareStatement(ADD)) {
        add.setString(1, payload);
        add.setInt(2, tasks);
        add.execute();
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  @Override
  public void fill(int tasks) throws Exception {
    stop();
    Filling.fill(this, workload.tenants(), tasks);
    Jdbc.execute(url, "analyze graphile_worker._private_jobs");
  }

  @Override
  public void drain(int tasks) throws SQLException {
    commands.println("start " + tasks);
    running = true;
    await("ended");
    // Tasks are deleted after their handlers have returned.
    while (Jdbc.number(url, COUNT) > 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    done.addAndGet(tasks);
  }

  private void stop() {
    if (running) {
      say("stop");
      running = false;
    }
  }

  /** Counts tasks. The table deletes done tasks, so only the handlers have counted them. */
  @Override
  public Census census() throws SQLException {
    return new Census(Jdbc.number(url, COUNT), done.get());
  }

  @Override
  public void close() {
    stop();
    commands.close();
    node.destroy();
  }
}
