package dev.rota.benchmarks;

import dev.rota.benchmarks.rounds.Rounds;
import dev.rota.cli.database.LocalServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/** The server of a run: the one of {@code -Djdbc.url=}, or a new durable one. */
final class TrialServer implements Rounds.Server {

  /** Linux's file system in memory, and the space that a smoke run takes. */
  private static final Path MEMORY = Path.of("/dev/shm");

  private static final long ROOM_FOR_SMOKE = 4L << 30;

  private final String url;
  private final Runnable stop;

  private TrialServer(String url, Runnable stop) {
    this.url = url;
    this.stop = stop;
  }

  /**
   * Starts a server, unless one is given.
   *
   * @param measures whether figures count: data are on disk then, and the server is warmed up
   */
  static TrialServer open(boolean measures) {
    String given = System.getProperty(TrialDatabase.SERVER_PROPERTY);
    if (given != null) {
      return new TrialServer(given, () -> {});
    }
    LocalServer server =
        measures || !hasRoomInMemory() ? LocalServer.temporary() : LocalServer.temporary(MEMORY);
    if (measures) {
      warmUp(server);
    }
    return new TrialServer(server.jdbcUrl(), server::close);
  }

  private static boolean hasRoomInMemory() {
    try {
      return Files.isDirectory(MEMORY)
          && Files.getFileStore(MEMORY).getUsableSpace() >= ROOM_FOR_SMOKE;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void warmUp(LocalServer server) {
    try {
      ServerWarmUp.run(server.jdbcUrl());
    } catch (SQLException e) {
      server.close();
      throw new IllegalStateException("cannot warm up the server: " + e.getMessage(), e);
    }
  }

  @Override
  public String url() {
    return url;
  }

  @Override
  public void close() {
    stop.run();
  }
}
