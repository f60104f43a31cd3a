package dev.rota.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts PostgreSQL from the archive in a jar on the class path. */
final class EmbeddedServer {
  private static final int ON_CLASS_PATH = 18;
  private static final Duration STARTUP = Duration.ofSeconds(60);
  private static final int ATTEMPTS = 3;
  private static final Logger log = LoggerFactory.getLogger(EmbeddedServer.class);

  /** Linux's file system in memory, and the space that the servers of tests take. */
  private static final Path MEMORY = Path.of("/dev/shm");

  private static final boolean WANTED =
      Boolean.parseBoolean(System.getProperty("rota.test.server.inMemory", "true"));

  private static final long ENOUGH = 6L << 30;

  /**
   * The property with the folder for the logs of servers; without it they go to the log of the
   * test.
   */
  private static final String LOGS = "rota.test.server.logs";

  private EmbeddedServer() {}

  /** Starts a server that stops with this JVM. Skips the calling test where no archive fits. */
  static TestServer start(int major) {
    int port = startWith(() -> launch(major)).getPort();
    String url = "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres";
    return new TestServer("embedded", url);
  }

  /**
   * Starts a server, in several attempts. The port is chosen before initdb runs, and another server
   * may take it meanwhile. A busy machine may also exceed the time for the start.
   */
  static <T> T startWith(Launch<T> launch) {
    for (int attempt = 1; ; attempt++) {
      try {
        return launch.start();
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw new UncheckedIOException("PostgreSQL does not start: " + e.getMessage(), e);
        }
        log.warn("Attempt {} to start PostgreSQL failed: {}", attempt, e.getMessage());
      }
    }
  }

  /** One attempt to start a server. */
  @FunctionalInterface
  interface Launch<T> {
    T start() throws IOException;
  }

  private static EmbeddedPostgres launch(int major) throws IOException {
    EmbeddedPostgres.Builder builder = builder(major).setDataDirectory(dataDirectory(major));
    String logs = System.getProperty(LOGS, "");
    if (!logs.isBlank()) {
      keepLog(builder, Files.createDirectories(Path.of(logs)), major);
    }
    return builder.start();
  }

  /**
   * The data directory, in memory where there is enough. Tests create and drop databases of
   * hundreds of files all the time. File systems on disks spent two fifths of the processors on
   * allocating them. No claim about durability or speed is measured on such a server.
   */
  private static Path dataDirectory(int major) throws IOException {
    String name = "rota-server-" + major + "-";
    return hasRoomInMemory()
        ? Files.createTempDirectory(MEMORY, name)
        : Files.createTempDirectory(name);
  }

  private static boolean hasRoomInMemory() throws IOException {
    return WANTED
        && Files.isDirectory(MEMORY)
        && Files.getFileStore(MEMORY).getUsableSpace() >= ENOUGH;
  }

  /**
   * Keeps the server's log. Many tests share the server: each line has the database and the time.
   */
  private static void keepLog(EmbeddedPostgres.Builder builder, Path logs, int major) {
    String name = "postgres-" + major + "-shared-" + ProcessHandle.current().pid() + ".log";
    ProcessBuilder.Redirect log = ProcessBuilder.Redirect.appendTo(logs.resolve(name).toFile());
    builder.setOutputRedirector(log).setErrorRedirector(log);
    // Without blanks: settings are on the command line of the server.
    builder.setServerConfig("log_line_prefix", "%m,%p,%d,%a:");
  }

  /** Returns a builder of a server of that version with the test kit's settings. */
  static EmbeddedPostgres.Builder builder(int major) throws IOException {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder().setPGStartupWait(STARTUP).setPort(FreePort.find());
    // These settings come behind the -F (no fsync) on the server's command line, and win.
    TestServer.SETTINGS.forEach(builder::setServerConfig);
    if (major != ON_CLASS_PATH) {
      String archive = archive(major);
      builder.setPgBinaryResolver((system, machine) -> open(archive));
    }
    return builder;
  }

  private static String archive(int major) {
    String archive = "/postgres-binaries/" + major + "/postgres-" + platform() + ".txz";
    Assumptions.assumeTrue(
        EmbeddedServer.class.getResource(archive) != null,
        () -> "No PostgreSQL " + major + " for this machine: " + archive + " is not there");
    return archive;
  }

  private static InputStream open(String archive) throws IOException {
    InputStream stream = EmbeddedServer.class.getResourceAsStream(archive);
    if (stream == null) {
      throw new IOException(archive + " is not on the class path");
    }
    return stream;
  }

  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String name =
        system.startsWith("mac") ? "darwin" : system.startsWith("win") ? "windows" : "linux";
    return name + "-" + (machine.equals("aarch64") ? "arm_64" : "x86_64");
  }
}
