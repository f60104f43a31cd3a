package dev.rota.internal.worker;

import dev.rota.internal.Outcome;
import dev.rota.internal.Settlement;
import dev.rota.internal.log.Logs;
import org.slf4j.Logger;

/** Ends the batches of the mode that settles nothing: failures can only be told to the log. */
final class FireAndForget {

  private static final Logger log = Logs.of(FireAndForget.class);

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
      log.warn(
          "{} failed and is not tried again (fire and forget); the error, which may hold anything, is"
              + " not logged: let its handler do that",
          outcome.task());
    }
  }
}
