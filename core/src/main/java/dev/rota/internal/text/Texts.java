package dev.rota.internal.text;

import java.nio.charset.StandardCharsets;

/** What PostgreSQL can and cannot store in a text. */
public final class Texts {

  private static final int LONGEST_KIND = 128;

  private Texts() {}

  /**
   * Whether a text is a well-formed kind: 1 to 128 of letters, digits and {@code . _ : / -}. Asked
   * for each task, so by hand, not by a regular expression.
   */
  public static boolean isKind(String text) {
    if (text.isEmpty() || text.length() > LONGEST_KIND) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (!isKindCharacter(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isKindCharacter(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "._:/-".indexOf(c) >= 0;
  }

  /** The index of the first NUL or lone surrogate, which no text in UTF-8 can hold; or -1. */
  public static int indexOfUnstorable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return i;
      }
      if (Character.isSurrogate(c)) {
        if (!startsPair(text, i)) {
          return i;
        }
        i++;
      }
    }
    return -1;
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

  private static boolean startsPair(String text, int i) {
    return Character.isHighSurrogate(text.charAt(i))
        && i + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(i + 1));
  }
}
