package dev.rota.internal.worker;

import dev.rota.internal.worker.BatchRun.Piece;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Claimed batches of one group of kinds whose tasks wait for a handler, and how many of its
 * handlers run. Thread-safe.
 */
final class WorkQueue {

  private final int limit;
  private final boolean limited;
  private final ConcurrentLinkedQueue<BatchRun> runs = new ConcurrentLinkedQueue<>();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicLong finishedTasks = new AtomicLong();

  WorkQueue(KindGroup group) {
    this.limit = group.limit();
    this.limited = group.isLimited();
  }

  void add(BatchRun run) {
    waiting.addAndGet(run.batch().tasks().size());
    runs.add(run);
  }

  /** Tasks that are held and not begun. */
  long waiting() {
    return waiting.get();
  }

  /** How many jobs would find a piece here, at most. */
  long runnable() {
    return limited ? Math.min(waiting.get(), limit - running.get()) : waiting.get();
  }

  long finishedTasks() {
    return finishedTasks.get();
  }

  /** A piece to be run at once, and {@link #leave left} after it; null if there is none to run. */
  @Nullable Piece enter() {
    if (limited && !reserve()) {
      return null;
    }
    Piece piece = next();
    if (piece == null) {
      leave();
    }
    return piece;
  }

  /** A piece that has run makes room for another one. */
  void leave() {
    if (limited) {
      running.decrementAndGet();
    }
  }

  /** The next piece, whatever runs. */
  @Nullable Piece next() {
    for (BatchRun run = runs.peek(); run != null; run = runs.peek()) {
      Piece piece = run.nextPiece();
      if (piece != null) {
        return piece;
      }
      runs.remove(run);
    }
    return null;
  }

  /** A piece does not wait any more. */
  void begun(Piece piece) {
    waiting.addAndGet(-piece.size());
  }

  void finished(int tasks) {
    finishedTasks.addAndGet(tasks);
  }

  /** Whether a piece that ends makes room that nobody else sees. */
  boolean isLimited() {
    return limited;
  }

  private boolean reserve() {
    for (int now = running.get(); now < limit; now = running.get()) {
      if (running.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }
}
