package dev.rota.demo;

import dev.rota.Tenant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues a workload: collects tasks by tenant, so that each call enqueues many, and keeps the
 * order within each tenant.
 */
final class DemoProducer {

  /** The number of tasks in one call. */
  private static final int CHUNK = 2_000;

  /**
   * The most tasks collected for all tenants together; otherwise tenants with few tasks would keep
   * theirs to the end.
   */
  private static final int MOST_GATHERED = 400_000;

  private final List<Tenant> tenants;
  private final List<TenantBuffer> buffers;
  private final List<Lane> lanes = new ArrayList<>();
  private final IdSet enqueued = new IdSet();
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
  private long gathered;

  DemoProducer(List<Tenant> tenants, int threads) {
    this.tenants = tenants;
    this.buffers = IntStream.range(0, tenants.size()).mapToObj(i -> new TenantBuffer()).toList();
    for (int i = 0; i < threads; i++) {
      lanes.add(new Lane(i + 1, enqueued, e -> failure.compareAndSet(null, e)));
    }
  }

  /** The ids that the library returned. */
  IdSet enqueued() {
    return enqueued;
  }

  /** The number of enqueued tasks, without counting the bits of all their ids. */
  long enqueuedCount() {
    return lanes.stream().mapToLong(Lane::enqueuedCount).sum();
  }

  /** Enqueues all tasks; returns when the last is committed. */
  void run(DemoWorkload workload) throws InterruptedException {
    try {
      workload.read(
          (job, task, instances, fails) -> {
            gather(new Span(job, task, 0, instances, fails));
            return true;
          });
      flush(1);
      for (Lane lane : lanes) {
        lane.finish();
      }
      throwFailure();
    } finally {
      lanes.forEach(Lane::abandon);
    }
  }

  private void gather(Span span) throws InterruptedException {
    throwFailure();
    int index = (int) Math.floorMod(span.job(), (long) tenants.size());
    buffers.get(index).add(span);
    gathered += span.count();
    flush(index, CHUNK);
    if (gathered > MOST_GATHERED) {
      flush(1);
    }
  }

  private void flush(int least) throws InterruptedException {
    for (int i = 0; i < buffers.size(); i++) {
      flush(i, least);
    }
  }

  private void flush(int index, int least) throws InterruptedException {
    TenantBuffer buffer = buffers.get(index);
    while (buffer.tasks() >= least) {
      long before = buffer.tasks();
      List<Span> spans = buffer.take(CHUNK);
      gathered -= before - buffer.tasks();
      lanes.get(index % lanes.size()).enqueue(tenants.get(index), spans);
    }
  }

  private void throwFailure() {
    RuntimeException first = failure.get();
    if (first != null) {
      throw first;
    }
  }
}
