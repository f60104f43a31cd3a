package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.DaemonThreads;
import dev.rota.internal.db.Database;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.settle.Settler;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.ClaimLoop.ClaimSize;
import dev.rota.internal.worker.ClaimLoop.KindQueue;
import dev.rota.internal.worker.ClaimLoop.PrefetchLimit;
import dev.rota.internal.worker.ClaimLoop.Reservation;
import dev.rota.internal.worker.SettleQueue.HeldBytes;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.WorkerLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs handlers after the claim's commit. In leased mode outcomes are settled; in fire and forget
 * mode batches are closed as they are claimed. Several threads claim, so that one reads its tasks
 * while those of another are being moved. One thread settles; handlers run on the executor.
 */
public final class LeasedDelivery implements DeliveryStrategy {

  /**
   * The number of claiming threads. With two, one claims while the tasks of the other are read;
   * with four, no core waits.
   */
  public static final int FETCHERS = 4;

  private static final long MOST_UNSETTLED = 64_000;
  private static final long MOST_UNSETTLED_BATCHES = 32;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Where weights decide, more is held, and each look costs more. */
  private static final long UNEVEN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ProcessLease lease;
  private final AtomicReference<TaskRules> rules;
  private final boolean settles;
  private final Predicate<String> handledTogether;
  private final int batchSize;
  private final long claimHeldBytes;
  private final WorkerCounters counters;
  private final HeldBytes held;
  private final ClaimSize claimSize;
  private final HandlerExecutor handlers;
  private final SettleQueue settleQueue;
  private final List<KindQueue> kindQueues = new ArrayList<>();
  private final List<Thread> fetching = new ArrayList<>();
  private final Thread settling = new Thread(this::settle, "rota-settler");
  private volatile boolean stopping;
  private volatile boolean finishing;

  public LeasedDelivery(
      Parts parts,
      WorkerConfig settings,
      TenantQueues queues,
      WorkerCounters counters,
      Executor executor) {
    this.lease = parts.lease;
    this.rules = parts.claiming.claimers.rules();
    this.settles = settings.mode() == DeliveryMode.LEASED;
    this.handledTogether = settings.handlers()::handlesTogether;
    this.batchSize = settings.batchSize();
    this.claimHeldBytes = settings.claimHeldBytes();
    this.counters = counters;
    this.claimSize = new ClaimSize(parts.registry.tables());
    this.held = new HeldBytes(settings.claiming().heldBytes());
    this.settleQueue = new SettleQueue(parts.settler, lease, counters);
    FailureReporter failures = new FailureReporter(settings, parts.claiming.rules);
    this.handlers =
        new HandlerExecutor(settings, queues.flows(), failures, executor, new Claimed());
    for (int i = 0; i < settings.groups().size(); i++) {
      kindQueues.add(kindQueueOf(settings, parts.claiming.claimers, i, queues.of(i)));
    }
    for (int i = 0; i < FETCHERS; i++) {
      ClaimLoop fetcher =
          new ClaimLoop(
              parts.database,
              parts.registry,
              queues,
              new Taking(),
              new ClaimLoop.Share(i, claimSize));
      Thread thread = new Thread(() -> fetch(fetcher), "rota-fetcher-" + (i + 1));
      thread.setDaemon(true);
      fetching.add(thread);
    }
    settling.setDaemon(true);
  }

  /** The parts with which it claims and settles. */
  public record Parts(
      Database database,
      TenantRegistry registry,
      ProcessLease lease,
      Settler settler,
      Claiming claiming) {}

  /**
   * How it claims.
   *
   * @param rules those of the process; they take what handlers want to hold
   */
  public record Claiming(Claimer.Factory claimers, TaskRules.Source rules) {}

  private final class Taking implements ClaimLoop.Taker {

    @Override
    public void take(KindQueue kinds, ClaimResult claim) {
      claimed(kinds, claim);
    }

    @Override
    public void lose(ClaimResult claim) {
      lease.drop(claim.batch().id());
    }

    @Override
    public @Nullable TaskObserver observer() {
      return counters.observer();
    }
  }

  private KindQueue kindQueueOf(
      WorkerConfig settings, Claimer.Factory claimers, int number, TenantQueue queue) {
    KindSettings.Group group = settings.groups().get(number);
    queue.goBy(handlers.queue(number));
    return new KindQueue(
        queue,
        settings.claimer(claimers, number, settles ? BatchEnd.OPEN : BatchEnd.SETTLED),
        new PrefetchLimit(Math.min(group.limit(), settings.concurrency()), batchSize, claimSize),
        handlers.queue(number),
        false);
  }

  @Override
  public void start() {
    fetching.forEach(Thread::start);
    settling.start();
  }

  @Override
  public void apply(TaskRules present) {
    handlers.reorder();
    handlers.bind(present);
    if (settles) {
      handlers.handBack(present);
    }
  }

  @Override
  public void roomCame() {
    handlers.roomCame();
  }

  @Override
  public WorkerLoad load() {
    return handlers.load(settleQueue.unsettled());
  }

  @Override
  public boolean isRunBy(Thread thread) {
    return handlers.isRunBy(thread);
  }

  @Override
  public void stopClaiming() {
    stopping = true;
    fetching.forEach(DaemonThreads::join);
    kindQueues.forEach(kinds -> kinds.claimer().close());
    // Fire and forget has nothing to hand back: all claimed tasks are run.
    if (settles) {
      handlers.stop();
    }
  }

  @Override
  public boolean awaitHandlers(long nanos) {
    long deadline = System.nanoTime() + nanos;
    while (!handlers.isIdle()) {
      if (deadline - System.nanoTime() <= 0) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  @Override
  public void interruptHandlers() {
    handlers.stop();
    handlers.interrupt();
    if (!awaitHandlers(TimeUnit.SECONDS.toNanos(1))) {
      handlers.giveUp();
    }
  }

  @Override
  public void finish() {
    settleQueue.finish();
    finishing = true;
    DaemonThreads.join(settling);
    handlers.close();
  }

  private TaskRules present() {
    return Objects.requireNonNull(rules.get());
  }

  private void claimed(KindQueue kinds, ClaimResult claim) {
    counters.claimed(claim.batch().tasks().size());
    BatchProgress run =
        new BatchProgress(claim.batch(), kinds.besides(), handledTogether, counters.isListenedTo());
    run.holdIn(held);
    if (settles) {
      settleQueue.opened(run);
    }
    TaskRules known = present();
    handlers.add(kinds.queue(), run, known);
    if (run.isHeldBy(present()) || known != present()) {
      // The claim began before the rules were known.
      apply(present());
    }
  }

  private final class Claimed implements HandlerExecutor.Batches {

    @Override
    public boolean mayBegin(Piece piece, long now) {
      boolean begins = piece.begin(present());
      // A batch that was closed as it was claimed is run by no other worker.
      return !settles || (begins && lease.covers(piece.run().batch().row(), now));
    }

    @Override
    public TaskRules rules() {
      return present();
    }

    @Override
    public void finished(BatchProgress run) {
      if (settles) {
        settleQueue.finished(run);
      } else {
        report(run);
        run.release();
      }
    }
  }

  /**
   * Reports a finished batch. Batches that are closed as they are claimed settle nothing: failures
   * are only logged.
   */
  private void report(BatchProgress run) {
    Settlement ended = run.closing();
    counters.done(run.doneCount());
    counters.ended(run.ended(ended));
    for (Outcome outcome : ended.outcomes()) {
      if (!outcome.isDone()) {
        counters.lost(1);
      }
    }
  }

  private void fetch(ClaimLoop fetcher) {
    try (fetcher) {
      while (!stopping) {
        fetchDue(fetcher, fetcher.awaitWork());
        handlers.chargeRunning();
        handlers.startJobs();
      }
    } catch (InterruptedException e) {
      throw DaemonThreads.unexpected(e);
    }
  }

  private void fetchDue(ClaimLoop fetcher, List<Integer> due) throws InterruptedException {
    boolean sated = !due.isEmpty();
    for (int group : due) {
      KindQueue kinds = kindQueues.get(group);
      sated &= !fetchWanted(fetcher, kinds) && !fetchWanted(fetcher, kinds.beside());
    }
    if (sated) {
      boolean uneven = kindQueues.get(due.get(0)).queue().areUneven();
      fetcher.rest(uneven ? UNEVEN_PAUSE_NANOS : PAUSE_NANOS);
    }
  }

  /** Claims if wanted; false if no task is wanted now, or no tenant has its turn. */
  private boolean fetchWanted(ClaimLoop fetcher, KindQueue kinds) throws InterruptedException {
    try (Reservation reserved = kinds.reserve()) {
      if (reserved.tasks() == 0 || isFarAhead() || !held.reserve(claimHeldBytes)) {
        return false;
      }
      try {
        return fetcher.fetch(kinds, reserved, batchSize);
      } finally {
        held.release(claimHeldBytes);
        handlers.startJobs();
      }
    }
  }

  /**
   * Whether many tasks are finished and not settled: they take memory too, and would be lost with
   * this process.
   */
  private boolean isFarAhead() {
    return settleQueue.unsettled() > Math.max(MOST_UNSETTLED, MOST_UNSETTLED_BATCHES * batchSize);
  }

  private void settle() {
    try {
      while (!finishing || !settleQueue.isEmpty()) {
        settleQueue.settleOnce();
      }
    } catch (InterruptedException e) {
      throw DaemonThreads.unexpected(e);
    }
  }
}
