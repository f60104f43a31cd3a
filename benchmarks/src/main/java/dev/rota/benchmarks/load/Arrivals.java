package dev.rota.benchmarks.load;

/** Decides when the next call of a producer is due. Shared by all producers; thread-safe. */
interface Arrivals {

  /**
   * Waits until a call is due. A producer that gets a moment before the end of the run must make
   * that call.
   *
   * @return the moment from which the tasks of that call wait; at or after the end there are no
   *     more
   */
  long await() throws InterruptedException;

  /** Records the number of tasks that were handled. */
  void handled(int tasks);

  /**
   * Counts the calls that were due before the end and were never made. Each waits from its due
   * time.
   */
  long countUnsent(UnsentCall each);

  /** Receives calls that were never made. */
  @FunctionalInterface
  interface UnsentCall {

    /** Called for a call that was due at this moment. */
    void dueAt(long moment);
  }
}
