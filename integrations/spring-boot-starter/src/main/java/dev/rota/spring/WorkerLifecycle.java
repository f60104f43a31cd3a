package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.Worker;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Runs a worker for the annotated methods, in the last phase: from when the web server is up, and
 * until before it stops. A start after a stop makes a new worker.
 */
final class WorkerLifecycle implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);

  private final Rota rota;
  private final AnnotatedMethods methods;
  private final WorkerSettings settings;
  private final List<RotaCustomizer<Worker.Builder>> customizers;
  private volatile @Nullable Worker worker;

  WorkerLifecycle(
      Rota rota,
      AnnotatedMethods methods,
      WorkerSettings settings,
      ObjectProvider<RotaCustomizer<Worker.Builder>> customizers) {
    this.rota = rota;
    this.methods = methods;
    this.settings = settings;
    this.customizers = customizers.orderedStream().toList();
  }

  @Override
  public synchronized void start() {
    if (worker != null) {
      return;
    }
    methods.schedules().forEach(schedule -> schedule.store(rota.tenants()));
    if (methods.handlers().isEmpty() && customizers.isEmpty()) {
      log.info("no bean has a method with @RotaHandler: this process runs no tasks");
      return;
    }
    Worker.Builder builder = rota.worker();
    settings.apply(builder);
    methods.handlers().forEach(handler -> handler.addTo(builder, settings.delivery()));
    customizers.forEach(customizer -> customizer.customize(builder));
    worker = builder.start();
  }

  @Override
  public synchronized void stop() {
    Worker running = worker;
    if (running != null && !running.close(settings.patience())) {
      log.warn(
          "handlers were interrupted since they ran longer than {} after the stop; their tasks run"
              + " again. See rota.worker.shutdown-patience",
          settings.patience());
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
