package dev.rota.cli.database;

import dev.rota.RotaException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Starts the server of a {@link LocalServer} and checks that its commits are durable. */
final class ServerLauncher {

  static final String MAJOR = "18";

  /** What the library says if its jars hold servers of other platforms, or none. */
  private static final String NO_SERVER = "Missing embedded postgres binaries";

  private static final Duration STARTUP = Duration.ofSeconds(60);

  /** The longest start. After a crash the server first reads its log, of up to 8 GB. */
  private static final Duration RECOVERY = Duration.ofMinutes(10);

  private ServerLauncher() {}

  /** Uses the server that runs in the directory, or starts one. */
  static LocalServer launch(Path directory) {
    try {
      Files.createDirectories(directory);
      requireUsable(directory);
      Optional<RunningServer> running = RunningServer.in(directory);
      return running.isPresent() ? running.get().join() : startDurable(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a server in an empty directory that is deleted afterwards. */
  static LocalServer launchTemporary(Path directory) {
    try {
      EmbeddedPostgres postgres = start(directory);
      return checked(postgres, directory, () -> discard(directory));
    } catch (IOException | RuntimeException e) {
      delete(directory);
      throw failure(directory, e);
    }
  }

  private static LocalServer startDurable(Path directory) {
    try {
      EmbeddedPostgres postgres = start(directory);
      return checked(postgres, directory, () -> stop(postgres, directory));
    } catch (IOException | RuntimeException e) {
      throw failure(directory, e);
    }
  }

  private static void requireUsable(Path directory) throws IOException {
    Path versionFile = directory.resolve("PG_VERSION");
    if (Files.exists(versionFile)) {
      String version = Files.readString(versionFile).strip();
      if (!version.equals(MAJOR)) {
        throw new RotaException(
            directory + " holds data of PostgreSQL " + version + "; only 18 can be embedded");
      }
      return;
    }
    try (Stream<Path> entries = Files.list(directory)) {
      if (entries.findAny().isPresent()) {
        throw new RotaException(
            directory
                + " holds other files, not data of PostgreSQL; name a new or empty directory");
      }
    }
  }

  private static EmbeddedPostgres start(Path directory) throws IOException {
    boolean crashed = Files.exists(directory.resolve("postmaster.pid"));
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(directory)
            .setCleanDataDirectory(false)
            .setRegisterShutdownHook(false)
            .setPGStartupWait(crashed ? RECOVERY : STARTUP)
            // The same collation on every machine, and none that a system update changes.
            .setLocaleConfig("locale", "C")
            .setLocaleConfig("locale-provider", "builtin")
            .setLocaleConfig("builtin-locale", "C.UTF-8");
    // They come behind the -F (no fsync) on the server's command line, so they win.
    LocalServerSettings.ofMachine(directory).toMap().forEach(builder::setServerConfig);
    return builder.start();
  }

  private static LocalServer checked(EmbeddedPostgres postgres, Path directory, Runnable stop) {
    String url = RunningServer.jdbcUrl(postgres.getPort());
    try {
      requireDurable(url);
      return new LocalServer(directory, url, stop);
    } catch (SQLException | RuntimeException e) {
      stop.run();
      throw failure(directory, e);
    }
  }

  /**
   * Checks that commits are durable. Whatever the options, only the running server shows its
   * settings.
   */
  private static void requireDurable(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
        try (ResultSet row = statement.executeQuery("show " + setting)) {
          row.next();
          if (!row.getString(1).equals("on")) {
            throw new RotaException(
                "the embedded server runs with " + setting + " off, so a crash could lose tasks");
          }
        }
      }
    }
  }

  private static void stop(EmbeddedPostgres postgres, Path directory) {
    // It stops waiting after five seconds, but a checkpoint can take longer.
    Optional<RunningServer> running = RunningServer.in(directory);
    closeQuietly(postgres);
    running.ifPresent(RunningServer::awaitExit);
  }

  private static void discard(Path directory) {
    // The data are about to be deleted, so the checkpoint of an orderly stop is not needed. There
    // is nothing else to close but a lock on one of the files.
    RunningServer.in(directory).ifPresent(RunningServer::stopImmediately);
    delete(directory);
  }

  private static void closeQuietly(EmbeddedPostgres postgres) {
    try {
      postgres.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RotaException failure(Path directory, Exception cause) {
    if (cause instanceof RotaException known) {
      return known;
    }
    String message =
        NO_SERVER.equals(cause.getMessage())
            ? "this jar has no PostgreSQL server for %s on %s; give --jdbc-url or ROTA_JDBC_URL, or use"
                    .formatted(System.getProperty("os.name"), System.getProperty("os.arch"))
                + " the command that was built for this platform"
            : "the embedded PostgreSQL does not start in %s (%s); its log is in the folder log there"
                .formatted(directory, cause.getMessage());
    return new RotaException(message, cause);
  }

  private static void delete(Path directory) {
    if (Files.notExists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the temporary " + directory + " cannot be deleted", e);
    }
  }
}
