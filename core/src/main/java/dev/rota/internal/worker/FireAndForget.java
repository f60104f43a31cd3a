package dev.rota.internal.worker;

import dev.rota.internal.settle.Outcome;
import dev.rota.internal.settle.Settlement;

/** Ends the batches of the mode that settles nothing: failures are only told to the log. */
final class FireAndForget {

  private FireAndForget() {}

  static void report(BatchProgress run, WorkerCounters tally) {
    Settlement ended = run.closing();
    tally.done(run.doneCount());
    tally.ended(run.ended(ended));
    for (Outcome outcome : ended.outcomes()) {
      if (outcome.isDone()) {
        continue;
      }
      tally.lost(1);
    }
  }
}
