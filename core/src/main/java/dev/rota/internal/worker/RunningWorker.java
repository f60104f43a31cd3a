package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.Worker;
import dev.rota.WorkerStatistics;
import dev.rota.internal.DaemonWatch;
import dev.rota.internal.Kernel;
import dev.rota.internal.NamedThreads;
import dev.rota.internal.Preflight;
import dev.rota.internal.Threads;
import dev.rota.internal.db.BatchEnd;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A worker: finds tenants with work and lets its service do it. */
final class RunningWorker implements Worker {

  private final Kernel kernel;
  private final Preflight preflight;
  private final DaemonWatch daemonWatch;
  private final Set<Worker> siblings;
  private final Agendas agendas;
  private final @Nullable Statistician statistician;
  private final Tally tally;
  private final Discovery discovery;
  private final Service service;
  private final @Nullable ExecutorService ownExecutor;
  private final Thread looking = new Thread(this::look, "rota-discovery");
  private final Thread listening = new Thread(this::listen, "rota-doorbell");
  private final IntConsumer doorbell;
  private final AtomicBoolean lookAtAll = new AtomicBoolean();
  private volatile boolean stopping;
  private boolean closed;
  private boolean endedByThemselves = true;

  RunningWorker(
      Kernel kernel,
      Preflight preflight,
      DaemonWatch daemonWatch,
      WorkerSettings settings,
      Set<Worker> siblings) {
    this.kernel = kernel;
    this.preflight = preflight;
    this.daemonWatch = daemonWatch;
    this.siblings = siblings;
    boolean transactional = settings.mode() == DeliveryMode.TRANSACTIONAL;
    this.statistician =
        settings.hourlyStatistics()
            ? new Statistician(
                new StatisticWriter(kernel.database(), kernel.tables()),
                kernel.timer(),
                settings.mode() != DeliveryMode.FIRE_AND_FORGET)
            : null;
    this.tally = new Tally(statistician);
    this.agendas =
        new Agendas(
            settings.groups().size(),
            settings.batchSize(),
            transactional ? 1 : LeasedService.FETCHERS,
            new Flows(settings.concurrency(), settings.headroom(), settings.rota().nanoTime()),
            settings.rota().nanoTime());
    this.discovery =
        new Discovery(
            kernel.database(), kernel.registry(), agendas, settings.pollInterval().toNanos());
    this.doorbell = tenant -> agendas.changed(tenant, currentSlotsOf(tenant));
    ExecutorService supplied = settings.executor();
    ExecutorService used =
        supplied == null
            ? Executors.newFixedThreadPool(settings.concurrency(), new NamedThreads("rota-handler"))
            : supplied;
    this.ownExecutor = supplied == null ? used : null;
    this.service =
        transactional ? transactionalService(settings, used) : leasedService(settings, used);
    looking.setDaemon(true);
    listening.setDaemon(true);
  }

  private Service transactionalService(WorkerSettings settings, ExecutorService executor) {
    TransactionRunner runner =
        new TransactionRunner(
            kernel.database(), kernel.registry(), kernel.settler(), settings, tally);
    return new TransactionalService(
        runner,
        group -> settings.claimer(kernel.claimers(), group, BatchEnd.SETTLED),
        settings,
        agendas,
        executor);
  }

  private Service leasedService(WorkerSettings settings, ExecutorService executor) {
    LeasedService.Parts parts =
        new LeasedService.Parts(
            kernel.database(),
            kernel.registry(),
            kernel.lease(),
            kernel.settler(),
            kernel.claimers());
    return new LeasedService(parts, settings, agendas, tally, executor);
  }

  void start() {
    siblings.add(this);
    preflight.logOnce();
    daemonWatch.begin();
    kernel.doorbell().listen(doorbell);
    looking.start();
    if (kernel.doorbell().isRemote()) {
      listening.start();
    }
    service.start();
    if (statistician != null) {
      statistician.start();
    }
  }

  @Override
  public WorkerStatistics statistics() {
    return tally.snapshot();
  }

  @Override
  public void close() {
    close(Duration.ofNanos(Long.MAX_VALUE));
  }

  @Override
  public synchronized boolean close(Duration patience) {
    if (closed) {
      return endedByThemselves;
    }
    closed = true;
    kernel.doorbell().unlisten(doorbell);
    service.stopClaiming();
    stopLooking();
    endedByThemselves = service.awaitHandlers(boundedNanos(patience));
    if (!endedByThemselves) {
      service.interruptHandlers();
    }
    service.finish();
    if (statistician != null) {
      statistician.close();
    }
    if (ownExecutor != null) {
      ownExecutor.shutdown();
    }
    siblings.remove(this);
    return endedByThemselves;
  }

  private void stopLooking() {
    stopping = true;
    LockSupport.unpark(looking);
    listening.interrupt();
    Threads.join(looking);
    Threads.join(listening);
  }

  /** Rings come from producers of this process, which write where this registry tells them. */
  private int currentSlotsOf(int tenant) {
    return kernel.registry().get(tenant).state().lanes().currentSlots();
  }

  private void look() {
    while (!stopping) {
      if (lookAtAll.getAndSet(false)) {
        discovery.sweep();
      }
      LockSupport.parkNanos(discovery.look());
    }
  }

  private void listen() {
    try {
      new Listener(
              kernel.database(),
              kernel.tables(),
              kernel.doorbell(),
              agendas,
              () -> lookAtAll.set(true))
          .run();
    } catch (InterruptedException e) {
      // How this thread is told to end.
      Thread.currentThread().interrupt();
    }
  }

  private static long boundedNanos(Duration patience) {
    return patience.compareTo(Duration.ofDays(365)) > 0
        ? TimeUnit.DAYS.toNanos(365)
        : patience.toNanos();
  }
}
