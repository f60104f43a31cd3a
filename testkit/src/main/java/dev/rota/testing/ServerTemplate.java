package dev.rota.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The programs of a PostgreSQL version and a data directory fresh from initdb, created once per
 * JVM. Tests with separate servers copy the directory instead of waiting for initdb. Its superuser
 * is {@code postgres}, who needs no password.
 */
public final class ServerTemplate {

  private static final Map<Integer, ServerTemplate> TEMPLATES = new ConcurrentHashMap<>();

  /** The files that belong to the server that created the directory. */
  private static final Set<String> LEFT_BEHIND =
      Set.of("postmaster.pid", "postmaster.opts", "epg-lock");

  private final Path programs;
  private final Path data;

  private ServerTemplate(Path programs, Path data) {
    this.programs = programs;
    this.data = data;
  }

  /**
   * Returns the template of this major version, 15 to 18. Skips the calling test where no server
   * fits.
   */
  public static ServerTemplate of(int major) {
    return TEMPLATES.computeIfAbsent(major, ServerTemplate::make);
  }

  /** The directory with {@code postgres} and {@code pg_ctl}. */
  public Path programs() {
    return programs;
  }

  /** Copies the data directory to a path that does not exist, readable by its owner only. */
  public void copyTo(Path target) throws IOException {
    Files.walkFileTree(data, new Copying(data, target));
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
  }

  /** Deletes a directory with its contents; does nothing if it does not exist. */
  public static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      Files.walkFileTree(directory, new Deleting());
    }
  }

  /** Deletes a directory with its contents when this JVM ends. */
  public static void deleteAtExit(Path directory) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteOrFail(directory)));
  }

  private static void deleteOrFail(Path directory) {
    try {
      delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ServerTemplate make(int major) {
    try {
      Path home = Files.createTempDirectory("rota-template-" + major + "-");
      deleteAtExit(home);
      Path data = home.resolve("data");
      try (EmbeddedPostgres first = EmbeddedServer.startWith(() -> launch(major, data));
          Connection connection = first.getPostgresDatabase().getConnection()) {
        return new ServerTemplate(programs(connection), data);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("No template of PostgreSQL " + major, e);
    } catch (SQLException e) {
      throw new IllegalStateException("No template of PostgreSQL " + major, e);
    }
  }

  private static EmbeddedPostgres launch(int major, Path data) throws IOException {
    return EmbeddedServer.builder(major)
        .setDataDirectory(data)
        .setCleanDataDirectory(false)
        .setRegisterShutdownHook(false)
        .start();
  }

  private static Path programs(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("select setting from pg_config where name = 'BINDIR'")) {
      rows.next();
      return Path.of(rows.getString(1));
    }
  }

  private static final class Copying extends SimpleFileVisitor<Path> {
    private final Path from;
    private final Path to;

    Copying(Path from, Path to) {
      this.from = from;
      this.to = to;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes unused)
        throws IOException {
      Files.createDirectories(to.resolve(from.relativize(directory)));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes unused) throws IOException {
      if (!LEFT_BEHIND.contains(file.getFileName().toString())) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
      return FileVisitResult.CONTINUE;
    }
  }

  private static final class Deleting extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes unused) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
