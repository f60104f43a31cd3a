package dev.rota;

/**
 * Texts that somebody gave, in messages of values, which know nothing of internals: nothing in them
 * begins a line of its own or moves the cursor of whoever looks at it.
 */
final class Shown {

  private static final int LONGEST = 1_000;

  private Shown() {}

  static String of(String text) {
    String head = text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    return head.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
  }
}
