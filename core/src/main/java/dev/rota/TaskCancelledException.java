package dev.rota;

/**
 * Thrown by a handler that stopped because the task is no longer wanted, as a rule after {@link
 * Task#isCancelled()} returned true. The attempt is {@link TaskState#CANCELLED}, and no other one
 * follows. It has this effect with or without a request.
 *
 * <p>Only the exception that leaves the handler counts, not one among its causes. A {@link
 * PartialFailureException} may also contain it.
 */
public final class TaskCancelledException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception with a reason, which is kept as the error text unless the request has
   * one.
   *
   * @param message why the task is no longer wanted
   */
  public TaskCancelledException(String message) {
    super(message);
  }
}
