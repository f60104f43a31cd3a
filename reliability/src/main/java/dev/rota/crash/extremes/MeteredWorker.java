package dev.rota.crash.extremes;

import dev.rota.RetryAfterException;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * Runs a worker in a separate process whose tasks succeed, fail once, or take so long that what is
 * done is settled before the batch ends. It ends in order when its input does, and hands back what
 * it has not begun.
 */
final class MeteredWorker {

  private static final int ONE_IN = 20;

  /** Two workers have more than the tasks of the test's producer need: no backlog grows. */
  private static final int HANDLERS = 8;

  private MeteredWorker() {}

  /** Arguments: the URL, and the lease in milliseconds. */
  public static void main(String[] args) throws IOException {
    try (Rota rota =
            Rota.builder(args[0]).lease(Duration.ofMillis(Long.parseLong(args[1]))).build();
        Worker worker =
            rota.worker()
                .handle("k", MeteredWorker::run)
                .concurrency(HANDLERS)
                .batchSize(50)
                .pollInterval(Duration.ofMillis(20))
                .start()) {
      System.out.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static void run(Task task) throws InterruptedException {
    long kind = task.id() % ONE_IN;
    if (kind == 0 && task.attempt() == 1) {
      throw new RetryAfterException(Duration.ofMillis(200), "the first attempt fails");
    }
    Thread.sleep(kind == 1 ? 200 : 2);
  }
}
