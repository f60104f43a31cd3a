package dev.rota.cli.common;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of text in columns. The last column is not padded, so it may hold long text.
 *
 * <p>Picocli's {@code TextTable} does not fit: it wants the widths before the rows, pads the last
 * column, and takes {@code @|...|@} in a name for markup.
 */
public final class Table {

  private final List<String[]> rows = new ArrayList<>();
  private final int[] widths;

  public Table(String... header) {
    widths = new int[header.length];
    add(header);
  }

  public void add(String... cells) {
    rows.add(cells);
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], width(cells[i]));
    }
  }

  public void print(PrintStream out) {
    rows.forEach(row -> out.println(line(row)));
  }

  private String line(String[] row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.length - 1; i++) {
      line.append(row[i]).append(" ".repeat(widths[i] - width(row[i]) + 2));
    }
    return line.append(row[row.length - 1]).toString().stripTrailing();
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }
}
