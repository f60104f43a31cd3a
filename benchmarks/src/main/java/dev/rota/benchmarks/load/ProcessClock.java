package dev.rota.benchmarks.load;

import java.util.concurrent.locks.LockSupport;

/** The clock of this process, which producers and handlers share. */
interface ProcessClock {

  /** The clock of the machine. */
  ProcessClock SYSTEM =
      new ProcessClock() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public void waitUntil(long moment) throws InterruptedException {
          for (long left = moment - nanos(); left > 0; left = moment - nanos()) {
            LockSupport.parkNanos(this, left);
            if (Thread.interrupted()) {
              throw new InterruptedException("a producer was stopped");
            }
          }
        }
      };

  /** The time, as {@link System#nanoTime()}. */
  long nanos();

  /** Returns at that moment, or at once if it has passed. */
  void waitUntil(long moment) throws InterruptedException;
}
