package dev.rota.internal.worker;

import dev.rota.internal.db.SqlErrors;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of tasks whose handlers ended their whole transaction. The next transaction fails
 * them without running them, and can record it, which theirs could not. A connection may also be
 * lost for other reasons, so that a first loss does not count. Bounded; old ones are forgotten.
 * Thread-safe.
 */
final class Suspects {

  /** Another worker has run the task by then. */
  private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

  static final int MOST = 1_000;

  private final LongSupplier nanoTime;

  /** By their times: the oldest one comes first. */
  private final Map<Attempt, Suspicion> byAttempt = new LinkedHashMap<>();

  Suspects(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** An attempt of a task. It keeps its number when its transaction is rolled back. */
  record Attempt(long task, int number) {}

  private record Suspicion(Throwable reason, boolean certain, long at) {}

  /** Suspects an attempt whose transaction ended for a reason; for a lost connection, twice. */
  synchronized void accuse(Attempt attempt, Throwable reason) {
    long now = nanoTime.getAsLong();
    forgetOld(now);
    Suspicion former = byAttempt.remove(attempt);
    boolean certain = former != null || !SqlErrors.isConnectionLoss(reason);
    byAttempt.put(attempt, new Suspicion(reason, certain, now));
    if (byAttempt.size() > MOST) {
      forgetOldest();
    }
  }

  /** The reason not to run an attempt; null if it may run. */
  synchronized @Nullable Throwable reasonAgainst(Attempt attempt) {
    forgetOld(nanoTime.getAsLong());
    Suspicion suspicion = byAttempt.get(attempt);
    return suspicion != null && suspicion.certain ? suspicion.reason : null;
  }

  /** Ends the suspicion of an attempt, whose outcome is recorded now. */
  synchronized void acquit(Attempt attempt) {
    byAttempt.remove(attempt);
  }

  private void forgetOld(long now) {
    Iterator<Suspicion> oldest = byAttempt.values().iterator();
    while (oldest.hasNext() && now - oldest.next().at >= LONGEST_NANOS) {
      oldest.remove();
    }
  }

  private void forgetOldest() {
    Iterator<Suspicion> oldest = byAttempt.values().iterator();
    oldest.next();
    oldest.remove();
  }
}
