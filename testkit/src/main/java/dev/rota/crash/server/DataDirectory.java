package dev.rota.crash.server;

import dev.rota.testing.ServerTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files of a server: its data, and its write-ahead log if that is elsewhere. */
final class DataDirectory {

  private final Path path;
  private final List<Path> all;

  /** The initial contents of a directory. */
  @FunctionalInterface
  interface Contents {

    /** Copies the contents to a path that does not exist. */
    void copyTo(Path target) throws IOException;
  }

  private DataDirectory(Path path, List<Path> all) {
    this.path = path;
    this.all = all;
  }

  /** Creates the directory: by default in a temporary place, and with the log among the data. */
  static DataDirectory make(Contents contents, @Nullable Path data, @Nullable Path wal)
      throws IOException {
    Path home = data != null ? data.resolve("server") : Files.createTempDirectory("rota-server-");
    Path path = home.resolve("data");
    contents.copyTo(path);
    if (wal == null) {
      return new DataDirectory(path, List.of(home));
    }
    Path log = wal.resolve("wal");
    moveLog(path.resolve("pg_wal"), log);
    return new DataDirectory(path, List.of(home, log));
  }

  Path path() {
    return path;
  }

  /** The process number of the server's main process. */
  long postmaster() throws IOException {
    return Long.parseLong(Files.readAllLines(path.resolve("postmaster.pid")).get(0).strip());
  }

  void delete() throws IOException {
    for (Path each : all) {
      ServerTemplate.delete(each);
    }
  }

  private static void moveLog(Path source, Path target) throws IOException {
    Files.createDirectories(target.resolve("archive_status"));
    Files.createDirectories(target.resolve("summaries"));
    try (var files = Files.newDirectoryStream(source, Files::isRegularFile)) {
      for (Path file : files) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
    }
    ServerTemplate.delete(source);
    Files.createSymbolicLink(source, target);
  }
}
