package dev.rota.demo;

import java.time.Duration;

/** Detects that a number has stayed the same for too long. */
public final class StallDetector {

  private final long patienceNanos;
  private long last = -1;
  private long changedAt = System.nanoTime();

  /**
   * Creates a detector that counts from now on.
   *
   * @param patience for how long the number may stay the same
   */
  public StallDetector(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  /**
   * Observes the number.
   *
   * @param number its present value; not negative
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
