package dev.rota.internal.statistics;

import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.worker.WorkerCounters.SettleListener;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Sums over attempts of one kind that ended within some seconds. The clock of this process gives
 * the beginnings of handlers, the database's clock the times of enqueues. Both are summed
 * separately, and the difference of the clocks is applied to the sums when it is known. Not
 * thread-safe.
 */
final class HourCounter {

  private long done;
  private long failed;
  private long dead;
  private long cancelled;
  private long runNanos;
  private long firstAttempts;
  // Relative to the first one, so that the sums stay small enough to be exact.
  private Instant createdFirst = Instant.EPOCH;
  private double beganMicros;
  private double createdMicros;
  private final Histogram runs = new Histogram();
  private final Histogram waits = new Histogram();

  /**
   * Adds an attempt.
   *
   * @param epochNanos the moment of this process's clock from which beginnings are counted
   * @param epochMicros the database's time at that moment, as known by now; unknown if negative
   */
  void add(SettleListener.Ended ended, AttemptStateCode state, long epochNanos, long epochMicros) {
    switch (state) {
      case DONE -> done++;
      case FAILED -> failed++;
      case CANCELLED -> cancelled++;
      default -> dead++;
    }
    runNanos += ended.nanos();
    runs.add(ended.nanos() / 1_000);
    ClaimedTask task = ended.outcome().task();
    if (task.attempt() == 1) {
      createdFirst = firstAttempts == 0 ? task.createdAt() : createdFirst;
      firstAttempts++;
      beganMicros += (ended.beganAt() - epochNanos) / 1e3;
      createdMicros += ChronoUnit.MICROS.between(createdFirst, task.createdAt());
      if (epochMicros >= 0) {
        long began = epochMicros + (ended.beganAt() - epochNanos) / 1_000;
        waits.add(began - ChronoUnit.MICROS.between(Instant.EPOCH, task.createdAt()));
      }
    }
  }

  /** The number of added attempts. */
  long attempts() {
    return done + failed + dead + cancelled;
  }

  /** Returns the sums of this counter and another one. */
  HourCounter plus(HourCounter other) {
    done += other.done;
    failed += other.failed;
    dead += other.dead;
    cancelled += other.cancelled;
    runNanos += other.runNanos;
    runs.add(other.runs);
    waits.add(other.waits);
    if (other.firstAttempts > 0) {
      createdFirst = firstAttempts == 0 ? other.createdFirst : createdFirst;
      firstAttempts += other.firstAttempts;
      beganMicros += other.beganMicros;
      createdMicros +=
          other.createdMicros
              + (double) other.firstAttempts
                  * ChronoUnit.MICROS.between(createdFirst, other.createdFirst);
    }
    return this;
  }

  /**
   * Returns the row to write.
   *
   * @param epochMicros the database's time, in microseconds since 1970, at the moment of this
   *     process's clock from which the beginnings of handlers are counted
   */
  HourKey row(HourKey.Key key, long epochMicros) {
    long first = ChronoUnit.MICROS.between(Instant.EPOCH, createdFirst);
    double waited = beganMicros - createdMicros + (double) firstAttempts * (epochMicros - first);
    return new HourKey(
        key,
        new HourKey.Counts(done, failed, dead, cancelled),
        new HourKey.Times(attempts(), runNanos / 1_000, runs),
        new HourKey.Times(firstAttempts, Math.max(0, Math.round(waited)), waits));
  }
}
