package dev.rota.internal.sql;

/**
 * A statement that is sent so often that the server should keep it prepared.
 *
 * @param text the statement, its values as the driver counts them
 * @param numbered the same, its values as the server counts them
 */
public record RepeatedSql(String text, String numbered) {

  /** A statement without values. */
  public static RepeatedSql constant(String text) {
    return new RepeatedSql(text, text);
  }
}
