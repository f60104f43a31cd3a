package dev.rota.internal;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The end of a worker: the first thread that asks for it closes the worker, the others wait for
 * that. Each may shorten the time that handlers have. Thread-safe.
 */
final class Closing {

  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private @Nullable Thread closer;
  private long deadline;
  private volatile boolean endedByThemselves = true;

  /**
   * Asks for the end.
   *
   * @param nanos how long handlers may run from now on, unless another caller allows less
   * @return true for the first caller, which is to close the worker
   */
  synchronized boolean ask(long nanos) {
    long wanted = System.nanoTime() + nanos;
    if (closer == null) {
      closer = Thread.currentThread();
      deadline = wanted;
      return true;
    }
    if (wanted - deadline < 0) {
      deadline = wanted;
    }
    return false;
  }

  /** How long handlers may still run, by the most impatient caller. */
  synchronized long left() {
    return deadline - System.nanoTime();
  }

  /** Records that handlers had to be interrupted. */
  void interrupted() {
    endedByThemselves = false;
  }

  /** Records that the worker is closed. */
  void end() {
    boolean unused = over.complete(endedByThemselves);
  }

  boolean isOver() {
    return over.isDone();
  }

  /**
   * Waits for the end, even if the caller is interrupted; a call from within it returns at once.
   *
   * @return whether all handlers ended by themselves
   */
  boolean await() {
    return isByThisThread() ? endedByThemselves : over.join();
  }

  private synchronized boolean isByThisThread() {
    return closer == Thread.currentThread();
  }
}
