package dev.rota.demo;

import dev.rota.NewTask;
import dev.rota.Tenant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** One thread that enqueues spans in the order in which it gets them. */
final class Lane {

  /**
   * The length of its queue: enough that the thread never waits for the reader, few enough to need
   * no memory.
   */
  private static final int QUEUED = 4;

  private final Semaphore room = new Semaphore(QUEUED);
  private final ExecutorService thread;
  private final IdSet enqueued;
  private final Consumer<RuntimeException> onFailure;
  private final LongAdder enqueuedCount = new LongAdder();

  Lane(int number, IdSet enqueued, Consumer<RuntimeException> onFailure) {
    this.thread =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "demo-producer-" + number));
    this.enqueued = enqueued;
    this.onFailure = onFailure;
  }

  /** Queues spans to enqueue; waits while the queue is full. */
  void enqueue(Tenant tenant, List<Span> spans) throws InterruptedException {
    room.acquire();
    thread.execute(() -> enqueueNow(tenant, spans));
  }

  /** Waits until all queued spans are enqueued. */
  void finish() throws InterruptedException {
    // With all permits it is certain that no span is in progress.
    room.acquire(QUEUED);
    thread.shutdown();
  }

  long enqueuedCount() {
    return enqueuedCount.sum();
  }

  /** Drops spans that have not begun. */
  void abandon() {
    thread.shutdownNow();
  }

  private void enqueueNow(Tenant tenant, List<Span> spans) {
    try {
      List<NewTask> tasks = new ArrayList<>();
      spans.forEach(span -> span.addTo(tasks));
      List<Long> ids = tenant.enqueueAll(tasks);
      ids.forEach(enqueued::add);
      enqueuedCount.add(ids.size());
    } catch (RuntimeException e) {
      onFailure.accept(e);
    } finally {
      room.release();
    }
  }
}
