package dev.rota.crash.campaign;

import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.Worker;
import dev.rota.crash.campaign.audit.CampaignTask;
import dev.rota.pipeline.StageResult;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs a worker in a separate process, until it reads "stop" or its standard input ends. */
final class CampaignWorker {

  private static final int CONNECTIONS = 12;
  private static final long PULSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private CampaignWorker() {}

  /**
   * Runs the worker. Arguments: the URL, the log, the mode, the lease in milliseconds, the
   * concurrency, the longest run time of slow tasks in milliseconds, and the seed.
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    answers.println("started");
    DeliveryMode mode = DeliveryMode.valueOf(args[2]);
    int concurrency = Integer.parseInt(args[4]);
    int aWhileMillis = Integer.parseInt(args[5]);
    long seed = Long.parseLong(args[6]);
    Rota.Builder settings =
        Rota.builder(args[0])
            .lease(Duration.ofMillis(Long.parseLong(args[3])))
            .retry(RetryPolicy.exponential(10_000, Duration.ofMillis(50), Duration.ofMillis(500)))
            .poolSize(CONNECTIONS);
    try (RunLog log = new RunLog(Path.of(args[1]));
        Rota rota = Await.success("connect", settings::build)) {
      Worker worker =
          Await.success(
              "start",
              () ->
                  worker(
                      rota.worker().concurrency(concurrency),
                      mode,
                      new CampaignHandlers(log, seed, aWhileMillis)));
      inBackground("pulse", () -> pulse(worker, log));
      ManualClaims claims = new ManualClaims(rota, log, seed);
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

  private static Worker worker(Worker.Builder builder, DeliveryMode mode, CampaignHandlers deeds) {
    builder.delivery(mode).batchSize(50).pollInterval(Duration.ofMillis(20));
    boolean transactional = mode == DeliveryMode.TRANSACTIONAL;
    for (CampaignTask behavior : EnumSet.complementOf(EnumSet.of(CampaignTask.PASS_ON))) {
      if (transactional) {
        builder.handleInTransaction(behavior.kind(), deeds::runInTransaction);
      } else {
        builder.handle(behavior.kind(), deeds::run);
      }
    }
    return (transactional ? inTransaction(builder, deeds) : leased(builder, deeds)).start();
  }

  private static Worker.Builder leased(Worker.Builder builder, CampaignHandlers deeds) {
    return builder
        .stage(CampaignTask.WAY, CampaignTask.FIRST, task -> StageResult.next())
        .stage(
            CampaignTask.WAY,
            CampaignTask.LAST,
            task -> {
              deeds.run(task);
              return StageResult.finish();
            });
  }

  private static Worker.Builder inTransaction(Worker.Builder builder, CampaignHandlers deeds) {
    return builder
        .stageInTransaction(
            CampaignTask.WAY, CampaignTask.FIRST, (task, connection) -> StageResult.next())
        .stageInTransaction(
            CampaignTask.WAY,
            CampaignTask.LAST,
            (task, connection) -> {
              deeds.runInTransaction(task, connection);
              return StageResult.finish();
            });
  }

  /** Records that the process is awake, and how many outcomes were dropped. */
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
