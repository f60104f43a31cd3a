package dev.rota.internal.worker;

import dev.rota.WorkerStatistics;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.spi.TaskObserver;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Counts the outcomes of a worker, and passes each attempt to its listeners. Thread-safe.
 *
 * <p>Also knows the observer of the tasks, which is told of tries to claim and settle.
 */
public final class WorkerCounters {

  private final List<SettleListener> listeners;
  private final @Nullable TaskObserver observer;
  private final LongAdder claimed = new LongAdder();
  private final LongAdder done = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder lost = new LongAdder();

  /** Creates the counters of one worker; the observer may be null. */
  public WorkerCounters(List<SettleListener> listeners, @Nullable TaskObserver observer) {
    this.listeners = List.copyOf(listeners);
    this.observer = observer;
  }

  /** Whether a listener needs the times of attempts. */
  boolean isListenedTo() {
    return !listeners.isEmpty();
  }

  /** The observer of the tasks, or null. */
  @Nullable TaskObserver observer() {
    return observer;
  }

  /** Passes attempts to the listeners whose outcomes are written as reported. */
  void ended(List<SettleListener.Ended> attempts) {
    ended(attempts, UnaryOperator.identity());
  }

  /** Passes attempts to the listeners whose outcomes may be replaced by others. */
  void ended(List<SettleListener.Ended> attempts, UnaryOperator<Outcome> written) {
    if (!attempts.isEmpty()) {
      listeners.forEach(listener -> listener.settled(attempts, written));
    }
  }

  void claimed(int tasks) {
    claimed.add(tasks);
  }

  void done(int tasks) {
    done.add(tasks);
  }

  void lost(int tasks) {
    lost.add(tasks);
  }

  /** Counts the tasks of a batch that had lost its lease. */
  void lost(ClaimedBatch batch) {
    lost(batch.tasks().size());
    if (observer != null) {
      observer.lost(batch.tenant().state().name(), batch.tasks().size());
    }
  }

  /** Counts exceptions; done tasks are counted by number. */
  void exceptions(List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      if (outcome.state() == AttemptStateCode.FAILED) {
        failed.increment();
      } else if (outcome.state() == AttemptStateCode.DEAD) {
        dead.increment();
      }
    }
  }

  public WorkerStatistics snapshot() {
    return new WorkerStatistics(claimed.sum(), done.sum(), failed.sum(), dead.sum(), lost.sum());
  }

  /** Called with the outcomes of a worker's attempts once they are committed. Thread-safe. */
  public interface SettleListener {

    /**
     * Called when attempts have ended.
     *
     * @param written maps a reported outcome to the written one; usually the same
     */
    void settled(Collection<Ended> attempts, UnaryOperator<Outcome> written);

    /** Called once, before the worker claims. */
    void start();

    /** Called once, after the last attempt. */
    void close();

    /**
     * An attempt that ended, with its times on the clock of this process.
     *
     * @param outcome its outcome as reported
     * @param beganAt the time of its handler's call, in nanoseconds of {@link System#nanoTime}
     * @param nanos how long the handler ran
     */
    record Ended(Outcome outcome, long beganAt, long nanos) {}
  }
}
