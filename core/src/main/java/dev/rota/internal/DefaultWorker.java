package dev.rota.internal;

import dev.rota.DeliveryMode;
import dev.rota.Worker;
import dev.rota.WorkerStatistics;
import dev.rota.admin.internal.Preflight;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.DaemonThreads;
import dev.rota.internal.db.NamedThreads;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.LeftKinds;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.statistics.AttemptReporter;
import dev.rota.internal.statistics.ErrorRecorder;
import dev.rota.internal.statistics.StatisticsRecorder;
import dev.rota.internal.statistics.StatisticsWriter;
import dev.rota.internal.worker.DeliveryStrategy;
import dev.rota.internal.worker.Flows;
import dev.rota.internal.worker.LeasedDelivery;
import dev.rota.internal.worker.RuleFollower;
import dev.rota.internal.worker.TenantDiscovery;
import dev.rota.internal.worker.TenantQueues;
import dev.rota.internal.worker.TransactionalDelivery;
import dev.rota.internal.worker.TransactionalRun;
import dev.rota.internal.worker.WorkerConfig;
import dev.rota.internal.worker.WorkerCounters;
import dev.rota.internal.worker.WorkerCounters.SettleListener;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.WorkerLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Default implementation of {@link Worker}: finds tenants with work and passes them to its delivery
 * service.
 */
final class DefaultWorker implements Worker {

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Kernel kernel;
  private final Preflight preflight;
  private final DaemonWatch daemonWatch;
  private final OpenWorkers siblings;
  private final TenantQueues queues;
  private final List<SettleListener> listeners;
  private final @Nullable TaskObserver observer;
  private final WorkerCounters counters;
  private final TenantDiscovery discovery;
  private final DeliveryStrategy service;
  private final Supplier<WorkerLoad> load;
  private final @Nullable ExecutorService ownExecutor;
  private final Thread looking = new Thread(this::look, "rota-discovery");
  private final List<Set<String>> kinds;
  private final ProcessLease.Service serving;
  private final RuleFollower rules;
  private final Claimer.Factory claimers;
  private final IntConsumer doorbell;
  private final Doorbell.Listener remoteDoorbells = new RemoteDoorbells();
  private final AtomicBoolean lookAtAll = new AtomicBoolean();

  /**
   * Ends the pause between two looks. No permit of {@code LockSupport}: a look that waits for a
   * connection or a lock would consume it.
   */
  private final Semaphore wakeUps = new Semaphore(0);

  private final Closing closing = new Closing();
  private volatile boolean stopping;

  DefaultWorker(
      Kernel kernel,
      Preflight preflight,
      DaemonWatch daemonWatch,
      WorkerConfig settings,
      OpenWorkers siblings) {
    this.kernel = kernel;
    this.preflight = preflight;
    this.daemonWatch = daemonWatch;
    this.siblings = siblings;
    boolean transactional = settings.mode() == DeliveryMode.TRANSACTIONAL;
    this.observer = kernel.settings().timing().observer();
    this.listeners = listeners(kernel, settings, observer);
    this.counters = new WorkerCounters(listeners, observer);
    this.queues =
        new TenantQueues(
            settings.groups().size(),
            settings.batchSize(),
            transactional ? 1 : LeasedDelivery.FETCHERS,
            new Flows(
                settings.concurrency(),
                settings.running().headroom(),
                settings.rota().timing().nanoTime()),
            settings.rota().timing().nanoTime());
    this.kinds = settings.kindsOfGroups();
    LeftKinds left = new LeftKinds(settings.rota().timing().nanoTime());
    this.serving =
        new ProcessLease.Service(
            settings.claiming().pools(), settings.claiming().shards(), settings.kinds(), left);
    queues.apply(TaskRules.UNKNOWN, kinds);
    this.rules =
        new RuleFollower(
            kernel.rules(), kernel.recentRules(), settings.claiming(), new Following());
    this.claimers = kernel.claimers().under(rules.present(), left);
    this.discovery =
        new TenantDiscovery(
            kernel.database(),
            kernel.registry(),
            queues,
            rules,
            new TenantDiscovery.Pace(
                settings.claiming().pollInterval().toNanos(),
                kernel.settings().process().registryRefresh().toNanos()));
    this.doorbell = tenant -> queues.changed(tenant, currentSlotsOf(tenant));
    ExecutorService supplied = settings.running().executor();
    ExecutorService used =
        supplied == null
            ? Executors.newFixedThreadPool(settings.concurrency(), new NamedThreads("rota-handler"))
            : supplied;
    this.ownExecutor = supplied == null ? used : null;
    this.service =
        transactional ? transactionalService(settings, used) : leasedService(settings, used);
    this.load = service::load;
    looking.setDaemon(true);
  }

  private DeliveryStrategy transactionalService(WorkerConfig settings, ExecutorService executor) {
    TransactionalRun runner = new TransactionalRun(parts(), settings, counters);
    return new TransactionalDelivery(
        runner,
        group -> settings.claimer(claimers, group, BatchEnd.SETTLED),
        settings,
        queues,
        executor);
  }

  private DeliveryStrategy leasedService(WorkerConfig settings, ExecutorService executor) {
    return new LeasedDelivery(parts(), settings, queues, counters, executor);
  }

  /** What records the attempts of the worker, and what tells an observer of them. */
  private static List<SettleListener> listeners(
      Kernel kernel, WorkerConfig settings, @Nullable TaskObserver observer) {
    boolean retries = settings.mode() != DeliveryMode.FIRE_AND_FORGET;
    List<SettleListener> all = new ArrayList<>();
    if (settings.running().hourlyStatistics()) {
      all.add(new StatisticsRecorder(clock(kernel), kernel.timer(), retries));
      all.add(
          new ErrorRecorder(
              kernel.database(), kernel.tables(), clock(kernel), kernel.timer(), retries));
    }
    if (observer != null && observer.endedAttempts()) {
      all.add(new AttemptReporter(observer, clock(kernel), kernel.timer(), retries));
    }
    return List.copyOf(all);
  }

  private static StatisticsWriter clock(Kernel kernel) {
    return new StatisticsWriter(kernel.database(), kernel.tables());
  }

  private LeasedDelivery.Parts parts() {
    return partsOf(kernel, claimers);
  }

  /** The parts with which a worker claims and settles. */
  static LeasedDelivery.Parts partsOf(Kernel kernel, Claimer.Factory claimers) {
    return new LeasedDelivery.Parts(
        kernel.database(),
        kernel.registry(),
        kernel.lease(),
        kernel.settler(),
        new LeasedDelivery.Claiming(claimers, kernel.rules()));
  }

  void start() {
    preflight.logOnce();
    daemonWatch.begin();
    kernel.lease().serve(serving);
    listeners.forEach(SettleListener::start);
    kernel.doorbell().listen(doorbell);
    looking.start();
    if (kernel.doorbell().isRemote()) {
      kernel.notifyListener().add(remoteDoorbells);
    }
    service.start();
    if (observer != null) {
      observer.workerStarted(load);
    }
  }

  @Override
  public WorkerStatistics statistics() {
    return counters.snapshot();
  }

  @Override
  public void close() {
    close(Duration.ofNanos(Long.MAX_VALUE));
  }

  @Override
  public boolean close(Duration patience) {
    if (!closing.isOver() && isRunBy(Thread.currentThread())) {
      throw new IllegalStateException(
          "a handler called close() of its own worker, which waits for handlers to end; call it in"
              + " another thread");
    }
    if (closing.ask(boundedNanos(patience))) {
      try {
        end();
      } finally {
        closing.end();
      }
    }
    return closing.await();
  }

  /** Whether a thread runs handlers of this worker. */
  boolean isRunBy(Thread thread) {
    return service.isRunBy(thread);
  }

  private void end() {
    kernel.doorbell().unlisten(doorbell);
    service.stopClaiming();
    stopLooking();
    if (!awaitHandlers()) {
      closing.interrupted();
      service.interruptHandlers();
    }
    // Not before: tasks that are run to the end may wait until the rules let them begin.
    rules.close();
    service.finish();
    listeners.forEach(SettleListener::close);
    if (observer != null) {
      observer.workerClosed(load);
    }
    if (ownExecutor != null) {
      ownExecutor.shutdown();
    }
    kernel.lease().leave(serving);
    siblings.remove(this);
  }

  /** Waits in steps: another caller may shorten the time. */
  private boolean awaitHandlers() {
    while (!service.awaitHandlers(Math.min(closing.left(), STEP_NANOS))) {
      if (closing.left() <= 0) {
        return false;
      }
    }
    return true;
  }

  /** Claims nothing more; {@link #close} is to follow. */
  void stopClaiming() {
    service.stopClaiming();
  }

  private void stopLooking() {
    stopping = true;
    wakeUps.release();
    DaemonThreads.join(looking);
    kernel.notifyListener().remove(remoteDoorbells);
  }

  /**
   * The slots into which producers of this process write, by this registry; it rings the local
   * doorbell for them.
   */
  private int currentSlotsOf(int tenant) {
    return kernel.registry().get(tenant).state().lanes().currentSlots();
  }

  private void look() {
    try (discovery) {
      while (!stopping) {
        if (lookAtAll.getAndSet(false)) {
          discovery.sweep();
        }
        if (wakeUps.tryAcquire(discovery.look(), TimeUnit.NANOSECONDS)) {
          wakeUps.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      throw DaemonThreads.unexpected(e);
    }
  }

  private final class Following implements TaskRules.Listener {

    @Override
    public void apply(TaskRules present) {
      queues.apply(present, kinds);
      service.apply(present);
    }

    @Override
    public void roomCame(Set<Integer> tenants) {
      queues.roomCame(tenants);
      service.roomCame();
    }

    @Override
    public void mayBegin() {
      service.roomCame();
    }
  }

  /** Acts on the doorbells of other processes. */
  private final class RemoteDoorbells implements Doorbell.Listener {

    @Override
    public void changed(int tenant) {
      queues.changed(tenant, ClaimRequest.ALL_SLOTS);
    }

    @Override
    public void changedAll() {
      lookAtAll.set(true);
      wakeUps.release();
    }

    @Override
    public void changedRules() {
      wakeUps.release();
    }
  }

  private static long boundedNanos(Duration patience) {
    return patience.compareTo(Duration.ofDays(365)) > 0
        ? TimeUnit.DAYS.toNanos(365)
        : patience.toNanos();
  }
}
