package dev.rota.internal.worker;

import dev.rota.RotaException;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.settle.ClaimedBatch.SettleReport;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.settle.Settler;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.Settled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Settles the batches of a worker, all that are ready in one transaction. A batch that runs longer
 * than a second settles its outcomes so far, and sooner its tasks that are enqueued again. It keeps
 * trying while the database is unavailable.
 */
final class SettleQueue {

  private static final Logger log = Logs.of(SettleQueue.class);
  private static final int BATCHES_TOGETHER = 500;

  /**
   * The number of batches in one transaction whose outcomes are settled before they end. Each may
   * be of another tenant, and locks several of its tables.
   */
  private static final int INTERIMS_TOGETHER = 50;

  private static final long INTERIM_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long REQUEUED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The pause between two looks for batches that take long. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long WAIT_MILLIS = 50;

  /**
   * A transaction costs as much as closing three batches. After one with several batches, more will
   * end soon, and the next one waits for them.
   */
  private static final long LINGER_NANOS = TimeUnit.MICROSECONDS.toNanos(1_500);

  private static final int SEVERAL = 8;
  private static final int MANY = 200;
  private static final long TROUBLE_MILLIS = 200;

  private final Settler settler;
  private final WorkerCounters counters;
  private final ProcessLease lease;
  private final Set<BatchProgress> open = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<BatchProgress> ready = new LinkedBlockingQueue<>();
  private final List<BatchProgress> putOff = new ArrayList<>();

  /** The open batches that the present look for interim outcomes has not reached. */
  private final Deque<BatchProgress> unseen = new ArrayDeque<>();

  private final AtomicLong unsettled = new AtomicLong();
  private volatile boolean finishing;
  private volatile long giveUpAt;
  private boolean troubled;
  private int lastTogether;
  private long lookedAt = System.nanoTime();

  SettleQueue(Settler settler, ProcessLease lease, WorkerCounters counters) {
    this.lease = lease;
    this.settler = settler;
    this.counters = counters;
  }

  /** Records a claimed batch. */
  void opened(BatchProgress run) {
    unsettled.addAndGet(run.batch().tasks().size());
    open.add(run);
  }

  /** Queues a batch all of whose tasks have ended. */
  void finished(BatchProgress run) {
    ready.add(run);
  }

  /** The number of tasks that are claimed and not settled. */
  long unsettled() {
    return unsettled.get();
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Settles the batches that are ready, or waits briefly for some. */
  void settleOnce() throws InterruptedException {
    List<BatchProgress> runs = new ArrayList<>();
    BatchProgress first = ready.poll(unseen.isEmpty() ? WAIT_MILLIS : 0, TimeUnit.MILLISECONDS);
    if (first != null) {
      runs.add(first);
      linger();
      ready.drainTo(runs, BATCHES_TOGETHER - 1);
    }
    lastTogether = runs.size();
    List<Job> jobs = new ArrayList<>();
    runs.forEach(run -> jobs.add(new Job(run, run.closing())));
    addInterims(jobs);
    if (!jobs.isEmpty()) {
      settle(jobs);
    }
    settlePutOff();
  }

  /**
   * Adds outcomes of batches that take long. Thousands of batches may be open: the next transaction
   * goes on where this one ends.
   */
  private void addInterims(List<Job> jobs) {
    long now = System.nanoTime();
    if (unseen.isEmpty() && now - lookedAt >= LOOK_NANOS) {
      lookedAt = now;
      unseen.addAll(open);
    }
    int added = 0;
    while (added < INTERIMS_TOGETHER && !unseen.isEmpty()) {
      BatchProgress run = unseen.remove();
      Settlement interim = run.isFinished() ? null : interim(run);
      if (interim != null) {
        jobs.add(new Job(run, interim));
        added++;
      }
    }
  }

  private void linger() {
    if (lastTogether >= SEVERAL && !finishing && ready.size() < MANY) {
      LockSupport.parkNanos(LINGER_NANOS);
    }
  }

  private static @Nullable Settlement interim(BatchProgress run) {
    Settlement all = run.interim(INTERIM_NANOS);
    return all == null ? run.requeued(REQUEUED_NANOS) : all;
  }

  /**
   * Settles the rest; no batch may follow. It waits for an unavailable database until the lease is
   * over: later outcomes would be dropped.
   */
  void finish() {
    giveUpAt = System.nanoTime() + lease.length().toNanos();
    finishing = true;
  }

  private boolean isWorthWaiting() {
    return !finishing || System.nanoTime() - giveUpAt < 0;
  }

  private record Job(BatchProgress run, Settlement settlement) {}

  private void settle(List<Job> jobs) throws InterruptedException {
    RuntimeException refusal = trySettle(jobs);
    while (refusal != null && mayPass(jobs, refusal) && isWorthWaiting()) {
      trouble(refusal);
      Thread.sleep(TROUBLE_MILLIS);
      refusal = trySettle(jobs);
    }
    troubled = false;
    if (refusal != null && jobs.size() > 1) {
      for (List<Job> part : parts(jobs, refusal)) {
        settle(part);
      }
    } else if (refusal != null) {
      putOffOrGiveUp(jobs.get(0), refusal);
    }
  }

  /**
   * Splits a refused group, so that the failure of one tenant or batch does not affect the others.
   * It makes halves, with the batches of a tenant side by side. Where a lock was not available,
   * each batch goes alone: every group with the locked one would wait for that lock.
   */
  private static List<List<Job>> parts(List<Job> jobs, RuntimeException refusal) {
    if (SqlErrors.isLockConflict(refusal)) {
      return jobs.stream().map(List::of).toList();
    }
    List<Job> byTenant = new ArrayList<>(jobs);
    byTenant.sort(Comparator.comparingInt(job -> job.run().batch().tenant().number()));
    int middle = jobs.size() / 2;
    return List.of(byTenant.subList(0, middle), byTenant.subList(middle, jobs.size()));
  }

  /**
   * Whether a refusal may pass, such as a full disk: finished tasks must not run again because of
   * it. A group may be the reason itself that there is no room, for its locks, and is split.
   */
  private static boolean mayPass(List<Job> jobs, RuntimeException refusal) {
    return SqlErrors.isConnectionLoss(refusal)
        || (SqlErrors.isExhausted(refusal) && jobs.size() == 1);
  }

  /**
   * Defers a batch whose transaction was refused a lock, because another session holds a row that
   * the end of a task changes; others go first.
   */
  private void putOffOrGiveUp(Job job, RuntimeException refusal) {
    if (SqlErrors.isLockConflict(refusal) && isWorthWaiting()) {
      if (job.settlement().closing()) {
        putOff.add(job.run());
      }
    } else {
      giveUp(job, refusal);
    }
  }

  /** Settles deferred batches one by one, so that none waits with another. */
  private void settlePutOff() throws InterruptedException {
    List<BatchProgress> again = List.copyOf(putOff);
    putOff.clear();
    for (BatchProgress run : again) {
      settle(List.of(new Job(run, run.closing())));
    }
  }

  private @Nullable RuntimeException trySettle(List<Job> jobs) {
    TaskObserver observer = counters.observer();
    if (observer == null) {
      return settleQuietly(jobs);
    }
    long beganAt = System.nanoTime();
    RuntimeException refusal = settleQuietly(jobs);
    long now = System.nanoTime();
    long delay = refusal == null ? longestDelay(jobs, now) : -1;
    observer.settled(new Settled(jobs.size(), now - beganAt, delay, refusal != null));
    return refusal;
  }

  /** The longest time since the last task of a batch ended; -1 if no batch ends. */
  private static long longestDelay(List<Job> jobs, long now) {
    return jobs.stream()
        .filter(job -> job.settlement().closing())
        .mapToLong(job -> now - job.run().finishedAt())
        .max()
        .orElse(-1);
  }

  private @Nullable RuntimeException settleQuietly(List<Job> jobs) {
    try {
      SettleReport settled = settler.settle(jobs.stream().map(Job::settlement).toList());
      jobs.forEach(job -> settled(job, settled));
      return null;
    } catch (RuntimeException e) {
      return e;
    } catch (Error e) {
      // For instance an OutOfMemoryError: the settler must survive, or no batch is settled any
      // more.
      return new RotaException("settle " + jobs.size() + " batches: " + e, e);
    }
  }

  private void settled(Job job, SettleReport settled) {
    boolean owned = settled.owned().contains(job.run().batch().id());
    if (owned) {
      counters.ended(job.run().ended(job.settlement()), settled::written);
      if (!job.settlement().closing()) {
        job.run().markWritten(job.settlement());
      }
      counters.exceptions(job.settlement().outcomes().stream().map(settled::written).toList());
      counters.done(-stopped(job, settled));
    }
    if (job.settlement().closing()) {
      int tasks = job.run().batch().tasks().size();
      if (owned) {
        counters.done(job.run().doneCount());
      } else {
        counters.lost(job.run().batch());
        log.warn(
            "batch {} of {} had lost its lease: the outcomes of its {} tasks are dropped, others run"
                + " them again",
            job.run().batch().id(),
            job.run().batch().tenant().label(),
            tasks);
      }
      forget(job.run());
    }
  }

  /** Counts tasks that were to be enqueued again, and were ended instead. */
  private static int stopped(Job job, SettleReport settled) {
    return (int)
        job.settlement().outcomes().stream()
            .filter(outcome -> outcome.isSuccess() && !settled.written(outcome).isSuccess())
            .count();
  }

  /**
   * Gives up a batch: it stays open in the ledger; the lease finds it and returns its tasks to the
   * ring.
   */
  private void giveUp(Job job, RuntimeException refusal) {
    log.error(
        "batch {} of {} could not be settled, its tasks will run again",
        job.run().batch().id(),
        job.run().batch().tenant().label(),
        refusal);
    if (job.settlement().closing()) {
      lease.drop(job.run().batch().id());
      forget(job.run());
    }
  }

  private void forget(BatchProgress run) {
    if (open.remove(run)) {
      unsettled.addAndGet(-run.batch().tasks().size());
      run.release();
    }
  }

  private void trouble(RuntimeException e) {
    if (!troubled) {
      log.warn("a Rota worker could not settle, and keeps trying: {}", e.getMessage());
    }
    troubled = true;
  }

  /**
   * Limits the bytes of tasks that a worker holds. It counts the maximum of a claim before it
   * begins, and the claimed tasks until they are settled, with their errors. Thread-safe.
   */
  static final class HeldBytes {

    private final long most;
    private long held;

    /** Creates a limit in bytes; a single claim is allowed in any case. */
    HeldBytes(long most) {
      this.most = most;
    }

    /** Reserves room for a claim, which {@link #release releases} it; false while there is none. */
    synchronized boolean reserve(long bytes) {
      if (held > 0 && held + bytes > most) {
        return false;
      }
      held += bytes;
      return true;
    }

    /** Adds the bytes that a claim or a handler has returned. */
    synchronized void add(long bytes) {
      held += bytes;
    }

    /** Releases the reserved bytes of a claim that is over, or the bytes of settled tasks. */
    synchronized void release(long bytes) {
      held -= bytes;
    }
  }
}
