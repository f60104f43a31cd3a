package dev.rota.benchmarks.load;

/** Says when the next call of a producer is due. Shared by all producers; thread-safe. */
interface Arrivals {

  /**
   * Waits until a call is due. Whoever gets a moment before the end of the run must make that call.
   *
   * @return since when the tasks of that call wait; at or after the end there are no more
   */
  long await() throws InterruptedException;

  /** So many tasks were handled. */
  void handled(int tasks);

  /** How many calls were due before the end and were never made. Each counts since it was due. */
  long countUnsent(UnsentCall each);

  /** Takes calls that were never made. */
  @FunctionalInterface
  interface UnsentCall {

    /** A call that was due at this moment. */
    void dueAt(long moment);
  }
}
