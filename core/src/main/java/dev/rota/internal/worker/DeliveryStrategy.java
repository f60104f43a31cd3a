package dev.rota.internal.worker;

/**
 * What a worker does with the tenants on its agenda. Stops in steps, so that nothing is cut off.
 */
public interface DeliveryStrategy {

  /** Begins. */
  void start();

  /** Claims nothing more and hands back what did not begin. Idempotent. */
  void stopClaiming();

  /** Waits until the handlers have ended; false if they did not within the time. */
  boolean awaitHandlers(long nanos);

  /** Interrupts handlers that still run, and gives up on those that do not end. */
  void interruptHandlers();

  /** Writes what is left to be written, and ends. */
  void finish();
}
