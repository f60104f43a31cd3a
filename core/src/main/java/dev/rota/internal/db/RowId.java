package dev.rota.internal.db;

/**
 * The location of a row in its table, called {@code ctid} in PostgreSQL.
 *
 * @param block the number of the page
 * @param offset the number of the row in it
 */
public record RowId(long block, int offset) {

  /** Parses PostgreSQL's text form, such as {@code (12,3)}. */
  public static RowId parse(String text) {
    int comma = text.indexOf(',');
    return new RowId(
        Long.parseLong(text, 1, comma, 10),
        Integer.parseInt(text, comma + 1, text.length() - 1, 10));
  }

  /** The start of a page. */
  public static RowId startOf(long block) {
    return new RowId(block, 0);
  }

  @Override
  public String toString() {
    return "(" + block + "," + offset + ")";
  }
}
