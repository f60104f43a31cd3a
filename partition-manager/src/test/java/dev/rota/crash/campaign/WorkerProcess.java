package dev.rota.crash.campaign;

import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.Worker;
import dev.rota.processes.JavaProcess;
import dev.rota.processes.Patience;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A worker in a process of its own, until it is told "stop" or its standard input ends. */
final class WorkerProcess {

  private static final int CONCURRENCY = 4;
  private static final long PULSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private WorkerProcess() {}

  /** Arguments: the URL, the log, the mode, the lease in milliseconds, and the seed. */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    answers.println("started");
    DeliveryMode mode = DeliveryMode.valueOf(args[2]);
    long seed = Long.parseLong(args[4]);
    Rota.Builder settings =
        Rota.builder(args[0])
            .lease(Duration.ofMillis(Long.parseLong(args[3])))
            .retry(RetryPolicy.exponential(10_000, Duration.ofMillis(50), Duration.ofMillis(500)))
            .poolSize(CONCURRENCY + 8);
    try (RunLog log = new RunLog(Path.of(args[1]));
        Rota rota = Patience.untilItWorks("connect", settings::build)) {
      Worker worker =
          Patience.untilItWorks("start", () -> worker(rota, mode, new Deeds(log, seed)));
      inBackground("pulse", () -> pulse(worker, log));
      HandClaims claims = new HandClaims(rota, log, seed);
      Thread byHand = new Thread(claims, "claims-by-hand");
      if (mode == DeliveryMode.LEASED) {
        byHand.start();
      }
      ProducerProcess.awaitStop();
      claims.stop();
      join(byHand);
      worker.close();
    }
    answers.println("stopped");
  }

  private static Worker worker(Rota rota, DeliveryMode mode, Deeds deeds) {
    Worker.Builder builder =
        rota.worker()
            .delivery(mode)
            .concurrency(CONCURRENCY)
            .batchSize(50)
            .pollInterval(Duration.ofMillis(20));
    for (Deed deed : Deed.values()) {
      if (mode == DeliveryMode.TRANSACTIONAL) {
        builder.handleInTransaction(deed.kind(), deeds::runInTransaction);
      } else {
        builder.handle(deed.kind(), deeds::run);
      }
    }
    return builder.start();
  }

  /** Tells that the process is awake, and what it was refused. */
  private static void pulse(Worker worker, RunLog log) {
    long told = 0;
    while (true) {
      log.pulse();
      long lost = worker.statistics().lost();
      if (lost > told) {
        log.fenced(lost - told);
        told = lost;
      }
      LockSupport.parkNanos(PULSE_NANOS);
    }
  }

  private static void inBackground(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
