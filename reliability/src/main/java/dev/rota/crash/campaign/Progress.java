package dev.rota.crash.campaign;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Counts successful tasks by the logs of the workers while they grow. Thread-safe. */
final class Progress {

  private static final int CHUNK = 64 * 1024;

  private static final class Tail {
    private long position;
    private boolean atLineStart = true;
  }

  private final Path directory;
  private final Map<Path, Tail> tails = new HashMap<>();
  private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
  private long succeeded;
  private long lastAt = System.nanoTime();
  private long longestGap;
  private Instant longestGapEnded = Instant.EPOCH;

  Progress(Path directory) {
    this.directory = directory;
  }

  /** The successes so far, including those that a transaction rolled back afterwards. */
  synchronized long succeeded() throws IOException {
    long before = succeeded;
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(directory, "worker-*.runs")) {
      for (Path log : logs) {
        readOn(log, tails.computeIfAbsent(log, unused -> new Tail()));
      }
    }
    long now = System.nanoTime();
    if (now - lastAt > longestGap) {
      longestGap = now - lastAt;
      longestGapEnded = Instant.now();
    }
    if (succeeded > before) {
      lastAt = now;
    }
    return succeeded;
  }

  /** The time since the last success. */
  synchronized Duration sinceLast() {
    return Duration.ofNanos(System.nanoTime() - lastAt);
  }

  /** The longest time without a success. */
  synchronized Duration longestGap() {
    return Duration.ofNanos(longestGap);
  }

  /** The end of that time. */
  synchronized Instant longestGapEnded() {
    return longestGapEnded;
  }

  private void readOn(Path log, Tail tail) throws IOException {
    try (FileChannel file = FileChannel.open(log)) {
      for (int read = file.read(chunk.clear(), tail.position);
          read > 0;
          read = file.read(chunk.clear(), tail.position)) {
        tail.position += read;
        count(chunk.flip(), tail);
      }
    }
  }

  private void count(ByteBuffer bytes, Tail tail) {
    while (bytes.hasRemaining()) {
      byte next = bytes.get();
      if (tail.atLineStart && next == 's') {
        succeeded++;
      }
      tail.atLineStart = next == '\n';
    }
  }
}
