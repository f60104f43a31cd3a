package dev.rota.benchmarks.rivals;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Rota through its public interface, with a leased worker of default settings except the batch
 * size.
 */
final class RotaContender implements Contender {

  private static final Duration ROTATION = Duration.ofSeconds(5);
  private static final long UNREACHED_QUOTA = 1_000_000_000_000L;

  private final String url;
  private final RivalWorkload workload;
  private final boolean waitsForEach;
  private final Rota rota;
  private final List<Tenant> tenants;
  private @Nullable Worker worker;
  private @Nullable OpenFilling filling;
  private long doneBefore;

  /**
   * Creates the contender in a new database.
   *
   * @param waitsForEach whether single tasks are enqueued one after the other, each waiting for its
   *     commit, rather than asynchronously
   * @param settings sets what differs from the defaults
   */
  RotaContender(
      String url,
      RivalWorkload workload,
      boolean waitsForEach,
      UnaryOperator<Rota.Builder> settings) {
    this.url = url;
    this.workload = workload;
    this.waitsForEach = waitsForEach;
    this.rota = settings.apply(Rota.builder(url)).build();
    this.tenants = RotaTenants.register(rota, workload.tenants());
  }

  /** Gives each tenant a quota of pending tasks that no workload reaches. */
  RotaContender withQuota() {
    rota.controls()
        .changeLimits(
            Scope.plan(Controls.DEFAULT_PLAN), limits -> limits.maxPending(UNREACHED_QUOTA));
    return this;
  }

  @Override
  public RivalProducer producer() {
    NewTask task = NewTask.of(RivalWorkload.KIND, workload.payloadText());
    return waitsForEach ? new Waiting(tenants, task) : new Ahead(tenants, task);
  }

  /**
   * Stores tasks in open transactions, so that the worker can run already: it is kept for the whole
   * trial, and idle when the measurement begins.
   */
  @Override
  public void fill(int tasks) throws Exception {
    if (worker == null) {
      worker = startWorker();
    }
    doneBefore = worker.statistics().done();
    filling = new OpenFilling(url, tenants, NewTask.of(RivalWorkload.KIND, workload.payloadText()));
    filling.fill(tasks / workload.tenants());
  }

  private Worker startWorker() {
    return rota.worker()
        .handle(RivalWorkload.KIND, task -> {})
        .batchSize(workload.batch())
        .pollInterval(Duration.ofMillis(1))
        .start();
  }

  @Override
  public void drain(int tasks) throws Exception {
    Worker running = Objects.requireNonNull(worker, "nothing was filled in");
    Objects.requireNonNull(filling, "nothing was filled in").commit();
    Deadline.await("the end of all tasks", () -> running.statistics().done() >= doneBefore + tasks);
  }

  @Override
  public Consumption consume() {
    RotationDaemon daemon = RotationDaemon.builder(rota).rotateEvery(ROTATION).start();
    Worker consumer = startWorker();
    return new Consumption() {
      @Override
      public long done() {
        return consumer.statistics().done();
      }

      @Override
      public long rotations() {
        return daemon.statistics().rotations();
      }

      @Override
      public void close() {
        consumer.close();
        daemon.close();
      }
    };
  }

  @Override
  public Census census() throws Exception {
    return RotaTenants.census(url);
  }

  @Override
  public void close() {
    // Closes the worker as well.
    rota.close();
  }

  /** Stores single tasks one after the other, each durable before the next one. */
  private record Waiting(List<Tenant> tenants, NewTask task) implements RivalProducer {

    @Override
    public void enqueue(int tenant, int tasks) {
      if (tasks == 1) {
        tenants.get(tenant).enqueue(task);
      } else {
        tenants.get(tenant).enqueueAll(Collections.nCopies(tasks, task));
      }
    }
  }

  /** Stores single tasks without waiting, and waits for all of them at the end. */
  private static final class Ahead implements RivalProducer {
    private final List<Tenant> tenants;
    private final NewTask task;
    private final List<CompletableFuture<Long>> outstanding = new ArrayList<>();

    Ahead(List<Tenant> tenants, NewTask task) {
      this.tenants = tenants;
      this.task = task;
    }

    @Override
    public void enqueue(int tenant, int tasks) {
      if (tasks == 1) {
        outstanding.add(tenants.get(tenant).enqueueAsync(task));
      } else {
        tenants.get(tenant).enqueueAll(Collections.nCopies(tasks, task));
      }
    }

    @Override
    public void await() {
      outstanding.forEach(CompletableFuture::join);
      outstanding.clear();
    }
  }
}
