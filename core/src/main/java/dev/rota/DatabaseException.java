package dev.rota;

/**
 * The database refused a statement or could not be reached. The cause is the driver's exception.
 *
 * <p>Messages never carry passwords or payloads.
 */
public final class DatabaseException extends RotaException {

  private static final long serialVersionUID = 1L;

  private final boolean unavailable;
  private final boolean outcomeUnknown;

  /**
   * With what is known about the failure.
   *
   * @param message what was being done, to whom, and what the database said
   * @param cause the driver's exception
   * @param unavailable whether the database could not be reached, or went away
   * @param outcomeUnknown whether the transaction may have been committed all the same
   */
  public DatabaseException(
      String message, Throwable cause, boolean unavailable, boolean outcomeUnknown) {
    super(message, cause);
    this.unavailable = unavailable;
    this.outcomeUnknown = outcomeUnknown;
  }

  /**
   * Whether the database could not be reached or went away, so that trying later may help.
   *
   * @return true for a lost or refused connection, a server that shuts down or starts up
   */
  public boolean unavailable() {
    return unavailable;
  }

  /**
   * Whether the connection broke between COMMIT and its answer, so that nobody knows which it was.
   *
   * @return true if the work may have been committed
   */
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}
