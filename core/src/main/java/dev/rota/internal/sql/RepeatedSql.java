package dev.rota.internal.sql;

/**
 * A statement that is sent so often that the server should keep it prepared.
 *
 * @param text the statement, with values in the driver's form
 * @param numbered the same, with values in the server's form
 */
public record RepeatedSql(String text, String numbered) {

  /** Creates a statement without values. */
  public static RepeatedSql constant(String text) {
    return new RepeatedSql(text, text);
  }
}
