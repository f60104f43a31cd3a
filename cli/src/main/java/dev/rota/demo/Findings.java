package dev.rota.demo;

import dev.rota.demo.DemoReport.Audit;
import dev.rota.demo.DemoReport.Defects;
import java.nio.LongBuffer;
import java.util.HashMap;
import java.util.Map;

/** The rows that an audit has found in the tables so far. Not thread-safe. */
final class Findings {

  /** A state for rows outside history: in the ring, in the wait table, or in an open batch. */
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
  private final Map<Group, Long> hot = new HashMap<>();
  private final Map<Group, Long> cold = new HashMap<>();
  private long attemptCount;
  private long duplicated;

  /** Rows of one kind and state. */
  record Group(String kind, int state) {}

  /** Adds the ids of rows in the database, of one group and attempt. */
  void add(Group group, int attempt, LongBuffer ids) {
    if (group.state() != PENDING) {
      hot.merge(group, (long) ids.remaining(), Long::sum);
    }
    while (ids.hasRemaining()) {
      count(group.state(), attempt, ids.get());
    }
  }

  /** Adds a row of an archived file. */
  void addArchived(Group group, int attempt, long id) {
    cold.merge(group, 1L, Long::sum);
    count(group.state(), attempt, id);
  }

  /** Rows of history in the database, by kind and state. */
  Map<Group, Long> hot() {
    return hot;
  }

  /** Rows of archived files, by kind and state. */
  Map<Group, Long> cold() {
    return cold;
  }

  Audit audit(IdSet enqueued, HandlerEffects effects) {
    return new Audit(
        enqueued.size(),
        done.size(),
        dead.size(),
        attemptCount,
        new Defects(lost(enqueued, effects), duplicated(enqueued, effects), pending.size()));
  }

  /** Counts the tasks that are not settled yet. */
  long pending() {
    return pending.size();
  }

  private void count(int state, int attempt, long id) {
    if (!add(state, attempt, id)) {
      duplicated++;
    }
  }

  private boolean add(int state, int attempt, long id) {
    return switch (state) {
      case PENDING -> pending.add(id);
      case DONE -> ends(id, attempt, done);
      case DEAD -> ends(id, attempt, dead);
      case FAILED -> runs(id, attempt);
      case CANCELLED -> ended.add(id);
      // Lost or released: the row records a claim without an attempt.
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

  private long lost(IdSet enqueued, HandlerEffects effects) {
    IdSet found = new IdSet();
    found.addAll(ended);
    found.addAll(pending);
    return enqueued.countMissingIn(found) + done.countMissingIn(effects.succeeded());
  }

  private long duplicated(IdSet enqueued, HandlerEffects effects) {
    return duplicated
        + effects.repeated()
        // Ended, and to be run again.
        + ended.countCommon(pending)
        // Succeeded, and settled as dead.
        + dead.countCommon(effects.succeeded())
        // Rows that the demo has not enqueued.
        + ended.countMissingIn(enqueued)
        + pending.countMissingIn(enqueued);
  }
}
