package dev.rota.internal.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures for how long the clock of the database has run evenly, compared with the clock of this
 * process. A clock that stepped may be wrong, and step back soon. Used by one thread.
 */
public final class ClockWatch {

  /** The difference between two clocks, and by a slow answer, that is no step. */
  private static final Duration TOLERANCE = Duration.ofMinutes(1);

  private final LongSupplier nanoTime;
  private @Nullable Reading evenSince;
  private @Nullable Reading last;

  private record Reading(Instant time, long nanos) {}

  /** Creates a watch that knows nothing yet. */
  public ClockWatch(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Notes the present time of the database.
   *
   * @return by how much its clock stepped since the last call; zero if it ran evenly
   */
  public Duration note(Instant time) {
    Reading now = new Reading(time, nanoTime.getAsLong());
    Duration step = last == null ? Duration.ZERO : step(last, now);
    boolean even = step.abs().compareTo(TOLERANCE) <= 0;
    if (evenSince == null || !even) {
      evenSince = now;
    }
    last = now;
    return even ? Duration.ZERO : step;
  }

  private static Duration step(Reading before, Reading now) {
    return Duration.between(before.time, now.time).minusNanos(now.nanos - before.nanos);
  }

  /** For how long the clock has run evenly up to the last call of {@link #note}. */
  public Duration even() {
    return last == null || evenSince == null
        ? Duration.ZERO
        : Duration.ofNanos(last.nanos - evenSince.nanos);
  }
}
