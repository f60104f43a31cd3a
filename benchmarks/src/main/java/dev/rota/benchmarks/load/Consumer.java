package dev.rota.benchmarks.load;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.benchmarks.load.LoadSettings.Consumption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The handlers: they record their begin and their tasks, then do nothing or sleep. */
final class Consumer {

  private final Consumption settings;
  private final CompletableFuture<LoadFlow> begun = new CompletableFuture<>();

  Consumer(Consumption settings) {
    this.settings = settings;
  }

  /** Starts a worker, whose handlers wait for the flow. */
  Worker start(Rota rota, String kind) {
    Worker.Builder builder =
        rota.worker()
            .concurrency(settings.concurrency())
            .batchSize(settings.batch())
            .hourlyStatistics(settings.hourlyStatistics());
    return settings.together()
        ? builder.handleBatch(kind, this::handleAll).start()
        : builder.handle(kind, this::handle).start();
  }

  /** Gives the handlers the flow of the run. */
  void begin(LoadFlow flow) {
    begun.complete(flow);
  }

  private void handle(Task task) throws InterruptedException {
    LoadFlow flow = begun.join();
    record(flow, task, System.nanoTime());
    flow.pace().handled(1);
    rest();
  }

  private void handleAll(List<Task> tasks) throws InterruptedException {
    LoadFlow flow = begun.join();
    long now = System.nanoTime();
    for (Task task : tasks) {
      record(flow, task, now);
    }
    flow.pace().handled(tasks.size());
    rest();
  }

  private static void record(LoadFlow flow, Task task, long now) {
    flow.latencies().record(Payloads.moment(task.payload()), now, 1);
    flow.accounting().handled(task.id());
  }

  private void rest() throws InterruptedException {
    Duration sleep = settings.sleep();
    if (!sleep.isZero()) {
      Thread.sleep(sleep.toMillis());
    }
  }
}
