package dev.rota;

/** The database has no Rota schema, or an older one: run the migration first. */
public final class SchemaMissingException extends RotaException {

  private static final long serialVersionUID = 1L;

  /**
   * With a message.
   *
   * @param message what happened, to whom, and what to do
   */
  public SchemaMissingException(String message) {
    super(message);
  }
}
