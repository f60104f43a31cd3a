package dev.rota.internal.text;

/**
 * Texts that somebody gave, as messages and logs show them: nothing in them begins a line of its
 * own or moves the cursor of whoever looks at it.
 */
public final class SafeText {

  private static final int LONGEST = 1_000;

  private SafeText() {}

  /** Not without end: its first thousand characters. */
  public static String of(String text) {
    return whole(text.length() > LONGEST ? text.substring(0, LONGEST) : text);
  }

  /** However long it is. */
  public static String whole(String text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      if (!isPlain(text.charAt(i))) {
        return text.codePoints()
            .map(codePoint -> isPrintable(codePoint) ? codePoint : '?')
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
      }
    }
    return text;
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c < 0x7F;
  }

  /** Whether a screen shows the character and does nothing else. */
  public static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      default -> true;
    };
  }
}
