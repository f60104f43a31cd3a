package dev.rota.benchmarks.load;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Arrivals as fast as possible, but no faster than tasks are handled once this many are enqueued
 * and not handled. So the backlog cannot grow without limit, and the measured tasks go in and out
 * at once.
 */
final class BoundedArrivals implements Arrivals {

  private final Timeline timeline;
  private final int tasksOfCall;
  private final Semaphore room;

  BoundedArrivals(Timeline timeline, int tasksOfCall, int backlog) {
    this.timeline = timeline;
    this.tasksOfCall = tasksOfCall;
    this.room = new Semaphore(backlog);
  }

  @Override
  public long await() throws InterruptedException {
    long left = timeline.end() - System.nanoTime();
    boolean granted = room.tryAcquire(tasksOfCall, left, TimeUnit.NANOSECONDS);
    return granted ? System.nanoTime() : timeline.end();
  }

  @Override
  public void handled(int tasks) {
    room.release(tasks);
  }

  @Override
  public long countUnsent(UnsentCall each) {
    return 0;
  }
}
