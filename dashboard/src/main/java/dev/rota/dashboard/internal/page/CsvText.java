package dev.rota.dashboard.internal.page;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes rows as RFC 4180 has them, for spreadsheets. */
final class CsvText {

  private static final String END = "\r\n";
  private static final Pattern QUOTED = Pattern.compile("[\",\r\n]");

  /** The beginnings that make a spreadsheet take a text for a formula. */
  private static final String FORMULA = "=+-@\t\r";

  private CsvText() {}

  static String of(List<List<String>> rows) {
    return rows.stream()
        .map(row -> row.stream().map(CsvText::cell).collect(Collectors.joining(",", "", END)))
        .collect(Collectors.joining());
  }

  /** A cell; a text that is no number and begins like a formula stands behind an apostrophe. */
  private static String cell(String text) {
    boolean isFormula = !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
    String safe = isFormula ? "'" + text : text;
    return QUOTED.matcher(safe).find() ? '"' + safe.replace("\"", "\"\"") + '"' : safe;
  }
}
