package dev.rota.benchmarks.load;

/** A clock that moves only on request of a test or of a wait. For one thread. */
final class ManualTime implements ProcessClock {

  private long now;

  ManualTime(long now) {
    this.now = now;
  }

  void pass(long nanos) {
    now += nanos;
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public void waitUntil(long moment) {
    now = Math.max(now, moment);
  }
}
