package dev.rota;

/**
 * Thrown when the database refuses a statement or cannot be reached. The cause is the driver's
 * exception.
 *
 * <p>Messages never carry passwords or payloads.
 */
public final class DatabaseException extends RotaException {

  private static final long serialVersionUID = 1L;

  private final boolean unavailable;
  private final boolean outcomeUnknown;

  /**
   * Creates the exception.
   *
   * @param message the operation, the tenant or task concerned, and the answer of the database
   * @param cause the driver's exception
   * @param unavailable whether the database could not be reached, or went away
   * @param outcomeUnknown whether the transaction may have been committed
   */
  public DatabaseException(
      String message, Throwable cause, boolean unavailable, boolean outcomeUnknown) {
    super(message, cause);
    this.unavailable = unavailable;
    this.outcomeUnknown = outcomeUnknown;
  }

  /**
   * Whether the database could not be reached or the connection was lost, so that a later attempt
   * may succeed.
   *
   * @return true for a lost or refused connection, and for a server that shuts down or starts up
   */
  public boolean unavailable() {
    return unavailable;
  }

  /**
   * Whether the connection broke between COMMIT and its answer, so that the outcome of the
   * transaction is unknown. It is also unknown to all enqueues that shared a COMMIT, if a trigger
   * or a rule kept the row of one of them away.
   *
   * @return true if the work may have been committed
   */
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}
