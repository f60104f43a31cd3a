package dev.rota.benchmarks.load;

import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.benchmarks.load.LoadSettings.Consumption;
import java.time.Duration;
import java.util.List;

/** The handlers: they record their begin and their tasks, then do nothing or sleep. */
final class Consumer {

  private final LoadFlow flow;
  private final Duration sleep;

  private Consumer(LoadFlow flow, Duration sleep) {
    this.flow = flow;
    this.sleep = sleep;
  }

  static Worker start(Rota rota, String kind, Consumption settings, LoadFlow flow) {
    Consumer consumer = new Consumer(flow, settings.sleep());
    Worker.Builder builder =
        rota.worker()
            .concurrency(settings.concurrency())
            .batchSize(settings.batch())
            .hourlyStatistics(settings.hourlyStatistics());
    return settings.together()
        ? builder.handleBatch(kind, consumer::handleAll).start()
        : builder.handle(kind, consumer::handle).start();
  }

  private void handle(Task task) throws InterruptedException {
    begin(task, System.nanoTime());
    flow.pace().handled(1);
    rest();
  }

  private void handleAll(List<Task> tasks) throws InterruptedException {
    long now = System.nanoTime();
    for (Task task : tasks) {
      begin(task, now);
    }
    flow.pace().handled(tasks.size());
    rest();
  }

  private void begin(Task task, long now) {
    flow.latencies().record(Payloads.moment(task.payload()), now, 1);
    flow.accounting().handled(task.id());
  }

  private void rest() throws InterruptedException {
    if (!sleep.isZero()) {
      Thread.sleep(sleep.toMillis());
    }
  }
}
