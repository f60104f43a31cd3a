package dev.rota.cli.demo;

import dev.rota.cli.demo.DemoReport.Audit;
import dev.rota.cli.demo.DemoReport.Defects;
import java.nio.LongBuffer;
import java.util.HashMap;
import java.util.Map;

/** What an audit has found in the tables so far. Not thread-safe. */
final class Findings {

  /** Not a state of the tables: in the ring, in the wait table, or in an open batch. */
  static final int PENDING = -1;

  static final int DONE = 1;
  private static final int FAILED = 2;
  private static final int DEAD = 3;
  private static final int CANCELLED = 4;

  private final IdSet pending = new IdSet();
  private final IdSet ended = new IdSet();
  private final IdSet done = new IdSet();
  private final IdSet dead = new IdSet();
  private final Map<Integer, IdSet> attempts = new HashMap<>();
  private long attemptCount;
  private long duplicated;

  /** Takes the ids of rows of one state and attempt. */
  void add(int state, int attempt, LongBuffer ids) {
    while (ids.hasRemaining()) {
      if (!add(state, attempt, ids.get())) {
        duplicated++;
      }
    }
  }

  Audit audit(IdSet enqueued, EffectBook effects) {
    return new Audit(
        enqueued.size(),
        done.size(),
        dead.size(),
        attemptCount,
        new Defects(lost(enqueued, effects), duplicated(enqueued, effects), pending.size()));
  }

  private boolean add(int state, int attempt, long id) {
    return switch (state) {
      case PENDING -> pending.add(id);
      case DONE -> ends(id, attempt, done);
      case DEAD -> ends(id, attempt, dead);
      case FAILED -> runs(id, attempt);
      case CANCELLED -> ended.add(id);
      // Lost or released: the row tells of a claim that came to nothing, not of an attempt.
      default -> true;
    };
  }

  private boolean ends(long id, int attempt, IdSet how) {
    boolean newAttempt = runs(id, attempt);
    boolean newEnd = ended.add(id);
    how.add(id);
    return newAttempt && newEnd;
  }

  private boolean runs(long id, int attempt) {
    attemptCount++;
    return attempts.computeIfAbsent(attempt, n -> new IdSet()).add(id);
  }

  private long lost(IdSet enqueued, EffectBook effects) {
    IdSet found = new IdSet();
    found.addAll(ended);
    found.addAll(pending);
    return enqueued.countMissingIn(found) + done.countMissingIn(effects.succeeded());
  }

  private long duplicated(IdSet enqueued, EffectBook effects) {
    return duplicated
        + effects.repeated()
        // Ended, and yet to be run again.
        + ended.countCommon(pending)
        // Succeeded, and settled as dead.
        + dead.countCommon(effects.succeeded())
        // Rows that nobody has enqueued.
        + ended.countMissingIn(enqueued)
        + pending.countMissingIn(enqueued);
  }
}
