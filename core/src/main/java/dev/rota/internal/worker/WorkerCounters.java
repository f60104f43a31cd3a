package dev.rota.internal.worker;

import dev.rota.WorkerStatistics;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.Outcome;
import dev.rota.internal.statistics.StatisticsRecorder;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Counts what a worker does. Thread-safe. */
public final class WorkerCounters {

  private final @Nullable StatisticsRecorder statistician;
  private final LongAdder claimed = new LongAdder();
  private final LongAdder done = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder lost = new LongAdder();

  /** With somebody who also keeps hourly statistics, or null. */
  public WorkerCounters(@Nullable StatisticsRecorder statistician) {
    this.statistician = statistician;
  }

  /** Hands on what hourly statistics are made of. */
  void ended(List<StatisticsRecorder.Ended> attempts) {
    ended(attempts, UnaryOperator.identity());
  }

  /** The same, where something else may have been written than what was reported. */
  void ended(List<StatisticsRecorder.Ended> attempts, UnaryOperator<Outcome> written) {
    if (statistician != null && !attempts.isEmpty()) {
      statistician.count(attempts, written);
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
