package dev.rota.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * The logs of the servers and other processes that the tests of a class start. They are printed and
 * kept if a test fails, else deleted at the end of the class. An empty one is never kept.
 */
public final class ProcessLogs implements TestWatcher, AfterAllCallback {

  private static final String GIVEN = System.getProperty("rota.test.server.logs", "");
  private static final Path FOLDER =
      GIVEN.isBlank() ? Path.of("target", "reliability", "logs") : Path.of(GIVEN);
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final Queue<Path> LOGS = new ConcurrentLinkedQueue<>();

  private volatile boolean failed;

  /** Whether the build keeps the logs of all processes. */
  static boolean areWanted() {
    return !GIVEN.isBlank();
  }

  /** The folder of logs, and of other evidence of a failure. */
  public static Path folder() {
    try {
      return Files.createDirectories(FOLDER);
    } catch (IOException e) {
      throw new UncheckedIOException("No directory " + FOLDER + " for logs", e);
    }
  }

  /** The path of a new log. */
  public static Path next(String name) {
    long process = ProcessHandle.current().pid();
    Path log = folder().resolve(name + "-" + process + "-" + NUMBERS.incrementAndGet());
    Path file = log.resolveSibling(log.getFileName() + ".log").toAbsolutePath();
    LOGS.add(file);
    return file;
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    failed = true;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    boolean keep = failed || context.getExecutionException().isPresent();
    for (Path log = LOGS.poll(); log != null; log = LOGS.poll()) {
      if (keep && !isEmpty(log)) {
        System.out.println("Log of a process of " + context.getDisplayName() + ": " + log);
      } else {
        delete(log);
      }
    }
  }

  private static boolean isEmpty(Path log) {
    try {
      return Files.size(log) == 0;
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path log) {
    try {
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
