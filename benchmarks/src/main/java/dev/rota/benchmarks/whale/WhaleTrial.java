package dev.rota.benchmarks.whale;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Runs one worker for a time, beside a load of small tenants, a backlog of a whale, or both. Small
 * tasks arrive on a fixed schedule and wait from the scheduled moment; those that never begin count
 * as if they began at the end. Used by one thread.
 */
final class WhaleTrial {

  /** The least run time per task: no worker ends more tasks of one tenant than 300,000 a second. */
  private static final double LEAST_SECONDS = 1 / 300_000.0;

  private static final int BULK = 5_000;

  /** How long it waits for late tasks. Less than a starving one waits for a whale's of a minute. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final double NANOS = 1e9;

  private final Rota rota;
  private final WhaleSettings settings;
  private final List<Tenant> small;
  private final Duration run;
  private final Runnable checkpoint;
  private final String kind;
  private final String whaleKind;

  private final ConcurrentMap<Integer, Long> unserved = new ConcurrentHashMap<>();
  private final Histogram waits = new ConcurrentHistogram(3);
  private final Histogram enqueues = new ConcurrentHistogram(3);
  private final AtomicLong whaleEnded = new AtomicLong();
  private final AtomicLong whaleNanos = new AtomicLong();
  private final ConcurrentMap<Thread, Long> whaleSince = new ConcurrentHashMap<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private long whaleEnqueued;
  private long from;
  private long end;

  /**
   * Creates a trial that has not begun.
   *
   * @param run how long each task of the whale runs
   * @param checkpoint writes the dirty pages of earlier trials, and of the whale's backlog
   */
  WhaleTrial(
      Rota rota, WhaleSettings settings, List<Tenant> small, Duration run, Runnable checkpoint) {
    this.rota = rota;
    this.settings = settings;
    this.small = small;
    this.run = run;
    this.checkpoint = checkpoint;
    this.kind = "trial." + System.nanoTime();
    this.whaleKind = kind + ".whale";
  }

  /** Runs one phase. */
  Phase measure(boolean withSmall, boolean withWhale) throws InterruptedException {
    if (withWhale) {
      fill();
    }
    checkpoint.run();
    Worker worker = start();
    try {
      long start = System.nanoTime();
      from = start + settings.warmup().toNanos();
      end = from + settings.measured().toNanos();
      return observe(withSmall ? List.of(started(() -> produceSmall(start))) : List.of());
    } finally {
      over.countDown();
      worker.close();
    }
  }

  private Worker start() {
    return rota.worker()
        .concurrency(settings.handlers())
        .handle(kind, task -> smallBegins(Integer.parseInt(task.payload())))
        .handle(whaleKind, task -> runWhale())
        .start();
  }

  private static Thread started(Runnable producer) {
    Thread thread = new Thread(producer, "rota-whale-producer");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private Phase observe(List<Thread> producers) throws InterruptedException {
    sleepUntil(from);
    long endedBefore = whaleEnded.get();
    double nanosBefore = whaleNanosUntil(System.nanoTime());
    sleepUntil(end);
    double seconds = (System.nanoTime() - from) / NANOS;
    double ended = whaleEnded.get() - endedBefore;
    double nanos = whaleNanosUntil(System.nanoTime()) - nanosBefore;
    awaitSmall();
    int neverBegan = countUnserved();
    over.countDown();
    for (Thread producer : producers) {
      producer.join();
    }
    drain();
    return new Phase(
        new Phase.Waits(
            waits.getValueAtPercentile(50) / 1e6,
            waits.getValueAtPercentile(99) / 1e6,
            enqueues.getValueAtPercentile(99) / 1e6),
        neverBegan,
        ended / seconds,
        nanos / NANOS / seconds);
  }

  private void awaitSmall() throws InterruptedException {
    while (!unserved.isEmpty() && System.nanoTime() < end + PATIENCE_NANOS) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  /** Drains the whale: its tasks end at once now, so that none disturbs the next phase. */
  private void drain() throws InterruptedException {
    while (whaleEnded.get() < whaleEnqueued) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private int countUnserved() {
    long now = System.nanoTime();
    List<Long> left = List.copyOf(unserved.values());
    left.forEach(due -> record(waits, due, now));
    unserved.clear();
    return left.size();
  }

  private void produceSmall(long start) {
    for (int number = 0; ; number++) {
      long due = start + (long) (number * NANOS / settings.rate());
      if (due >= end) {
        return;
      }
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      unserved.put(number, due);
      Tenant tenant = small.get(number % small.size());
      var unused =
          tenant
              .enqueueAsync(NewTask.of(kind, Integer.toString(number)))
              .thenRun(() -> record(enqueues, due, System.nanoTime()));
    }
  }

  private void smallBegins(int number) {
    Long due = unserved.remove(number);
    if (due != null) {
      record(waits, due, System.nanoTime());
    }
  }

  private void record(Histogram histogram, long due, long happened) {
    if (due >= from) {
      histogram.recordValue(Math.max(1, happened - due));
    }
  }

  /**
   * Stores enough tasks for the whole phase: enqueueing beside it would load the server, not the
   * worker. The whale is new, so that its tables hold no rows of an earlier trial.
   */
  private void fill() {
    Tenant whale = rota.tenants().register("whale-" + UUID.randomUUID());
    double each = Math.max(run.toNanos() / NANOS, LEAST_SECONDS * settings.handlers());
    double seconds = settings.warmup().plus(settings.measured()).toNanos() / NANOS;
    double tasks = 2 * settings.handlers() + seconds * settings.handlers() / each;
    for (long bulks = 1 + (long) (tasks / BULK); bulks > 0; bulks--) {
      whaleEnqueued += BULK;
      whale.enqueueAll(Collections.nCopies(BULK, NewTask.of(whaleKind, "{}")));
    }
  }

  private void runWhale() throws InterruptedException {
    long began = System.nanoTime();
    whaleSince.put(Thread.currentThread(), began);
    try {
      boolean unused = over.await(run.toNanos(), TimeUnit.NANOSECONDS);
    } finally {
      whaleSince.remove(Thread.currentThread());
      whaleNanos.addAndGet(System.nanoTime() - began);
      whaleEnded.incrementAndGet();
    }
  }

  /** The run time of the whale's tasks, including those that still run. */
  private double whaleNanosUntil(long now) {
    return whaleNanos.get() + whaleSince.values().stream().mapToDouble(since -> now - since).sum();
  }

  private static void sleepUntil(long moment) throws InterruptedException {
    for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
  }
}
