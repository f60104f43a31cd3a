package dev.rota.cli.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A server that runs in a directory, started by any process. Known from its file postmaster.pid.
 */
final class RunningServer {

  private static final int PORT_LINE = 3;
  private static final long STOP_SECONDS = 300;

  private final Path directory;
  private final ProcessHandle process;
  private final int port;

  private RunningServer(Path directory, ProcessHandle process, int port) {
    this.directory = directory;
    this.process = process;
    this.port = port;
  }

  /** Finds the server that runs in this directory and answers. */
  static Optional<RunningServer> in(Path directory) {
    try {
      List<String> lines = Files.readAllLines(directory.resolve("postmaster.pid"));
      int port = Integer.parseInt(lines.get(PORT_LINE).strip());
      return ProcessHandle.of(Long.parseLong(lines.get(0).strip()))
          .map(process -> new RunningServer(directory, process, port))
          .filter(RunningServer::answers);
    } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
      // No file: no server. A half-written file: a server that is starting or stopping.
      return Optional.empty();
    }
  }

  static String jdbcUrl(int port) {
    return "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres";
  }

  /** Uses this server. Stops it at the end if the process that started it was killed. */
  LocalServer join() {
    FileChannel orphaned = lockOfOwner();
    Runnable stop = orphaned == null ? () -> {} : () -> stopOrphan(orphaned);
    return new LocalServer(directory, jdbcUrl(port), stop);
  }

  void stopImmediately() {
    signal("QUIT");
    awaitExit();
  }

  void awaitExit() {
    try {
      process.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the server in " + directory + " does not stop", e);
    }
  }

  /**
   * Whether the server answers. After a crash of the machine another process may have the number in
   * the file.
   */
  private boolean answers() {
    try (Connection connection = DriverManager.getConnection(jdbcUrl(port));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("show data_directory")) {
      return row.next() && Files.isSameFile(Path.of(row.getString(1)), directory);
    } catch (SQLException | IOException e) {
      return false;
    }
  }

  /**
   * Takes the lock that the starting process holds as long as it lives; null if it still holds it.
   */
  private @Nullable FileChannel lockOfOwner() {
    try {
      FileChannel channel =
          FileChannel.open(directory.resolve("epg-lock"), StandardOpenOption.WRITE);
      FileLock lock = tryLock(channel);
      if (lock == null) {
        channel.close();
        return null;
      }
      return channel;
    } catch (IOException e) {
      // Another program started the server, and will stop it.
      return null;
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // This very process started the server.
      return null;
    }
  }

  private void stopOrphan(FileChannel lock) {
    signal("INT");
    awaitExit();
    try {
      lock.close();
    } catch (IOException e) {
      throw new IllegalStateException("the lock of " + directory + " cannot be given back", e);
    }
  }

  /**
   * Sends a signal. Java itself can only send TERM, on which the server waits for all its clients
   * to leave.
   */
  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      process.destroy();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
