package dev.rota.internal.worker;

import dev.rota.WorkerStatistics;
import dev.rota.internal.Outcome;
import dev.rota.internal.db.StateCode;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a worker does. Thread-safe. */
final class Tally {

  private final LongAdder claimed = new LongAdder();
  private final LongAdder done = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private final LongAdder lost = new LongAdder();

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
      if (outcome.state() == StateCode.FAILED) {
        failed.increment();
      } else if (outcome.state() == StateCode.DEAD) {
        dead.increment();
      }
    }
  }

  WorkerStatistics snapshot() {
    return new WorkerStatistics(claimed.sum(), done.sum(), failed.sum(), dead.sum(), lost.sum());
  }
}
