package dev.rota.crash.extremes;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * A worker in a process of its own, each of whose runs leaves a line in a file that outlives it:
 * the task's number.
 */
final class LoggingWorker {

  private LoggingWorker() {}

  /** Arguments: the URL, the lease in milliseconds, and the file. */
  public static void main(String[] args) throws IOException {
    try (FileChannel log =
            FileChannel.open(
                Path.of(args[2]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Rota rota =
            Rota.builder(args[0]).lease(Duration.ofMillis(Long.parseLong(args[1]))).build();
        Worker worker =
            rota.worker()
                .handle("k", task -> run(log, task))
                .concurrency(2)
                .batchSize(100)
                .pollInterval(Duration.ofMillis(20))
                .start()) {
      System.out.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static void run(FileChannel log, Task task) throws IOException {
    log.write(ByteBuffer.wrap((task.id() + "\n").getBytes(StandardCharsets.US_ASCII)));
  }
}
