package dev.rota.internal.worker;

import dev.rota.internal.Outcome;
import dev.rota.internal.Settlement;

/** Ends the batches of the mode that settles nothing: failures are only told to the log. */
final class FireAndForget {

  private FireAndForget() {}

  static void report(BatchRun run, Tally tally) {
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
