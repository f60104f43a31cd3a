package dev.rota.cli.demo;

import java.time.Duration;

/** Tells when a number has stayed the same for too long. */
final class StallDetector {

  private final long patienceNanos;
  private long last = -1;
  private long changedAt = System.nanoTime();

  StallDetector(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  void observe(long number) {
    if (number != last) {
      last = number;
      changedAt = System.nanoTime();
    }
  }

  boolean stalled() {
    return System.nanoTime() - changedAt > patienceNanos;
  }
}
