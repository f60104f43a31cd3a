package dev.rota.internal.text;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Headers as JSON on one line: an object whose values are texts, as {@code jsonb} prints it. */
public final class HeaderLine {

  /** The largest line, in bytes. */
  public static final int LIMIT = 1_024;

  private static final int NAME_LIMIT = 64;

  private HeaderLine() {}

  /** Writes headers; the result has no line break. */
  public static String write(Map<String, String> headers) {
    StringBuilder line = new StringBuilder("{");
    headers.forEach(
        (name, value) -> {
          line.append(line.length() == 1 ? "" : ",");
          quote(line, name);
          line.append(':');
          quote(line, value);
        });
    return line.append('}').toString();
  }

  /** Whether headers are few enough to be stored. */
  public static boolean fits(Map<String, String> headers) {
    return SafeText.utf8Length(write(headers)) <= LIMIT;
  }

  /** Refuses headers that cannot be stored, for another reason than their size. */
  public static void check(Map<String, String> headers) {
    headers.forEach(
        (name, value) -> {
          if (!isName(name) || !SafeText.storable(value, Integer.MAX_VALUE).equals(value)) {
            throw new IllegalArgumentException(
                "header '"
                    + SafeText.of(name)
                    + "' has a malformed name, or a value with a NUL or a lone surrogate");
          }
        });
  }

  /** Whether a header may have that name. */
  public static boolean isName(String text) {
    return !text.isEmpty()
        && text.length() <= NAME_LIMIT
        && text.chars().allMatch(HeaderLine::isNameCharacter);
  }

  private static boolean isNameCharacter(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "._-".indexOf(c) >= 0;
  }

  private static void quote(StringBuilder line, String text) {
    line.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ') {
        line.append(String.format("\\u%04x", (int) c));
      } else {
        line.append(c == '"' || c == '\\' ? "\\" : "").append(c);
      }
    }
    line.append('"');
  }

  /** Reads headers, in their order; empty if the text is no object whose values are texts. */
  public static Optional<Map<String, String>> read(String line) {
    try {
      return Optional.of(new Reader(line).object());
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  /** Reads one object. Throws exceptions for a malformed text. Used by one thread. */
  private static final class Reader {

    private final String text;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    Map<String, String> object() {
      Map<String, String> headers = new LinkedHashMap<>();
      expect('{');
      if (peek() == '}') {
        at++;
      } else {
        do {
          String name = string();
          expect(':');
          headers.put(name, string());
        } while (isComma());
      }
      require(text.substring(at).isBlank());
      return headers;
    }

    /** Reads what separates two headers, or ends them. */
    private boolean isComma() {
      char c = peek();
      at++;
      require(c == ',' || c == '}');
      return c == ',';
    }

    private String string() {
      expect('"');
      StringBuilder value = new StringBuilder();
      for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
        value.append(c == '\\' ? escaped() : c);
      }
      return value.toString();
    }

    private char escaped() {
      char c = text.charAt(at++);
      return switch (c) {
        case '"', '\\', '/' -> c;
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'u' -> {
          at += 4;
          yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        default -> throw new IllegalArgumentException("unknown escape " + c);
      };
    }

    private void expect(char wanted) {
      require(peek() == wanted);
      at++;
    }

    /** The next character that is no blank. */
    private char peek() {
      while (text.charAt(at) == ' ') {
        at++;
      }
      return text.charAt(at);
    }

    private static void require(boolean condition) {
      if (!condition) {
        throw new IllegalArgumentException("malformed headers");
      }
    }
  }
}
