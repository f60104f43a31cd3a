package dev.rota;

/**
 * Thrown by a handler to say that it stopped because the task is no longer wanted, as a rule when
 * {@link Task#isCancelled()} said so: the attempt is {@link TaskState#CANCELLED}, and no other one
 * follows. It is obeyed whether or not anybody asked.
 *
 * <p>Only the exception that leaves the handler counts, not one among its causes. It may also stand
 * in a {@link PartialFailureException}.
 */
public final class TaskCancelledException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * With a reason, which is kept as the error text unless who asked gave one.
   *
   * @param message why the task is not wanted
   */
  public TaskCancelledException(String message) {
    super(message);
  }
}
