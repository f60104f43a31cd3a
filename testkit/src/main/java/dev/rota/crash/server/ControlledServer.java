package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.processes.ProcessLogs;
import dev.rota.testing.Await;
import dev.rota.testing.FreePort;
import dev.rota.testing.ServerTemplate;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server for one test, with durable commits, that can be killed, stopped and started
 * again with the same data and port. Not thread-safe, except the methods of {@link ServerSessions}.
 *
 * <pre>{@code
 * try (ControlledServer server = ControlledServer.start(18)) {
 *   ...
 *   server.kill();
 *   server.restart();
 * }
 * }</pre>
 *
 * <p>It kills only processes. The machine continues, and so do pending writes of the operating
 * system; the losses of a power failure cannot be tested this way.
 */
public final class ControlledServer extends ServerSessions implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int ATTEMPTS = 5;
  static final Map<String, String> DURABLE =
      Map.of("fsync", "on", "synchronous_commit", "on", "full_page_writes", "on");

  private final int major;
  private final Path programs;
  private final Map<String, String> settings;
  private final DataDirectory data;
  private final Path log;
  private final Thread atExit = new Thread(this::killAtExit, "controlled-server-killer");
  private int port;
  private volatile @Nullable Process postmaster;

  ControlledServer(ControlledServerBuilder builder) throws IOException {
    ServerTemplate template = ServerTemplate.of(builder.major());
    this.major = builder.major();
    this.programs = template.programs();
    this.settings = builder.settings();
    this.log = ProcessLogs.next("postgres-" + major);
    this.data = DataDirectory.make(builder.contents(), builder.directory(), builder.walDirectory());
  }

  /**
   * Returns a builder for this major version, 15 to 18. Skips the calling test where no server
   * fits.
   */
  public static ControlledServerBuilder builder(int major) {
    return new ControlledServerBuilder(major);
  }

  /** Starts a server with the test kit's settings. */
  public static ControlledServer start(int major) throws Exception {
    return builder(major).start();
  }

  /** The major version. */
  public int major() {
    return major;
  }

  @Override
  public int port() {
    return port;
  }

  /** The log file of the server, over all restarts. */
  public Path log() {
    return log;
  }

  /**
   * Kills one backend with SIGKILL. The server then ends all the others, which has happened when
   * this returns, and recovers as after a crash. {@link #awaitReady} returns when it accepts
   * connections again.
   *
   * @return false if there is no such backend: it may have ended by itself a moment ago
   */
  public boolean killBackend(int pid) throws Exception {
    return processes().killChild(pid);
  }

  /** Kills all processes of the server with SIGKILL, at once. They are gone when this returns. */
  public void kill() throws Exception {
    processes().killAll();
    postmaster = null;
  }

  /** Stops the server without a checkpoint; it recovers at the next start. */
  public void stopImmediately() throws Exception {
    stop("QUIT");
  }

  /** Stops the server in good order, ending all connections. */
  public void stopFast() throws Exception {
    stop("INT");
  }

  /** Whether the server's main process runs. */
  public boolean isRunning() {
    return postmaster != null && postmaster.isAlive();
  }

  /** Waits until the server has stopped by itself, for instance because it cannot write its log. */
  public void awaitStopped() throws InterruptedException {
    processes().awaitExit();
    postmaster = null;
  }

  /** Starts the stopped or killed server again; it accepts connections when this returns. */
  public void restart() throws Exception {
    launch();
    awaitReady();
  }

  /** Starts the stopped or killed server again, without waiting for it. */
  public void launch() throws IOException {
    if (isRunning()) {
      throw new IllegalStateException("the server runs already");
    }
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      // PostgreSQL refuses to run as root, so the server runs where it does not see it.
      command.addAll(List.of("unshare", "--user"));
    }
    command.add(programs.resolve("postgres").toString());
    command.addAll(List.of("-D", data.path().toString(), "-p", Integer.toString(port)));
    settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    postmaster =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
  }

  /** Waits until the server accepts connections. */
  public void awaitReady() throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!accepts()) {
      if (!isRunning() || System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "PostgreSQL " + major + " does not come up; its log: " + log.toAbsolutePath());
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  /**
   * Limits the size of the server's files from now on; the server treats the limit like a full
   * disk.
   */
  public void limitFileSize(long bytes) throws Exception {
    processes().limitFileSize(Long.toString(bytes));
  }

  /** Removes the limit. */
  public void liftFileSizeLimit() throws Exception {
    processes().limitFileSize("unlimited");
  }

  /** Copies the data while the server runs. */
  public BaseBackup baseBackup() throws IOException, SQLException {
    return BaseBackup.of(this, data.path());
  }

  /** Waits until a standby with that name receives the log as it is written. */
  public void awaitStreaming(String standby) throws Exception {
    Await.until(
        "standby " + standby + " follows " + this,
        () ->
            number(
                    ("select count(*) from pg_stat_replication where state = 'streaming'"
                            + " and application_name = '%s'")
                        .formatted(standby))
                > 0);
  }

  /** Promotes a standby; it accepts writes when this returns. */
  public void promote() throws SQLException {
    assertThat(texts("select pg_promote(true, " + PATIENCE.toSeconds() + ")"))
        .as("promotion of " + this)
        .containsExactly("t");
  }

  /** Kills the server and removes its files, except its log. */
  @Override
  public void close() throws Exception {
    if (isRunning()) {
      kill();
    }
    Runtime.getRuntime().removeShutdownHook(atExit);
    data.delete();
  }

  @Override
  public String toString() {
    return "PostgreSQL " + major + " on port " + port + ", log " + log;
  }

  void startFirst() throws Exception {
    Runtime.getRuntime().addShutdownHook(atExit);
    for (int attempt = 1; ; attempt++) {
      port = FreePort.find();
      launch();
      try {
        awaitReady();
        break;
      } catch (IllegalStateException e) {
        // Another process may have taken the port in the meantime.
        if (attempt == ATTEMPTS || isRunning()) {
          close();
          throw e;
        }
      }
    }
    assertThat(data.postmaster()).as("pid in postmaster.pid").isEqualTo(running().pid());
    DURABLE.forEach(this::assertSetting);
  }

  private void assertSetting(String name, String value) {
    try {
      assertThat(texts("show " + name)).as(name).containsExactly(settings.get(name));
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot read " + name + ", wanted " + value, e);
    }
  }

  private boolean accepts() {
    try (Connection connection =
        DriverManager.getConnection(jdbcUrlOfTest() + "&connectTimeout=5")) {
      return connection.isValid(5);
    } catch (SQLException e) {
      // Not yet: the server is starting, or recovers.
      return false;
    }
  }

  private void stop(String signal) throws Exception {
    processes().signal(signal);
    processes().awaitExit();
    postmaster = null;
  }

  private Process running() {
    if (postmaster == null) {
      throw new IllegalStateException("the server does not run");
    }
    return postmaster;
  }

  private ServerProcesses processes() {
    return new ServerProcesses(running());
  }

  private void killAtExit() {
    Process process = postmaster;
    if (process != null) {
      process.children().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
