package dev.rota.limits.internal.quota;

import dev.rota.internal.config.RotaConfig;
import dev.rota.limits.QuotaExceededException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Repeats an enqueue that is over a quota, until there is room or patience ends. */
public final class RoomWait {

  private static final Duration LONGEST_PATIENCE = Duration.ofDays(1);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private RoomWait() {}

  /**
   * Enqueues as soon as there is room.
   *
   * @param patience how long to try
   * @param enqueue enqueues, and returns the id
   * @throws QuotaExceededException if there was no room, or the thread was interrupted
   */
  public static long enqueue(Duration patience, LongSupplier enqueue) {
    RotaConfig.within("patience", patience, Duration.ZERO, LONGEST_PATIENCE);
    long end = System.nanoTime() + patience.toNanos();
    for (long pause = FIRST_PAUSE_NANOS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS)) {
      try {
        return enqueue.getAsLong();
      } catch (QuotaExceededException e) {
        long patient = end - System.nanoTime();
        long left = Math.min(jittered(pause), patient);
        if (isHopeless(e, patient) || left <= 0 || !pause(left)) {
          throw e;
        }
      }
    }
  }

  /** Whether patience ends before there is an allowance again. */
  private static boolean isHopeless(QuotaExceededException refusal, long patient) {
    return refusal.limit().equals(PayloadQuotas.LIMIT) && refusal.retryAfter().toNanos() > patient;
  }

  private static long jittered(long nanos) {
    return ThreadLocalRandom.current().nextLong(nanos / 2, nanos);
  }

  /** Pauses the thread; false if it was interrupted, which it then still is. */
  public static boolean pause(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
