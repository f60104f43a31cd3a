package dev.rota.demo;

import java.time.Duration;

/** Tells when a number has stayed the same for too long. */
public final class StallDetector {

  private final long patienceNanos;
  private long last = -1;
  private long changedAt = System.nanoTime();

  /**
   * Makes one that counts from now on.
   *
   * @param patience for how long the number may stay the same
   */
  public StallDetector(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  /**
   * Tells it the number.
   *
   * @param number what it is now; not negative
   */
  public void observe(long number) {
    if (number != last) {
      last = number;
      changedAt = System.nanoTime();
    }
  }

  /**
   * Whether it has stayed the same for too long.
   *
   * @return true after that time
   */
  public boolean stalled() {
    return System.nanoTime() - changedAt > patienceNanos;
  }
}
