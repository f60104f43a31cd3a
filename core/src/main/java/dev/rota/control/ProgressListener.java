package dev.rota.control;

/**
 * Is told how far a call came that changes many tasks, and may end it. Called on the thread of the
 * call, after each of its transactions.
 */
@FunctionalInterface
public interface ProgressListener {

  /**
   * Takes note of a finished step.
   *
   * @param tasks how many tasks the call has changed, or counted, so far
   * @return whether it may go on; false leaves the rest as it is
   */
  boolean proceed(long tasks);
}
