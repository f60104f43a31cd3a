package dev.rota.demo;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The tasks that a demo enqueues, in order. May be read several times. */
public interface DemoWorkload {

  /** Receives the tasks of a workload. */
  @FunctionalInterface
  interface Sink {

    /**
     * Receives some tasks.
     *
     * @param job the job, not negative
     * @param task the task within the job, not negative
     * @param instances how many tasks
     * @param fails whether every attempt at them fails
     * @return whether the sink wants more
     * @throws InterruptedException if the thread was interrupted
     */
    boolean accept(long job, long task, int instances, boolean fails) throws InterruptedException;
  }

  /**
   * Reads the workload from the beginning, to the end or until the sink wants no more.
   *
   * @param sink receives the tasks
   * @throws InterruptedException if the thread was interrupted
   */
  void read(Sink sink) throws InterruptedException;

  /**
   * Counts the tasks.
   *
   * @return the number of tasks
   * @throws InterruptedException if the thread was interrupted
   */
  default long count() throws InterruptedException {
    AtomicLong count = new AtomicLong();
    read((job, task, instances, fails) -> count.addAndGet(instances) >= 0);
    return count.get();
  }

  /**
   * Returns the beginning of this workload.
   *
   * @param most how many tasks at most
   * @return the shortened workload
   */
  default DemoWorkload limit(long most) {
    return new LimitedWorkload(this, most);
  }

  /**
   * Creates tasks whose jobs have a Zipf distribution with exponent 1: few have many, many have
   * few. The same seed gives the same tasks.
   *
   * @param tasks how many tasks
   * @param jobs how many jobs
   * @param seed of the random numbers
   * @return the workload
   */
  static DemoWorkload zipf(long tasks, int jobs, long seed) {
    return new ZipfWorkload(tasks, jobs, seed);
  }

  /**
   * Reads the batch tasks of the Alibaba cluster trace v2017: each row becomes as many tasks as it
   * has instances.
   *
   * @param file the CSV file, with a header line
   * @param complaints receives an exception for each malformed line that is skipped
   * @return the workload; it throws {@link MalformedTraceException} if {@code complaints} does
   */
  static DemoWorkload trace(Path file, Consumer<MalformedTraceException> complaints) {
    return new TraceWorkload(file, complaints);
  }
}
