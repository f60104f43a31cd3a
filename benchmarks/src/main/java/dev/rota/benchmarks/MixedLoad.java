package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.Consumption;
import dev.rota.benchmarks.rivals.Deadline;
import dev.rota.benchmarks.rivals.RivalProducer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Producers that store tasks for a given time, with a bounded lead over the consumers. */
final class MixedLoad {

  private static final long PAUSE_NANOS = 200_000;

  private final Consumption consumption;
  private final int mostPending;
  private final long startedAt = System.nanoTime();
  private final long deadline;
  private final AtomicLong stored = new AtomicLong();

  MixedLoad(Consumption consumption, int mostPending, int seconds) {
    this.consumption = consumption;
    this.mostPending = mostPending;
    this.deadline = startedAt + TimeUnit.SECONDS.toNanos(seconds);
  }

  /**
   * The figures of a load.
   *
   * @param storedPerSecond tasks stored
   * @param donePerSecond tasks recorded as done
   * @param backlog tasks stored and not done
   * @param rotations rings switched
   */
  record Figures(double storedPerSecond, double donePerSecond, long backlog, long rotations) {}

  /** Runs one producer: stores batches for random tenants until the time is over. */
  void produce(RivalProducer producer, int member, int batch, int tenants) throws Exception {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    while (System.nanoTime() < deadline) {
      if (stored.get() - consumption.done() > mostPending) {
        LockSupport.parkNanos(PAUSE_NANOS);
      } else {
        producer.enqueue(random.nextInt(tenants), batch);
        producer.await();
        stored.addAndGet(batch);
      }
    }
  }

  /** Computes the figures; called as soon as the producers have ended. */
  Figures figures() {
    double seconds = (System.nanoTime() - startedAt) / (double) TimeUnit.SECONDS.toNanos(1);
    long in = stored.get();
    long out = consumption.done();
    return new Figures(in / seconds, out / seconds, in - out, consumption.rotations());
  }

  /** Waits until no task is pending; returns how many tasks were stored. */
  long awaitEnd() {
    Deadline.await("the end of all tasks", () -> consumption.done() >= stored.get());
    return stored.get();
  }
}
