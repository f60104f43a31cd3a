package dev.rota.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.postgresql.ds.PGSimpleDataSource;

/** A PgBouncer in front of a database's server, with the minimal settings that it needs. */
public final class PgBouncer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(5);

  private final TestDatabase database;
  private final Path log;
  private final int port;
  private final Process process;

  private PgBouncer(TestDatabase database, Path log, int port, Process process) {
    this.database = database;
    this.log = log;
    this.port = port;
    this.process = process;
  }

  /** Starts a pooler; skips the calling test where the program is missing. */
  public static PgBouncer start(TestDatabase database, Path folder, String poolMode)
      throws IOException {
    return start(database, folder, poolMode, false);
  }

  /**
   * Starts a pooler that lends the server's processes in turn, or else the last returned one; skips
   * the calling test where the program is missing.
   */
  public static PgBouncer start(TestDatabase database, Path folder, String poolMode, boolean inTurn)
      throws IOException {
    Path program = program();
    Assumptions.assumeTrue(program != null, "no pgbouncer on this machine");
    int port = FreePort.find();
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(settings, settings(database, port, poolMode, inTurn));
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      // It refuses to run as root, so it runs where it does not see it.
      command.addAll(List.of("unshare", "--user"));
    }
    command.addAll(List.of(program.toString(), settings.toString()));
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    PgBouncer pooler = new PgBouncer(database, log, port, process);
    pooler.awaitStart();
    return pooler;
  }

  /** The database's URL through the pooler. */
  public String jdbcUrl() {
    return database.jdbcUrl().replaceFirst(":\\d+/", ":" + port + "/");
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    process.waitFor();
  }

  private static String settings(TestDatabase database, int port, String poolMode, boolean inTurn) {
    PGSimpleDataSource server = (PGSimpleDataSource) database.dataSource();
    return """
        [databases]
        * = host=127.0.0.1 port=%d user=%s %s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = %s
        server_round_robin = %d
        default_pool_size = 6
        ignore_startup_parameters = extra_float_digits
        """
        .formatted(
            server.getPortNumbers()[0],
            server.getUser(),
            password(server.getPassword()),
            port,
            poolMode,
            inTurn ? 1 : 0);
  }

  private static String password(@Nullable String text) {
    return text == null || text.isEmpty() ? "" : "password='" + text + "'";
  }

  private void awaitStart() throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!isUp()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        process.destroy();
        throw new IllegalStateException(Files.readString(log));
      }
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    }
  }

  private boolean isUp() {
    try (Connection connection = DriverManager.getConnection(jdbcUrl())) {
      return connection.isValid(5);
    } catch (SQLException e) {
      return false;
    }
  }

  private static @Nullable Path program() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(each -> Path.of(each, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }
}
