package dev.rota.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PgBouncer in front of a database's server, with the minimal settings that it needs. The program
 * is the one that the environment variable {@value #PROGRAM} names, else {@code pgbouncer} of the
 * path.
 */
public final class PgBouncer implements AutoCloseable {

  /** The environment variable that names another program than that of the path. */
  private static final String PROGRAM = "ROTA_TEST_PGBOUNCER";

  private static final Pattern VERSION = Pattern.compile("PgBouncer (\\d+)\\.(\\d+)");
  private static final int FIRST_WITH_NAMES = 21;

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
    int port = FreePort.find();
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(settings, settings(database, port, poolMode, inTurn) + names(program));
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

  /**
   * Whether this machine's pooler maps the names of prepared statements in transaction mode, as it
   * can from version 1.21 on; skips the calling test where the program is missing.
   */
  public static boolean mapsNames() {
    return mapsNames(program());
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

  /** The setting by which a pooler that can map names does so. */
  private static String names(Path program) {
    return mapsNames(program) ? "max_prepared_statements = 200\n" : "";
  }

  private static boolean mapsNames(Path program) {
    String told = ClientProgram.output(program.toString(), "--version");
    Matcher version = VERSION.matcher(told);
    if (!version.find()) {
      throw new IllegalStateException(program + " tells no version: " + told);
    }
    return Integer.parseInt(version.group(1)) > 1
        || Integer.parseInt(version.group(2)) >= FIRST_WITH_NAMES;
  }

  private static Path program() {
    String named = System.getenv(PROGRAM);
    if (named != null && !Files.isExecutable(Path.of(named))) {
      throw new IllegalStateException(PROGRAM + " names no program: " + named);
    }
    Optional<Path> program =
        named == null ? ClientProgram.onPath("pgbouncer") : Optional.of(Path.of(named));
    Assumptions.assumeTrue(program.isPresent(), "no pgbouncer on this machine");
    return program.orElseThrow();
  }
}
