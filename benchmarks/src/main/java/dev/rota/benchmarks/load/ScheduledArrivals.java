package dev.rota.benchmarks.load;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Arrivals at fixed moments, whether or not a producer is free. A late producer gets the scheduled
 * moment, so that the wait counts: otherwise a stall would hide all the calls that it delayed
 * (coordinated omission).
 */
final class ScheduledArrivals implements Arrivals {

  private final Timeline timeline;
  private final double nanosBetween;
  private final ProcessClock time;
  private final AtomicLong next = new AtomicLong();

  ScheduledArrivals(Timeline timeline, double callsPerSecond, ProcessClock time) {
    this.timeline = timeline;
    this.nanosBetween = 1e9 / callsPerSecond;
    this.time = time;
  }

  @Override
  public long await() throws InterruptedException {
    if (timeline.isOver(time.nanos())) {
      return timeline.end();
    }
    long due = due(next.getAndIncrement());
    time.waitUntil(timeline.isOver(due) ? timeline.end() : due);
    return due;
  }

  @Override
  public void handled(int tasks) {
    // The schedule does not depend on handled tasks.
  }

  @Override
  public long countUnsent(UnsentCall each) {
    long unsent = 0;
    for (long due = due(next.get()); !timeline.isOver(due); due = due(next.get() + unsent)) {
      each.dueAt(due);
      unsent++;
    }
    return unsent;
  }

  private long due(long call) {
    return timeline.start() + (long) (call * nanosBetween);
  }
}
