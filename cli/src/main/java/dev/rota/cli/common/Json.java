package dev.rota.cli.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.internal.text.SafeText;
import java.util.Locale;

/** Writes maps, lists, numbers and texts as JSON. */
public final class Json {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Json() {}

  public static String render(Object value) {
    try {
      return escaped(MAPPER.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON", e);
    }
  }

  /**
   * Escapes control characters. JSON requires escapes below U+0020 only, but a terminal also obeys
   * characters above it. Such characters occur in texts only, where an escape means the same.
   */
  public static String escaped(String json) {
    StringBuilder escaped = new StringBuilder(json.length());
    json.codePoints()
        .forEach(
            codePoint -> {
              if (SafeText.isPrintable(codePoint)) {
                escaped.appendCodePoint(codePoint);
              } else {
                for (char unit : Character.toChars(codePoint)) {
                  escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
                }
              }
            });
    return escaped.toString();
  }
}
