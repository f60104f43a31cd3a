package dev.rota.benchmarks.load;

import dev.rota.NewTask;
import dev.rota.RotaException;
import dev.rota.Tenant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that enqueue through the public API until the end of the run. */
final class Producers implements AutoCloseable {

  private final List<Tenant> tenants;
  private final String kind;
  private final LoadSettings settings;
  private final LoadFlow flow;
  private final TenantPicker picker;
  private final Payloads payloads;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private Producers(List<Tenant> tenants, String kind, LoadSettings settings, LoadFlow flow) {
    this.tenants = tenants;
    this.kind = kind;
    this.settings = settings;
    this.flow = flow;
    this.picker = new TenantPicker(tenants.size(), settings.tenancy().skew());
    this.payloads = new Payloads(settings.production().payloadBytes());
  }

  static Producers start(List<Tenant> tenants, String kind, LoadSettings settings, LoadFlow flow) {
    Producers producers = new Producers(tenants, kind, settings, flow);
    for (int i = 1; i <= settings.production().threads(); i++) {
      SplittableRandom random = new SplittableRandom(i);
      Thread thread = new Thread(() -> producers.produce(random), "bench-producer-" + i);
      thread.setDaemon(true);
      producers.threads.add(thread);
    }
    producers.threads.forEach(Thread::start);
    return producers;
  }

  /** Whether all have ended, and the library has answered every call. */
  boolean finished() {
    throwFailure();
    return threads.stream().noneMatch(Thread::isAlive) && flow.accounting().outstanding() == 0;
  }

  /** Throws the failure of a producer: a run with failed enqueues measures nothing. */
  void throwFailure() {
    Throwable first = failure.get();
    if (first != null) {
      throw new LoadFailedException(first);
    }
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void produce(SplittableRandom random) {
    try {
      ProcessClock.SYSTEM.waitUntil(flow.timeline().start());
      long since = flow.pace().await();
      while (!flow.timeline().isOver(since) && failure.get() == null) {
        enqueue(tenants.get(picker.pick(random)), since);
        since = flow.pace().await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }

  private void enqueue(Tenant tenant, long since) {
    int batch = settings.production().batch();
    NewTask task = NewTask.of(kind, payloads.since(since));
    flow.accounting().requested(batch);
    if (batch == 1) {
      var unused = tenant.enqueueAsync(task).whenComplete(this::answered);
    } else {
      flow.accounting().acknowledged(tenant.enqueueAll(Collections.nCopies(batch, task)));
    }
  }

  private void answered(@Nullable Long id, @Nullable Throwable error) {
    if (id == null) {
      failure.compareAndSet(null, error);
    } else {
      flow.accounting().acknowledged(id);
    }
  }

  /** Thrown when a run is void because tasks could not be enqueued. */
  private static final class LoadFailedException extends RotaException {

    private static final long serialVersionUID = 1L;

    LoadFailedException(Throwable cause) {
      super("the producers stopped: " + cause.getMessage(), cause);
    }
  }
}
