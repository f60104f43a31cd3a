package dev.rota.internal.worker;

import dev.rota.WorkerStatistics;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.Outcome;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Counts what a worker does, and tells its listener of each attempt. Thread-safe. */
public final class WorkerCounters {

  private final @Nullable SettleListener listener;
  private final LongAdder claimed = new LongAdder();
  private final LongAdder done = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder lost = new LongAdder();

  /** For one worker; without a listener if it is null. */
  public WorkerCounters(@Nullable SettleListener listener) {
    this.listener = listener;
  }

  /** Whether the times of attempts are to be taken for a listener. */
  boolean isListenedTo() {
    return listener != null;
  }

  /** Tells the listener of attempts whose outcomes are written as they were reported. */
  void ended(List<SettleListener.Ended> attempts) {
    ended(attempts, UnaryOperator.identity());
  }

  /** Tells the listener of attempts whose outcomes may be replaced by others. */
  void ended(List<SettleListener.Ended> attempts, UnaryOperator<Outcome> written) {
    if (listener != null && !attempts.isEmpty()) {
      listener.settled(attempts, written);
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

  /** Counts exceptions; what is done is counted by number. */
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
}
