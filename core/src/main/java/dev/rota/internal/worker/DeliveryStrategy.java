package dev.rota.internal.worker;

import dev.rota.internal.claim.TaskRules;
import dev.rota.spi.WorkerLoad;

/**
 * Processes the tenants in a worker's queues in one delivery mode. It stops in steps, so that no
 * running handler is cut off.
 */
public interface DeliveryStrategy {

  /** Starts. */
  void start();

  /** Follows other rules: hands back claimed tasks that did not begin, and now may not. */
  void apply(TaskRules rules);

  /** Begins claimed tasks for which there is room by now. */
  default void roomCame() {}

  /** The load at this moment. */
  WorkerLoad load();

  /** Whether a thread runs handlers of this delivery. */
  boolean isRunBy(Thread thread);

  /** Stops claiming and hands back tasks that did not begin. Idempotent. */
  void stopClaiming();

  /** Waits until the handlers have ended; false if they did not within the time. */
  boolean awaitHandlers(long nanos);

  /** Interrupts handlers that still run, and gives up on those that do not end. */
  void interruptHandlers();

  /** Writes the remaining outcomes, and ends. */
  void finish();
}
