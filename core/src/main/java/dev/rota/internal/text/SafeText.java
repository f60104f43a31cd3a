package dev.rota.internal.text;

import java.nio.charset.StandardCharsets;

/**
 * Texts of users, made safe to show and to store. What messages and logs show begins no line of its
 * own and moves no cursor; what is stored is a text that PostgreSQL takes.
 */
public final class SafeText {

  private static final int LONGEST = 1_000;

  private SafeText() {}

  /** Escapes the first thousand characters of a text. */
  public static String of(String text) {
    return whole(text.length() > LONGEST ? text.substring(0, LONGEST) : text);
  }

  /** Escapes the whole text. */
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

  /** The length in UTF-8 of a text without lone surrogates. */
  public static long utf8Length(String text) {
    long bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // A surrogate pair is two chars and four bytes, so each of its halves counts for two.
      bytes += c < 0x80 ? 0 : c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
    }
    return bytes;
  }

  /** A text that can be stored: cut to a number of UTF-8 bytes, without what is unstorable. */
  public static String storable(String text, int maxBytes) {
    String head = text.length() > maxBytes ? text.substring(0, maxBytes) : text;
    byte[] utf8 = head.replace('\0', '\uFFFD').getBytes(StandardCharsets.UTF_8);
    if (utf8.length <= maxBytes) {
      return new String(utf8, StandardCharsets.UTF_8);
    }
    int end = maxBytes;
    while ((utf8[end] & 0xC0) == 0x80) {
      end--;
    }
    return new String(utf8, 0, end, StandardCharsets.UTF_8);
  }
}
