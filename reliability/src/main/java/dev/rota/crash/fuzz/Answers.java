package dev.rota.crash.fuzz;

import java.util.Objects;

/** What is asked of an answer, whatever the text was. */
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
   * What is shown must not look like something else, nor do anything to who looks at it; it has
   * lines and columns.
   */
  static void requirePlain(String what, String printed) {
    requireOneLine(what, printed.replace("\n", "").replace("\t", ""));
  }

  /** As {@link #requirePlain}, of what has one line and one column. */
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

  /** A text in a message about it: short, and in ASCII. */
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
