package dev.rota.internal.worker;

import dev.rota.UnknownTenantException;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.worker.TenantQueue.Visit;
import dev.rota.spi.WorkerLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.slf4j.Logger;

/**
 * Runs handlers inside the claim's transaction: as many transactions at a time as the worker has
 * concurrency, one tenant each.
 */
public final class TransactionalDelivery implements DeliveryStrategy {

  private static final Logger log = Logs.of(TransactionalDelivery.class);
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long TROUBLE_MILLIS = 200;

  private final WorkerConfig settings;
  private final TenantQueues queues;
  private final List<KindClaims> groups = new ArrayList<>();
  private final ExecutorService executor;
  private final TransactionalRun runner;
  private final CountDownLatch ended;
  private final Map<Thread, Boolean> threads = new ConcurrentHashMap<>();
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile boolean stopping;

  /**
   * Creates the delivery of one worker.
   *
   * @param claimers create the claimer of each group of kinds
   */
  public TransactionalDelivery(
      TransactionalRun runner,
      IntFunction<Claimer> claimers,
      WorkerConfig settings,
      TenantQueues queues,
      ExecutorService executor) {
    this.settings = settings;
    this.queues = queues;
    this.executor = executor;
    this.runner = runner;
    this.ended = new CountDownLatch(settings.concurrency());
    for (int i = 0; i < settings.groups().size(); i++) {
      groups.add(
          new KindClaims(
              queues.of(i), claimers.apply(i), new Semaphore(settings.groups().get(i).limit())));
    }
  }

  /**
   * The queue and limit of one group of kinds.
   *
   * @param tenants the tenants to visit for the group
   * @param claimer claims its kinds
   * @param room a permit for each transaction that may run
   */
  private record KindClaims(TenantQueue tenants, Claimer claimer, Semaphore room) {}

  @Override
  public void start() {
    for (int i = 0; i < settings.concurrency(); i++) {
      executor.execute(this::work);
    }
  }

  /** Does nothing: each transaction asks before each of its tasks. */
  @Override
  public void apply(TaskRules rules) {}

  @Override
  public WorkerLoad load() {
    return runner.load();
  }

  @Override
  public boolean isRunBy(Thread thread) {
    return threads.containsKey(thread);
  }

  @Override
  public void stopClaiming() {
    stopping = true;
    groups.forEach(claims -> claims.claimer().close());
    runner.stop();
  }

  @Override
  public boolean awaitHandlers(long nanos) {
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    while (ended.getCount() > 0 && deadline - System.nanoTime() > 0) {
      try {
        if (ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended.getCount() == 0;
  }

  @Override
  public void interruptHandlers() {
    threads.keySet().forEach(Thread::interrupt);
    if (!awaitHandlers(TimeUnit.SECONDS.toNanos(1))) {
      log.warn("a handler does not end; its transaction ends with it, and its tasks stay pending");
    }
  }

  /** Does nothing: outcomes commit with the transactions. */
  @Override
  public void finish() {
    runner.close();
  }

  private void work() {
    threads.put(Thread.currentThread(), true);
    try {
      while (!stopping && !isWithoutExecutor()) {
        visitDue();
      }
    } finally {
      threads.remove(Thread.currentThread());
      // What the executor runs next on this thread must not see an interrupt of a handler.
      Thread.interrupted();
      ended.countDown();
    }
  }

  /** Whether the host has shut down its executor, which waits for this thread to end. */
  private boolean isWithoutExecutor() {
    if (!executor.isShutdown()) {
      return false;
    }
    if (!told.getAndSet(true)) {
      log.warn("the executor of a Rota worker was shut down before the worker: it runs no tasks");
    }
    return true;
  }

  private void visitDue() {
    try {
      List<Integer> due = queues.await(0, WAIT_NANOS);
      boolean full = !due.isEmpty();
      for (int group : due) {
        full &= !visitOne(groups.get(group));
      }
      if (full) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (InterruptedException e) {
      // Either the worker or the executor stops, or the interrupt came too late for its handler.
      log.debug("a thread of a Rota worker was interrupted between its transactions", e);
    }
  }

  /** Visits one tenant; false if the maximum of transactions already runs. */
  private boolean visitOne(KindClaims claims) throws InterruptedException {
    if (!claims.room().tryAcquire()) {
      return false;
    }
    try {
      for (Visit visit : claims.tenants().take(0, 1, 1)) {
        long began = System.nanoTime();
        visit(claims, visit);
        queues.flows().ran(visit.tenant(), System.nanoTime() - began);
      }
      return true;
    } finally {
      claims.room().release();
    }
  }

  private void visit(KindClaims claims, Visit visit) throws InterruptedException {
    try {
      ClaimResult claim = runner.run(claims.claimer(), visit);
      claims.tenants().visited(visit, claim.batch().tasks().size(), claim.state());
    } catch (UnknownTenantException e) {
      // The tenant was erased since its visit was planned.
      claims.tenants().gone(visit);
    } catch (RuntimeException | Error e) {
      claims.tenants().failed(visit);
      log.warn("a Rota worker's transaction came to nothing: {}", e.getMessage());
      if (SqlErrors.isConnectionLoss(e)) {
        Thread.sleep(TROUBLE_MILLIS);
      }
    }
  }
}
