package dev.rota.benchmarks.rivals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that do one job together, and are kept for the next one. */
public final class Crew implements AutoCloseable {

  private final int size;
  private final ExecutorService threads;

  /**
   * Starts threads.
   *
   * @param size their number
   */
  public Crew(int size) {
    this.size = size;
    this.threads = Executors.newFixedThreadPool(size);
  }

  /**
   * Lets each thread do its part and waits for all of them.
   *
   * @param job the work of a thread, given its number from 0
   * @throws Exception the exception of the first thread that failed
   */
  public void run(Job job) throws Exception {
    List<Callable<Void>> parts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int member = i;
      parts.add(
          () -> {
            job.run(member);
            return null;
          });
    }
    for (Future<Void> part : threads.invokeAll(parts)) {
      rethrow(part);
    }
  }

  private static void rethrow(Future<Void> part) throws Exception {
    try {
      part.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /**
   * The number of threads.
   *
   * @return the number
   */
  public int size() {
    return size;
  }

  /** Stops the threads. */
  @Override
  public void close() {
    threads.shutdownNow();
  }

  /** One thread's part of the work. */
  @FunctionalInterface
  public interface Job {

    /**
     * Does the part.
     *
     * @param member the number of this thread, from 0
     * @throws Exception if it fails
     */
    void run(int member) throws Exception;
  }
}
