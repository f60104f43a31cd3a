package dev.rota;

/** Thrown when the database has no Rota schema, or an older one: run the migration first. */
public final class SchemaMissingException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message the problem, the object concerned, and the remedy
   */
  public SchemaMissingException(String message) {
    super(message);
  }
}
