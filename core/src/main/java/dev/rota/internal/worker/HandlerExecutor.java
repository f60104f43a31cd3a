package dev.rota.internal.worker;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.log.Logs;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.WorkQueue.Waiting;
import dev.rota.spi.WorkerLoad;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs the tasks of claimed batches on an executor, with a limit on the handlers that run at a
 * time. Thread-safe.
 *
 * <p>A job on the executor processes pieces until there are none: a job for each task would cost
 * more than many of the tasks themselves.
 */
final class HandlerExecutor {

  private static final Logger log = Logs.of(HandlerExecutor.class);
  private static final long TELL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Handlers.Calls calls;
  private final FailureReporter failures;
  private final Executor executor;
  private final int concurrency;
  private final Batches batches;
  private final Flows flows;
  private final List<WorkQueue> queues;
  private final BoundedTasks bounded;
  private final AtomicInteger turns = new AtomicInteger();
  private final AtomicInteger jobs = new AtomicInteger();
  private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - TELL_NANOS);
  private final Map<Thread, TimeSlice> running = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  HandlerExecutor(
      WorkerConfig settings,
      Flows flows,
      FailureReporter failures,
      Executor executor,
      Batches batches) {
    this.failures = failures;
    this.calls = new Handlers.Calls(settings, failures);
    this.executor = executor;
    this.concurrency = settings.concurrency();
    this.batches = batches;
    this.flows = flows;
    this.queues =
        settings.groups().stream()
            .map(group -> new WorkQueue(group, settings.concurrency(), flows))
            .toList();
    this.bounded = new BoundedTasks(flows, settings.concurrency());
  }

  /** The batches whose tasks are run. */
  interface Batches {

    /**
     * Begins tasks, if this process still holds their batch, and no rule forbids it.
     *
     * @param now the time by {@link System#nanoTime}
     */
    boolean mayBegin(Piece piece, long now);

    /** The present rules. */
    TaskRules rules();

    /** Takes a batch all of whose tasks have ended. */
    void finished(BatchProgress run);
  }

  /** Returns the queue of a group of kinds; the groups are those of the settings. */
  WorkQueue queue(int group) {
    return queues.get(group);
  }

  /**
   * Starts jobs while there is work and room. To be called after batches were added, and when a
   * full executor may have room again.
   */
  void startJobs() {
    if (jobs.get() >= concurrency) {
      return;
    }
    for (long room = runnable(); room > 0 && jobs.get() < concurrency; room--) {
      if (jobs.incrementAndGet() > concurrency) {
        jobs.decrementAndGet();
        return;
      }
      try {
        executor.execute(this::work);
      } catch (RuntimeException | Error e) {
        // Also an Error: "unable to create native thread" is thrown here.
        jobs.decrementAndGet();
        refused(e);
        return;
      }
    }
  }

  /** Charges tenants whose tasks run longer than expected, and lets others run what waits there. */
  void chargeRunning() {
    for (TimeSlice late : flows.chargeRunning(running.values())) {
      putBack(late);
    }
  }

  /** Orders the waiting tasks anew. */
  void reorder() {
    queues.forEach(WorkQueue::reorder);
  }

  /** Adds a batch to a queue. Of tasks that rules bound, those that may begin come into it. */
  void add(WorkQueue queue, BatchProgress run, TaskRules rules) {
    if (rules != TaskRules.NONE && rules.areBounded()) {
      bounded.add(queue, run.takePieces(), rules);
      bounded.admit();
    } else {
      queue.add(run);
    }
  }

  /** Begins tasks for which there is room by now. */
  void roomCame() {
    bounded.reopen();
    beginBounded();
  }

  private void beginBounded() {
    bounded.admit();
    startJobs();
  }

  /** Lets all waiting tasks need what the rules demand. */
  synchronized void bind(TaskRules rules) {
    if (!stopping && (rules.areBounded() || !bounded.isEmpty())) {
      bounded.bind(rules);
      for (WorkQueue queue : queues) {
        List<Piece> pieces =
            queue.takeOut(
                tenant -> true, piece -> !piece.isBound() && piece.boundBy(rules) != null);
        pieces.forEach(queue::begun);
        bounded.add(queue, pieces, rules);
      }
      beginBounded();
    }
  }

  /** Hands back the waiting tasks that may not begin. */
  synchronized void handBack(TaskRules rules) {
    bounded.takeOut(piece -> piece.isHeldBy(rules)).forEach(this::release);
    for (WorkQueue queue : queues) {
      queue
          .takeOut(tenant -> !rules.pauses(tenant).isNone(), piece -> piece.isHeldBy(rules))
          .forEach(piece -> release(queue, piece));
    }
  }

  /** The upper bound of further jobs that would find work. */
  private long runnable() {
    long runnable = 0;
    for (WorkQueue queue : queues) {
      runnable += queue.runnable();
    }
    return runnable;
  }

  /**
   * Logs a refusal, once: the executor is tried again every few milliseconds, and may refuse each
   * time.
   */
  private void refused(Throwable e) {
    long now = System.nanoTime();
    long last = toldAt.get();
    if (now - last >= TELL_NANOS && toldAt.compareAndSet(last, now)) {
      log.warn("the executor of a Rota worker accepts no job at present: {}", e.toString());
    }
  }

  /** Stops beginning tasks, and hands back those that did not begin. */
  synchronized void stop() {
    stopping = true;
    bounded.takeOut(piece -> true).forEach(this::release);
    for (WorkQueue queue : queues) {
      for (Piece piece = queue.drain(); piece != null; piece = queue.drain()) {
        release(queue, piece);
      }
    }
    running.values().forEach(this::releaseRest);
  }

  /** Lets others run the pieces that did not begin. */
  private synchronized void putBack(TimeSlice slice) {
    if (stopping) {
      releaseRest(slice);
    } else {
      slice.queue().putBack(slice);
    }
  }

  private void releaseRest(TimeSlice slice) {
    slice.takeBack().forEach(piece -> release(slice.queue(), piece));
  }

  /** Hands back a piece. Its tasks do not count as finished, by which the worker claims others. */
  private void release(WorkQueue queue, Piece piece) {
    release(piece);
    left(queue, piece);
  }

  private void release(Piece piece) {
    end(piece, piece.tasks().stream().map(Outcome::released).toList());
  }

  private void end(Piece piece, List<Outcome> outcomes) {
    boolean last = piece.finish(outcomes);
    if (piece.isBound()) {
      bounded.ended(piece);
    }
    if (last) {
      batches.finished(piece.run());
    }
  }

  /** Records that a piece has left its queue, so that another bounded one may come. */
  private void left(WorkQueue queue, Piece piece) {
    queue.begun(piece);
    if (piece.isBound()) {
      bounded.left();
      if (!stopping) {
        beginBounded();
      }
    }
  }

  /** Lets a piece wait that took too long to come to a handler. */
  private synchronized void waitAgain(WorkQueue queue, Piece piece) {
    if (stopping) {
      release(queue, piece);
      return;
    }
    queue.begun(piece);
    bounded.left();
    bounded.ended(piece);
    piece.isGivenNothing();
    TaskRules rules = batches.rules();
    bounded.add(queue, List.of(piece), rules);
    if (batches.rules() != rules) {
      bind(batches.rules());
    }
    bounded.admit();
  }

  /** Closes the executor once nothing runs. */
  void close() {
    calls.close();
  }

  /**
   * Whether nothing waits or runs. A piece counts as running before it stops counting as waiting.
   */
  boolean isIdle() {
    for (WorkQueue queue : queues) {
      if (queue.waiting() > 0) {
        return false;
      }
    }
    return running.isEmpty() && bounded.isEmpty();
  }

  /** The load at this moment, with the number of tasks that are claimed and not settled. */
  WorkerLoad load(long unsettled) {
    Map<String, Integer> byKind = calls.idle();
    running.values().forEach(slice -> byKind.merge(slice.current().kind(), 1, Integer::sum));
    long waiting = queues.stream().mapToLong(WorkQueue::waiting).sum();
    return new WorkerLoad(concurrency, byKind, waiting, bounded.count(), unsettled);
  }

  /** Whether a thread runs handlers. */
  boolean isRunBy(Thread thread) {
    return running.containsKey(thread);
  }

  /** Interrupts the handlers that still run. */
  void interrupt() {
    running.keySet().forEach(Thread::interrupt);
  }

  /**
   * Gives up on handlers that do not end: their tasks have failed, and their later outcomes are
   * ignored.
   */
  void giveUp() {
    InterruptedException error =
        new InterruptedException("the worker was stopped and the handler did not end in time");
    for (TimeSlice slice : running.values()) {
      Piece piece = slice.current();
      piece.ran(slice.charge().beganAt(), System.nanoTime());
      finish(slice.queue(), piece, failures.failed(piece.tasks(), error));
    }
  }

  private void work() {
    try {
      for (TimeSlice slice = stopping ? null : take(); slice != null; slice = after(slice)) {
        run(slice);
      }
    } finally {
      jobs.decrementAndGet();
    }
    // Work that arrived between the last check and the sign-off would wait for the next batch.
    if (!stopping) {
      startJobs();
    }
  }

  /**
   * Takes pieces. Groups of kinds take turns, or one with much work would keep the others from
   * running.
   */
  private @Nullable TimeSlice take() {
    int count = queues.size();
    int first = count == 1 ? 0 : Math.floorMod(turns.getAndIncrement(), count);
    for (int i = 0; i < count; i++) {
      TimeSlice slice = queues.get((first + i) % count).enter();
      if (slice != null) {
        return slice;
      }
    }
    return null;
  }

  private void run(TimeSlice slice) {
    running.put(Thread.currentThread(), slice);
    // The end of a piece is the beginning of the next one: a task may cost less than the clock.
    long now = System.nanoTime();
    try {
      for (Piece piece = slice.current(); piece != null; piece = slice.next()) {
        now = run(slice.queue(), piece, now);
        if (stopping) {
          releaseRest(slice);
        }
      }
    } catch (RuntimeException | Error e) {
      putBack(slice);
      slice.queue().leave(slice);
      throw e;
    } finally {
      running.remove(Thread.currentThread());
      // What the executor runs next on this thread must not see an interrupt of the last handler.
      Thread.interrupted();
    }
  }

  /** Runs a piece that begins at a time, and returns when it ended. */
  private long run(WorkQueue queue, Piece piece, long now) {
    if (!mayBegin(queue, piece, now)) {
      return now;
    }
    if (piece.isBound() && !piece.mayStillBegin()) {
      waitAgain(queue, piece);
      return now;
    }
    left(queue, piece);
    try {
      List<Outcome> outcomes = calls.outcomes(piece.tasks());
      long end = System.nanoTime();
      piece.ran(now, end);
      finish(queue, piece, outcomes);
      return end;
    } catch (RuntimeException | Error e) {
      // No other thread knows of this piece: without an outcome its batch would never end.
      if (!piece.isFinished()) {
        finish(queue, piece, failures.untold(piece.tasks(), e));
      }
      throw e;
    } finally {
      // An interrupt was meant for the handler that has ended, not for the next one.
      Thread.interrupted();
    }
  }

  private boolean mayBegin(WorkQueue queue, Piece piece, long now) {
    boolean begins = false;
    try {
      begins = batches.mayBegin(piece, now);
      return begins;
    } finally {
      if (!begins) {
        // Other workers run its tasks; without an attempt here they find them unchanged.
        release(queue, piece);
      }
    }
  }

  /** The pieces that this job runs after others, which make room; null if there are none. */
  private @Nullable TimeSlice after(TimeSlice slice) {
    WorkQueue queue = slice.queue();
    if (queues.size() == 1 && !queue.isLimited() && !stopping) {
      return queue.leaveForNext(slice);
    }
    queue.leave(slice);
    if (stopping) {
      return null;
    }
    // This job may go on with another group, so that the room it made here is for another job.
    if (queue.isLimited()) {
      startJobs();
    }
    return take();
  }

  private void finish(WorkQueue queue, Piece piece, List<Outcome> outcomes) {
    queue.finished(outcomes.size());
    end(piece, outcomes);
    if (piece.isBound() && !stopping) {
      beginBounded();
    }
  }

  /**
   * The pieces that a job runs before it asks its queue again: one, or several cheap ones of one
   * tenant and kind. The first one is always run; the queue can take back those that did not begin.
   * Thread-safe.
   */
  static final class TimeSlice implements Flows.Charged {

    private final WorkQueue queue;

    /** The batches among which its pieces waited. Used under the lock of the queue. */
    private final Waiting owner;

    private final List<Piece> pieces;
    private final Flows.Charge charge;
    private final AtomicInteger begun = new AtomicInteger(1);
    private volatile Piece current;

    TimeSlice(WorkQueue queue, Waiting owner, List<Piece> pieces, Flows.Charge charge) {
      this.queue = queue;
      this.owner = owner;
      this.pieces = pieces;
      this.charge = charge;
      this.current = pieces.get(0);
    }

    /** The batches among which its pieces waited. Used under the lock of the queue. */
    Waiting owner() {
      return owner;
    }

    /** The queue that gave it out. */
    WorkQueue queue() {
      return queue;
    }

    @Override
    public Flows.Charge charge() {
      return charge;
    }

    /** The piece that began last. */
    Piece current() {
      return current;
    }

    /** Begins the piece after that; null if none is left. */
    @Nullable Piece next() {
      int place = begun.getAndIncrement();
      if (place >= pieces.size()) {
        return null;
      }
      Piece piece = pieces.get(place);
      current = piece;
      return piece;
    }

    /** Takes back the pieces that did not begin; they begin no more. */
    List<Piece> takeBack() {
      int place = begun.getAndSet(pieces.size());
      return place < pieces.size() ? pieces.subList(place, pieces.size()) : List.of();
    }
  }
}
