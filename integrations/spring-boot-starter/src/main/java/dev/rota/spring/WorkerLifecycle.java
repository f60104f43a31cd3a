package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.Worker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs a worker for the annotated methods, in the last phase: from when the web server is up, and
 * until before it stops. A start after a stop makes a new worker.
 */
final class WorkerLifecycle implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);

  private final Rota rota;
  private final AnnotatedWorker annotated;
  private volatile @Nullable Worker worker;

  WorkerLifecycle(Rota rota, AnnotatedWorker annotated) {
    this.rota = rota;
    this.annotated = annotated;
  }

  @Override
  public synchronized void start() {
    if (worker != null) {
      return;
    }
    annotated.storeSchedules(rota.tenants());
    if (annotated.isEmpty()) {
      log.info("no bean has a method with @RotaHandler: this process runs no tasks");
      return;
    }
    worker = annotated.configure(rota.worker()).start();
  }

  @Override
  public synchronized void stop() {
    Worker running = worker;
    Duration patience = annotated.settings().patience();
    if (running != null && !running.close(patience)) {
      log.warn(
          "handlers were interrupted since they ran longer than {} after the stop; their tasks run"
              + " again. See rota.worker.shutdown-patience",
          patience);
    }
    worker = null;
  }

  @Override
  public boolean isRunning() {
    return worker != null;
  }

  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }

  @Nullable Worker worker() {
    return worker;
  }
}
