package dev.rota.crash.extremes;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.crash.accounts.AppendLog;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a worker in a separate process. Its runs write lines to a file that survives it; {@link
 * Runs} reads them. Times are milliseconds since 1970.
 *
 * <pre>
 * TIME TASK ATTEMPT     a handler has begun
 * TIME                  the process is awake
 * </pre>
 */
final class LoggingWorker {

  private static final long PULSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private LoggingWorker() {}

  /** Arguments: the URL, the lease in milliseconds, and the file. */
  public static void main(String[] args) throws IOException {
    try (AppendLog log = new AppendLog(Path.of(args[2]));
        Rota rota =
            Rota.builder(args[0]).lease(Duration.ofMillis(Long.parseLong(args[1]))).build();
        Worker worker =
            rota.worker()
                .handle("k", task -> run(log, task))
                .concurrency(2)
                .batchSize(100)
                .pollInterval(Duration.ofMillis(20))
                .start()) {
      Thread pulse = new Thread(() -> pulse(log), "pulse");
      pulse.setDaemon(true);
      pulse.start();
      System.out.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static void run(AppendLog log, Task task) {
    log.write(System.currentTimeMillis() + " " + task.id() + " " + task.attempt());
  }

  private static void pulse(AppendLog log) {
    while (true) {
      log.write(Long.toString(System.currentTimeMillis()));
      LockSupport.parkNanos(PULSE_NANOS);
    }
  }
}
