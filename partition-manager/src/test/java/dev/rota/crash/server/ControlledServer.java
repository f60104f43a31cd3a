package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.ServerLogs;
import dev.rota.testing.ServerTemplate;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server of a test's own, with durable commits, that can be killed, stopped and
 * started again with the data and the port that it had. Not thread-safe, but for {@link #jdbcUrl}
 * and {@link #connect}.
 *
 * <pre>{@code
 * try (ControlledServer server = ControlledServer.start(18)) {
 *   ...
 *   server.kill();
 *   server.restart();
 * }
 * }</pre>
 *
 * <p>What is killed are processes. The machine goes on, and with it what the operating system still
 * has to write; what a power failure loses cannot be tested so.
 */
public final class ControlledServer implements AutoCloseable {

  /** The application name of the sessions that are the test's own, and not of what it tests. */
  public static final String TEST_SESSIONS = "test";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long BACKEND_ENDS_WITHIN_MILLIS = 5_000;
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int ATTEMPTS = 5;
  private static final Map<String, String> DURABLE =
      Map.of("fsync", "on", "synchronous_commit", "on", "full_page_writes", "on");

  private final int major;
  private final Path programs;
  private final Map<String, String> settings;
  private final DataDirectory data;
  private final Path log;
  private final Thread atExit = new Thread(this::killAtExit, "controlled-server-killer");
  private int port;
  private volatile @Nullable Process postmaster;

  private ControlledServer(Builder builder) throws IOException {
    ServerTemplate template = ServerTemplate.of(builder.major);
    this.major = builder.major;
    this.programs = template.programs();
    this.settings = builder.settings;
    this.log = ServerLogs.next("postgres-" + major);
    this.data = DataDirectory.make(template, builder.directory, builder.walDirectory);
  }

  /** How the server shall be. */
  public static final class Builder {
    private final int major;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private @Nullable Path directory;
    private @Nullable Path walDirectory;

    private Builder(int major) {
      this.major = major;
      settings.putAll(DURABLE);
      settings.put("shared_buffers", "128MB");
      settings.put("max_connections", "200");
      settings.put("max_locks_per_transaction", "256");
      settings.put("listen_addresses", "127.0.0.1");
      settings.put("unix_socket_directories", "");
      settings.put("log_line_prefix", "%m [%p] %a ");
    }

    /** A setting of the server, in place of ours or of its default. */
    public Builder set(String name, String value) {
      settings.put(name, value);
      return this;
    }

    /** Where its data are, such as a {@link SmallDisk}; by default a temporary directory. */
    public Builder dataIn(Path parent) {
      directory = parent;
      return this;
    }

    /** Where its write-ahead log is, if not with its data. */
    public Builder walIn(Path parent) {
      walDirectory = parent;
      return this;
    }

    /** Starts it; it accepts connections when this returns. */
    public ControlledServer start() throws Exception {
      ControlledServer server = new ControlledServer(this);
      server.startFirst();
      return server;
    }
  }

  /** Of this major version, 15 to 18. Skips the calling test where there is none that fits. */
  public static Builder builder(int major) {
    return new Builder(major);
  }

  /** One with our settings. */
  public static ControlledServer start(int major) throws Exception {
    return builder(major).start();
  }

  /** The major version. */
  public int major() {
    return major;
  }

  /** The port on this machine, the same after each restart. */
  public int port() {
    return port;
  }

  /** Database {@code postgres}, as superuser. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  /** The same, for sessions that are named {@link #TEST_SESSIONS}. */
  public String jdbcUrlOfTest() {
    return jdbcUrl() + "&ApplicationName=" + TEST_SESSIONS;
  }

  /** A new connection of the test in auto-commit mode. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrlOfTest());
  }

  /** Runs statements in auto-commit mode, on a connection of their own. */
  public void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of what a query returns. */
  public List<String> texts(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(String.valueOf(rows.getString(1)));
      }
      return texts;
    }
  }

  /** The one number that a query returns. */
  public long number(String sql) throws SQLException {
    return Long.parseLong(texts(sql).get(0));
  }

  /** The process that serves a connection. */
  public static int backendOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  /** The file that the server writes its messages to, over all restarts. */
  public Path log() {
    return log;
  }

  /**
   * Kills one backend with SIGKILL. The server then ends all the others, which has happened when
   * this returns, and recovers as after a crash; {@link #awaitReady} tells when it accepts
   * connections again.
   *
   * @return false if there is no such backend: it may have ended by itself a moment ago
   */
  public boolean killBackend(int pid) throws Exception {
    return processes().killChild(pid);
  }

  /**
   * Ends one backend with {@code pg_terminate_backend}; it is gone when this returns.
   *
   * @return false if there was none, or if it has not ended within 5 seconds
   */
  public boolean terminateBackend(int pid) throws SQLException {
    String end = "select pg_terminate_backend(%d, %d)".formatted(pid, BACKEND_ENDS_WITHIN_MILLIS);
    return texts(end).get(0).equals("t");
  }

  /** Kills all processes of the server with SIGKILL, at once. They are gone when this returns. */
  public void kill() throws Exception {
    processes().killAll();
    postmaster = null;
  }

  /** Stops it without a checkpoint; it recovers at the next start. */
  public void stopImmediately() throws Exception {
    stop("QUIT");
  }

  /** Stops it in good order, ending all connections. */
  public void stopFast() throws Exception {
    stop("INT");
  }

  /** Whether the server's main process runs. */
  public boolean isRunning() {
    return postmaster != null && postmaster.isAlive();
  }

  /** Waits until the server has stopped by itself, such as when it cannot write its log. */
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
      // PostgreSQL refuses to run as root: so it does not see that it does.
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
   * No file of the server may grow beyond this from now on; the server takes that like a full disk.
   */
  public void limitFileSize(long bytes) throws Exception {
    processes().limitFileSize(Long.toString(bytes));
  }

  /** Takes the limit back. */
  public void liftFileSizeLimit() throws Exception {
    processes().limitFileSize("unlimited");
  }

  /** Kills the server and removes what it wrote, but for its log. */
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

  private void startFirst() throws Exception {
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
    try (Connection connection = DriverManager.getConnection(jdbcUrl() + "&connectTimeout=5")) {
      return connection.isValid(5);
    } catch (SQLException e) {
      // Not yet: it is being started, or recovers.
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
