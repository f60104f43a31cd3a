package dev.rota.internal.worker;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.claim.TaskRules.Attempts;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.claim.TaskRules.Guard;
import dev.rota.internal.claim.TaskRules.Pauses;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.worker.SettleQueue.HeldBytes;
import dev.rota.internal.worker.WorkerCounters.SettleListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A claimed batch while its tasks run: provides pieces of work, and collects outcomes. Thread-safe;
 * only the settling thread takes outcomes.
 */
final class BatchProgress {

  private final ClaimedBatch batch;
  private final boolean besides;
  private final AtomicLong bytes;
  private final List<Piece> pieces;
  private final AtomicInteger unfinished;
  private final AtomicReferenceArray<@Nullable Outcome> outcomes;
  private final boolean[] written;
  private final boolean timed;

  /**
   * When the handlers of the tasks began, and how long they ran, for listeners. What a handler's
   * thread writes is visible to the thread that reads its outcomes, which are written after.
   */
  private final long[] beganAt;

  private final long[] nanos;
  private int next;
  private long writtenAt = System.nanoTime();
  private long requeuedAt = writtenAt;
  private volatile boolean hasRequeued;
  private volatile @Nullable HeldBytes held;

  /** When its last task ended, for observers. Visible to the thread that takes it to be settled. */
  private long finishedAt;

  /** The work of one handler call: tasks at some positions of the batch. */
  static final class Piece {
    private final BatchProgress run;
    private final int[] places;

    /** Visible to the settling thread, which reads the outcomes that are written after it. */
    private long ranNanos;

    private @Nullable Bound bound;
    private boolean holdsBound;
    private volatile @Nullable Attempts attempts;
    private long heldSince;

    private Piece(BatchProgress run, int[] places) {
      this.run = run;
      this.places = places;
    }

    BatchProgress run() {
      return run;
    }

    int size() {
      return places.length;
    }

    List<ClaimedTask> tasks() {
      List<ClaimedTask> tasks = new ArrayList<>(places.length);
      for (int place : places) {
        tasks.add(run.batch.tasks().get(place));
      }
      return tasks;
    }

    /** The kind of its tasks. */
    String kind() {
      return run.batch.tasks().get(places[0]).kind();
    }

    /** What it needs to begin by these rules; null if nothing. */
    @Nullable Bound boundBy(TaskRules rules) {
      return rules.bound(run.batch.tenant().number(), kind());
    }

    /** Gives it what it needs to begin, until it is finished. */
    synchronized void holds(Bound taken) {
      bound = taken;
      holdsBound = true;
      heldSince = System.nanoTime();
    }

    /** Whether it may begin with what it was given; if not, it has given it back. */
    synchronized boolean mayStillBegin() {
      if (bound == null || bound.mayStillBegin(heldSince)) {
        return true;
      }
      endBound();
      endAttempts(List.of());
      return false;
    }

    /** Lets it wait for what it needs again. */
    synchronized void isGivenNothing() {
      bound = null;
    }

    /** What it was given to begin; null if it needs nothing, or waits. */
    @Nullable Bound bound() {
      return bound;
    }

    /** Whether it was given what it needs to begin. */
    boolean isBound() {
      return bound != null;
    }

    private synchronized void endBound() {
      if (holdsBound && bound != null) {
        holdsBound = false;
        if (ranNanos == 0) {
          bound.undo(heldSince);
        } else {
          bound.end(ranNanos);
        }
      }
    }

    /** Whether one of the tasks may not begin. */
    boolean isHeldBy(TaskRules rules) {
      if (rules == TaskRules.NONE) {
        return false;
      }
      Pauses pauses = rules.pauses(run.batch.tenant().number());
      return !pauses.isNone() && tasks().stream().anyMatch(pauses::hold);
    }

    /** Begins, until it is finished; false if the rules forbid it. */
    boolean begin(TaskRules rules) {
      if (rules == TaskRules.NONE) {
        return true;
      }
      if (isHeldBy(rules)) {
        return false;
      }
      Guard guard = rules.guard(run.batch.tenant().number(), kind());
      attempts = guard == null ? null : guard.begin(size());
      return guard == null || attempts != null;
    }

    private synchronized void endAttempts(List<Outcome> results) {
      Attempts own = attempts;
      attempts = null;
      if (own != null) {
        own.ended(results);
      }
    }

    /** Records when its handler was called, and when it returned. Not once it has an outcome. */
    void ran(long beganAt, long endedAt) {
      if (!isFinished()) {
        ranNanos = endedAt - beganAt;
        if (run.timed) {
          shareTime(beganAt);
        }
      }
    }

    /**
     * Reports the outcomes of the tasks, one for each. A second report does nothing, also one at
     * the same time: the place of the first task decides.
     */
    boolean finish(List<Outcome> results) {
      if (bound != null) {
        endBound();
      }
      if (attempts != null) {
        endAttempts(results);
      }
      if (!run.outcomes.compareAndSet(places[0], null, results.get(0))) {
        return false;
      }
      for (int i = 1; i < places.length; i++) {
        run.outcomes.set(places[i], results.get(i));
      }
      run.holdTexts(results);
      if (results.stream().anyMatch(result -> result.requeue() != null)) {
        run.hasRequeued = true;
      }
      boolean last = run.unfinished.addAndGet(-places.length) == 0;
      if (last && run.timed) {
        run.finishedAt = System.nanoTime();
      }
      return last;
    }

    /** Whether its outcomes were reported. */
    boolean isFinished() {
      return run.outcomes.get(places[0]) != null;
    }

    /** The time of the handler is shared out among its tasks. */
    private void shareTime(long beganAt) {
      for (int place : places) {
        run.beganAt[place] = beganAt;
        run.nanos[place] = ranNanos / places.length;
      }
    }
  }

  /**
   * The pieces of one tenant that wait for a handler, in the order of their batches. Used under the
   * lock of a queue.
   */
  static final class PieceQueue {
    private final Deque<BatchProgress> batches = new ArrayDeque<>();
    private final Deque<Piece> returned = new ArrayDeque<>();
    private int count;

    /** The number of tasks. */
    int count() {
      return count;
    }

    /** Adds the tasks of a batch. */
    void add(BatchProgress batch) {
      batches.add(batch);
      count += batch.batch().tasks().size();
    }

    /** Returns the next piece; there is one while the count is positive. */
    Piece next() {
      return Objects.requireNonNull(peek());
    }

    private @Nullable Piece peek() {
      Piece piece = returned.peek();
      while (piece == null && !batches.isEmpty()) {
        piece = batches.element().peekPiece();
        if (piece == null) {
          batches.remove();
        }
      }
      return piece;
    }

    /** Takes the next piece. */
    Piece poll() {
      Piece piece = next();
      if (returned.poll() == null) {
        piece.run().skipPiece();
      }
      count -= piece.size();
      return piece;
    }

    /**
     * Takes the next piece, and further ones of the same kind.
     *
     * @param together how many tasks of a kind one handler may run
     */
    List<Piece> pollTogether(ToIntFunction<String> together) {
      Piece first = poll();
      int most = first.size() == 1 ? together.applyAsInt(first.kind()) : 1;
      if (most == 1 || !hasNext(first.kind())) {
        return List.of(first);
      }
      List<Piece> pieces = new ArrayList<>(most);
      pieces.add(first);
      while (pieces.size() < most && hasNext(first.kind())) {
        pieces.add(poll());
      }
      return pieces;
    }

    private boolean hasNext(String kind) {
      Piece next = peek();
      return next != null && next.size() == 1 && next.kind().equals(kind);
    }

    /** Adds one piece of a batch. */
    void admit(Piece piece) {
      returned.addLast(piece);
      count += piece.size();
    }

    /** Puts pieces of one task each back to the front, in their order. */
    void putBack(List<Piece> pieces) {
      for (int i = pieces.size() - 1; i >= 0; i--) {
        returned.addFirst(pieces.get(i));
      }
      count += pieces.size();
    }

    /** Takes out some of the pieces; the others stay in their order. */
    List<Piece> takeOut(Predicate<Piece> which) {
      List<Piece> taken = new ArrayList<>();
      List<Piece> kept = new ArrayList<>();
      while (count > 0) {
        Piece piece = poll();
        (which.test(piece) ? taken : kept).add(piece);
      }
      returned.addAll(kept);
      count = kept.stream().mapToInt(Piece::size).sum();
      return taken;
    }

    /** Forgets the batches whose tasks were all taken. */
    void clear() {
      batches.clear();
    }
  }

  /**
   * Splits a batch into pieces: tasks of a kind that is handled in batches share one.
   *
   * @param besides whether it was claimed where enough was held in all
   * @param handledTogether the kinds whose tasks are handled together
   * @param timed whether the times of handlers are measured
   */
  BatchProgress(
      ClaimedBatch batch, boolean besides, Predicate<String> handledTogether, boolean timed) {
    this.batch = batch;
    this.besides = besides;
    this.bytes = new AtomicLong(bytes(batch.tasks()));
    int count = batch.tasks().size();
    this.unfinished = new AtomicInteger(count);
    this.outcomes = new AtomicReferenceArray<>(count);
    this.written = new boolean[count];
    this.timed = timed;
    this.beganAt = new long[timed ? count : 0];
    this.nanos = new long[timed ? count : 0];
    this.pieces = split(handledTogether);
  }

  private static long bytes(List<ClaimedTask> tasks) {
    long bytes = 0;
    for (ClaimedTask task : tasks) {
      bytes += task.bytes();
    }
    return bytes;
  }

  private List<Piece> split(Predicate<String> handledTogether) {
    List<Piece> split = new ArrayList<>();
    Map<String, List<Integer>> together = new LinkedHashMap<>();
    for (int i = 0; i < batch.tasks().size(); i++) {
      String kind = batch.tasks().get(i).kind();
      if (handledTogether.test(kind)) {
        together.computeIfAbsent(kind, unused -> new ArrayList<>()).add(i);
      } else {
        split.add(new Piece(this, new int[] {i}));
      }
    }
    together
        .values()
        .forEach(
            places ->
                split.add(new Piece(this, places.stream().mapToInt(Integer::intValue).toArray())));
    return split;
  }

  ClaimedBatch batch() {
    return batch;
  }

  /**
   * Counts the memory of its tasks in a limit, and that of their outcomes as they come, until
   * {@link #release}.
   */
  void holdIn(HeldBytes limit) {
    held = limit;
    limit.add(bytes.get());
  }

  /** Ends the count of its memory, once all its tasks have ended and nothing of it is needed. */
  void release() {
    HeldBytes limit = held;
    held = null;
    if (limit != null) {
      limit.release(bytes.get());
    }
  }

  private void holdTexts(List<Outcome> results) {
    long texts = 0;
    for (Outcome result : results) {
      texts += result.bytes();
    }
    HeldBytes limit = held;
    if (texts > 0 && limit != null) {
      bytes.addAndGet(texts);
      limit.add(texts);
    }
  }

  /** Takes all pieces, to be added one by one. Before it is added to a queue. */
  List<Piece> takePieces() {
    next = pieces.size();
    return pieces;
  }

  /** Whether one of its tasks may not begin. */
  boolean isHeldBy(TaskRules rules) {
    if (rules == TaskRules.NONE) {
      return false;
    }
    Pauses pauses = rules.pauses(batch.tenant().number());
    return !pauses.isNone() && batch.tasks().stream().anyMatch(pauses::hold);
  }

  /** Whether it was claimed where enough was held in all. */
  boolean isBeside() {
    return besides;
  }

  /** Returns the next piece without a handler, or null. Used under the lock of its queue. */
  @Nullable Piece peekPiece() {
    return next < pieces.size() ? pieces.get(next) : null;
  }

  /** Skips the next piece. Used under the lock of its queue. */
  void skipPiece() {
    next++;
  }

  /** When its last task ended; only if times are measured. */
  long finishedAt() {
    return finishedAt;
  }

  boolean isFinished() {
    return unfinished.get() == 0;
  }

  /** The number of tasks that succeeded. */
  int doneCount() {
    int count = 0;
    for (int i = 0; i < written.length; i++) {
      Outcome outcome = outcomes.get(i);
      count += outcome != null && outcome.isSuccess() ? 1 : 0;
    }
    return count;
  }

  /**
   * The outcomes that close the batch: its exceptions, and those of marked tasks; a task without an
   * outcome is done.
   */
  Settlement closing() {
    return new Settlement(
        batch,
        collect(outcome -> !outcome.isDone() || outcome.task().isMarked()),
        true,
        TimeUnit.NANOSECONDS.toMicros(ranNanos()));
  }

  /** How long the handlers of all its pieces ran, each on its own. */
  private long ranNanos() {
    long nanos = 0;
    for (Piece piece : pieces) {
      nanos += piece.ranNanos;
    }
    return nanos;
  }

  /** The outcomes so far, for a batch that takes long; null if some were written recently. */
  @Nullable Settlement interim(long afterNanos) {
    if (System.nanoTime() - writtenAt < afterNanos) {
      return null;
    }
    writtenAt = System.nanoTime();
    return interim(collect(outcome -> true));
  }

  /**
   * Tasks that are enqueued again, which must not wait for the rest of the batch. Null if there are
   * none, or if some were written recently.
   */
  @Nullable Settlement requeued(long afterNanos) {
    if (!hasRequeued || System.nanoTime() - requeuedAt < afterNanos) {
      return null;
    }
    requeuedAt = System.nanoTime();
    return interim(collect(outcome -> outcome.requeue() != null));
  }

  private @Nullable Settlement interim(List<Outcome> finished) {
    return finished.isEmpty() ? null : new Settlement(batch, finished, false);
  }

  /**
   * The attempts that a settlement ends and that were not written before, if times are measured;
   * else none.
   */
  List<SettleListener.Ended> ended(Settlement settlement) {
    if (!timed) {
      return List.of();
    }
    Set<Outcome> reported = Collections.newSetFromMap(new IdentityHashMap<>());
    reported.addAll(settlement.outcomes());
    List<SettleListener.Ended> ended = new ArrayList<>();
    for (int i = 0; i < written.length; i++) {
      Outcome outcome = outcomes.get(i);
      if (outcome != null && !written[i] && (settlement.closing() || reported.contains(outcome))) {
        ended.add(new SettleListener.Ended(outcome, beganAt[i], nanos[i]));
      }
    }
    return ended;
  }

  /** Marks outcomes as written, so that they are not written again. */
  void markWritten(Settlement settlement) {
    Set<Outcome> done = Collections.newSetFromMap(new IdentityHashMap<>());
    done.addAll(settlement.outcomes());
    for (int i = 0; i < written.length; i++) {
      Outcome outcome = outcomes.get(i);
      written[i] |= outcome != null && done.contains(outcome);
    }
  }

  private List<Outcome> collect(Predicate<Outcome> which) {
    List<Outcome> collected = new ArrayList<>();
    for (int i = 0; i < written.length; i++) {
      Outcome outcome = outcomes.get(i);
      if (outcome != null && !written[i] && which.test(outcome)) {
        collected.add(outcome);
      }
    }
    return collected;
  }
}
