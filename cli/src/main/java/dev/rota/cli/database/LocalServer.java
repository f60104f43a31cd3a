package dev.rota.cli.database;

import dev.rota.cli.common.SignalGuard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A PostgreSQL 18 of Rota's own that listens on this machine only, with durable commits and with
 * memory and log sized to the machine. For development, demonstrations and measurements: every user
 * of the machine may log in. Thread-safe; stops with the JVM at the latest.
 */
public final class LocalServer implements AutoCloseable {

  private final Path directory;
  private final String jdbcUrl;
  private final Runnable stop;
  private final Thread atExit = new Thread(this::closeAtExit, "rota-embedded-server-stopper");
  private boolean closed;

  LocalServer(Path directory, String jdbcUrl, Runnable stop) {
    this.directory = directory;
    this.jdbcUrl = jdbcUrl;
    this.stop = stop;
  }

  /**
   * Starts a server whose data are kept. A server that already runs in the directory is used; it is
   * stopped at the end only if the process that started it is gone.
   *
   * @param directory the directory of the data; created if missing
   * @return the running server
   * @throws dev.rota.RotaException if it does not start, or its commits would not be durable
   */
  public static LocalServer start(Path directory) {
    Path absolute = directory.toAbsolutePath().normalize();
    return ServerLauncher.launch(absolute).stoppedAtExit();
  }

  /**
   * Starts a server in a new temporary directory that is deleted when it is closed.
   *
   * @return the running server
   * @throws dev.rota.RotaException if it does not start, or its commits would not be durable
   */
  public static LocalServer temporary() {
    return temporary(Path.of(System.getProperty("java.io.tmpdir")));
  }

  /**
   * Starts a server in a new directory that is deleted when it is closed.
   *
   * @param parent the folder in which the directory is created
   * @return the running server
   * @throws dev.rota.RotaException if it does not start, or its commits would not be durable
   */
  public static LocalServer temporary(Path parent) {
    try {
      return ServerLauncher.launchTemporary(Files.createTempDirectory(parent, "rota-"))
          .stoppedAtExit();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The address for a connection with all rights.
   *
   * @return a JDBC URL without a password
   */
  public String jdbcUrl() {
    return jdbcUrl;
  }

  /**
   * The directory of the data.
   *
   * @return an absolute path
   */
  public Path directory() {
    return directory;
  }

  /** Stops the server. Waits until it has stopped. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    // Waiting for the server's processes would end at once in an interrupted thread.
    boolean interrupted = Thread.interrupted();
    try {
      stop.run();
    } finally {
      SignalGuard.removeHook(atExit);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private LocalServer stoppedAtExit() {
    Runtime.getRuntime().addShutdownHook(atExit);
    return this;
  }

  private void closeAtExit() {
    SignalGuard.awaitCommand();
    close();
  }
}
