package dev.rota;

import java.time.Duration;

/**
 * How long a failed task waits before its next attempt.
 *
 * <p>Implementations are called from worker threads at the same time and must be thread-safe.
 */
@FunctionalInterface
public interface BackOff {

  /**
   * The pause before the next attempt.
   *
   * @param failedAttempt the number of the attempt that has just failed, counted from 1
   * @return the pause, at least zero; the worker adds nothing to it
   */
  Duration after(int failedAttempt);
}
