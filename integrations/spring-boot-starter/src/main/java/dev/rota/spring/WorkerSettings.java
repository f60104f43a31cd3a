package dev.rota.spring;

import dev.rota.DeliveryMode;
import dev.rota.Worker;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.core.task.support.ExecutorServiceAdapter;

/** The settings of a worker, some of which follow those of Boot. */
final class WorkerSettings {

  private final RotaProperties.Work properties;
  private final Environment environment;

  WorkerSettings(RotaProperties.Work properties, Environment environment) {
    this.properties = properties;
    this.environment = environment;
  }

  DeliveryMode delivery() {
    return properties.getDelivery();
  }

  void apply(Worker.Builder worker) {
    worker.delivery(properties.getDelivery()).hourlyStatistics(properties.isStatistics());
    if (properties.getConcurrency() != null) {
      worker.concurrency(properties.getConcurrency());
    }
    if (virtualThreads()) {
      worker.executor(new ExecutorServiceAdapter(new VirtualThreadTaskExecutor("rota-handler-")));
    }
    for (Map.Entry<String, RotaProperties.KindSettings> kind : properties.getKinds().entrySet()) {
      apply(worker, kind.getKey(), kind.getValue());
    }
  }

  private static void apply(
      Worker.Builder worker, String kind, RotaProperties.KindSettings settings) {
    if (settings.getConcurrency() != null) {
      worker.concurrency(kind, settings.getConcurrency());
    }
    if (settings.getTimeLimit() != null) {
      worker.timeLimit(kind, settings.getTimeLimit());
    }
    if (settings.getRetry() != null) {
      worker.retry(kind, settings.getRetry().policy());
    }
  }

  private boolean virtualThreads() {
    return properties.getVirtualThreads() == null
        ? Threading.VIRTUAL.isActive(environment)
        : properties.getVirtualThreads();
  }

  /** Ends before Boot gives up the phase, so that the outcomes of the last tasks are stored. */
  Duration patience() {
    if (properties.getShutdownPatience() != null) {
      return properties.getShutdownPatience();
    }
    String phase = environment.getProperty("spring.lifecycle.timeout-per-shutdown-phase", "30s");
    return DurationStyle.detectAndParse(phase).multipliedBy(9).dividedBy(10);
  }
}
