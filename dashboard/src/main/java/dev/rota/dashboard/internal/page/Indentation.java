package dev.rota.dashboard.internal.page;

/** Indents texts that look like JSON, so that they can be read. Other texts stay as they are. */
final class Indentation {

  private static final String STEP = "  ";

  private final String text;
  private final StringBuilder indented = new StringBuilder();
  private int depth;
  private boolean quoted;

  private Indentation(String text) {
    this.text = text;
  }

  /** The text of an object or array, with a line for each member. */
  static String of(String text) {
    String stripped = text.strip();
    boolean isJson =
        (stripped.startsWith("{") && stripped.endsWith("}"))
            || (stripped.startsWith("[") && stripped.endsWith("]"));
    return isJson ? new Indentation(stripped).run() : text;
  }

  private String run() {
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (quoted) {
        i = inQuotes(character, i);
      } else {
        outside(character, i);
      }
    }
    return indented.toString();
  }

  /** Copies a character of a string; returns the place of the last one that was copied. */
  private int inQuotes(char character, int place) {
    indented.append(character);
    if (character == '\\' && place + 1 < text.length()) {
      indented.append(text.charAt(place + 1));
      return place + 1;
    }
    quoted = character != '"';
    return place;
  }

  private void outside(char character, int place) {
    switch (character) {
      case '{', '[' -> open(character, place);
      case '}', ']' -> close(character);
      case ',' -> line(",");
      case ':' -> indented.append(": ");
      default -> plain(character);
    }
  }

  private void plain(char character) {
    if (!Character.isWhitespace(character)) {
      indented.append(character);
      quoted = character == '"';
    }
  }

  private void open(char character, int place) {
    depth++;
    if (isEmptyAfter(place)) {
      indented.append(character);
    } else {
      line(String.valueOf(character));
    }
  }

  private boolean isEmptyAfter(int place) {
    String rest = text.substring(place + 1).stripLeading();
    return rest.startsWith("}") || rest.startsWith("]");
  }

  private void close(char character) {
    depth = Math.max(0, depth - 1);
    char before = indented.charAt(indented.length() - 1);
    if (before != '{' && before != '[') {
      line("");
    }
    indented.append(character);
  }

  private void line(String end) {
    indented.append(end).append('\n').append(STEP.repeat(depth));
  }
}
