package dev.rota.internal.text;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.regex.Pattern;

/**
 * The part of an error text that is the same each time: its first line, with a sign in place of
 * each number, identifier, address and quoted text. So errors of one cause form one group, and
 * values of tasks stay out of it.
 *
 * @param text that part
 * @param hash its hash, by which it is found
 */
public record ErrorFingerprint(String text, long hash) {

  private static final int MOST_CHARACTERS = 300;
  private static final String SIGN = "#";
  private static final Pattern VALUES =
      Pattern.compile(
          String.join(
              "|",
              "https?://\\S+",
              "[\\w.+-]+@[\\w.-]+",
              "\"[^\"]*\"",
              "(?<!\\w)'[^']*'(?!\\w)",
              "\\b0x[0-9a-fA-F]+\\b",
              "\\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\b",
              "\\b(?=[a-fA-F]*[0-9])[0-9a-fA-F]{8,}\\b",
              "\\d+(\\.\\d+)*"));

  /** The fingerprint of an error text. */
  public static ErrorFingerprint of(String error) {
    int end = error.indexOf('\n');
    String line = end < 0 ? error : error.substring(0, end);
    int message = line.indexOf(": ");
    String name = message < 0 ? line : line.substring(0, message);
    String rest = message < 0 ? "" : line.substring(message);
    // The name of a class may have digits, and a text without one is all message.
    String text =
        ErrorText.simpleName(line) == null
            ? VALUES.matcher(line).replaceAll(SIGN)
            : name + VALUES.matcher(rest).replaceAll(SIGN);
    String kept = text.substring(0, Math.min(text.length(), MOST_CHARACTERS));
    return new ErrorFingerprint(kept, hash(kept));
  }

  private static long hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java runtime has SHA-256", e);
    }
  }
}
