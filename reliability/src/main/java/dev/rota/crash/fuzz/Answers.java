package dev.rota.crash.fuzz;

import java.util.Objects;

/** Requirements for the answer to any text. */
final class Answers {

  private static final int LONGEST_SHOWN = 200;

  private Answers() {}

  static void same(String given, String back) {
    require(Objects.equals(given, back), "it came back as " + shown(back));
  }

  static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  /**
   * Requires plain output: it must not look like other output, nor affect the reader's terminal; it
   * may have lines and columns.
   */
  static void requirePlain(String what, String printed) {
    requireOneLine(what, printed.replace("\n", "").replace("\t", ""));
  }

  /** Requires plain output, as {@link #requirePlain} does, of one line and one column. */
  static void requireOneLine(String what, String shown) {
    require(
        shown.codePoints().noneMatch(Answers::isObeyed),
        what + " holds control characters: " + shown(shown));
  }

  private static boolean isObeyed(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  /** Formats a text for a message about it: short, and in ASCII. */
  static String shown(String text) {
    StringBuilder shown = new StringBuilder("a text of " + text.length() + " characters: ");
    text.chars()
        .limit(LONGEST_SHOWN)
        .forEach(
            c ->
                shown.append(
                    c >= ' ' && c < 0x7F ? "" + (char) c : "\\u" + Integer.toHexString(c)));
    return shown.toString();
  }
}
