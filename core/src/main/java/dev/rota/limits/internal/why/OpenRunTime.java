package dev.rota.limits.internal.why;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the run time of open batches within a window, of one tenant at one worker. The worker
 * runs them in the order of its claims: they go on as fast as those that ended last. Only where
 * none has ended lately, the mean run time of tasks tells how many may run. Times are in
 * microseconds since 1970.
 *
 * @param pace those that ended last; null if none did
 * @param since when the window begins
 * @param now when it ends
 */
record OpenRunTime(@Nullable Pace pace, long since, long now) {

  /** A task that runs for longer than this is in no statistics yet. */
  private static final long LONG = TimeUnit.SECONDS.toMicros(15);

  /**
   * The batches that ended last.
   *
   * @param handlers how many handlers they kept busy
   * @param closed when the last one ended
   * @param claimed when the last of them was claimed
   */
  record Pace(double handlers, long closed, long claimed) {}

  /**
   * An open batch.
   *
   * @param claimed when it was claimed
   * @param mean the mean run time of a task of its tenant; negative if unknown
   */
  record OpenBatch(int tasks, long claimed, double mean) {

    /** How many handlers it may use: no more than its tasks take, and one for each of them. */
    private double handlers(long now) {
      long age = Math.max(1, now - claimed);
      double running = mean < 0 ? (age > LONG ? tasks : 1) : tasks * mean / age;
      return Math.min(tasks, running);
    }
  }

  /** Estimates the run time of batches, given in the order of their claims. */
  double of(List<OpenBatch> batches) {
    List<OpenBatch> queue = new ArrayList<>();
    double overtaken = 0;
    for (OpenBatch batch : batches) {
      if (pace != null && batch.claimed < pace.claimed) {
        overtaken += batch.handlers(now) * within(batch, since);
      } else {
        queue.add(batch);
      }
    }
    return overtaken + (pace == null ? inTurn(queue) : onward(queue, pace));
  }

  /** As fast as the batches before, and no more than a handler for each task. */
  private double onward(List<OpenBatch> queue, Pace before) {
    if (queue.isEmpty()) {
      return 0;
    }
    long from = Math.max(before.closed, Math.max(since, queue.get(0).claimed));
    double most = 0;
    for (OpenBatch batch : queue) {
      most += (double) batch.tasks * within(batch, from);
    }
    return Math.min(most, before.handlers * Math.max(0, now - from));
  }

  /** A batch runs once all tasks of the one before it have begun. */
  private double inTurn(List<OpenBatch> queue) {
    double micros = 0;
    for (OpenBatch batch : queue) {
      double handlers = batch.handlers(now);
      micros += handlers * within(batch, since);
      if (handlers < batch.tasks) {
        break;
      }
    }
    return micros;
  }

  private long within(OpenBatch batch, long from) {
    return Math.max(0, now - Math.max(from, batch.claimed));
  }
}
