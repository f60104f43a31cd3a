package dev.rota.crash.server;

import dev.rota.testing.ServerTemplate;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * A copy of the data of a running server, made as {@code pg_basebackup} does: it contains all
 * transactions that were committed before the copy began. Servers and standbys start from it.
 */
public final class BaseBackup implements AutoCloseable {

  private static final String WAL = "pg_wal";

  /** The files that belong to the running server, or are the log, which comes last. */
  private static final Set<String> LEFT_OUT = Set.of("postmaster.pid", "postmaster.opts", WAL);

  private final int major;
  private final Path home;

  private BaseBackup(int major, Path home) {
    this.major = major;
    this.home = home;
  }

  static BaseBackup of(ControlledServer server, Path data) throws IOException, SQLException {
    BaseBackup backup = new BaseBackup(server.major(), Files.createTempDirectory("rota-backup-"));
    // The session that starts a backup has to end it.
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("select pg_backup_start('test', true)");
      copy(data, backup.data(), LEFT_OUT);
      Files.writeString(backup.data().resolve("backup_label"), end(statement));
    }
    // From the start of the copy to its end at least; further log does no harm.
    copy(data.resolve(WAL).toRealPath(), backup.data().resolve(WAL), Set.of());
    return backup;
  }

  /** Returns a server whose history continues from the backup, without later transactions. */
  public ControlledServerBuilder restored() {
    return new ControlledServerBuilder(major, this::copyTo);
  }

  /**
   * Returns a standby.
   *
   * @param port the port of the server that it follows
   * @param name its application name there
   */
  public ControlledServerBuilder standbyOf(int port, String name) {
    return new ControlledServerBuilder(
            major,
            target -> {
              copyTo(target);
              Files.createFile(target.resolve("standby.signal"));
            })
        .set(
            "primary_conninfo",
            "host=127.0.0.1 port=%d user=postgres application_name=%s".formatted(port, name))
        .set("wal_retrieve_retry_interval", "100ms");
  }

  @Override
  public void close() throws IOException {
    ServerTemplate.delete(home);
  }

  private Path data() {
    return home.resolve("data");
  }

  private void copyTo(Path target) throws IOException {
    copy(data(), target, Set.of());
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
  }

  /**
   * Ends the backup, and returns the label, without which the server would begin to recover at the
   * wrong place.
   */
  private static String end(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("select labelfile from pg_backup_stop(false)")) {
      row.next();
      return row.getString(1);
    }
  }

  private static void copy(Path from, Path to, Set<String> without) throws IOException {
    Files.walkFileTree(from, new Copying(from, to, without));
  }

  /** Copies files that change while they are read. */
  private static final class Copying extends SimpleFileVisitor<Path> {
    private final Path from;
    private final Path to;
    private final Set<String> without;

    Copying(Path from, Path to, Set<String> without) {
      this.from = from;
      this.to = to;
      this.without = without;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes unused)
        throws IOException {
      if (without.contains(directory.getFileName().toString())) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      Files.createDirectories(to.resolve(from.relativize(directory)));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes unused) throws IOException {
      if (!without.contains(file.getFileName().toString())) {
        try {
          Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException e) {
          // The server has dropped the file meanwhile; its log has the drop.
          return FileVisitResult.CONTINUE;
        }
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }
  }
}
