package dev.rota.jackson;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The path to a place in a value, such as {@code $.to[2].name}. Used by one thread. */
final class ValuePath {

  private static final Pattern WORD = Pattern.compile("\\w+");

  private final StringBuilder path = new StringBuilder("$");

  /**
   * Adds a step.
   *
   * @param from the object or its class; the keys of a map are part of the payload, and not shown
   * @param property the property, or null
   * @param index the index in a list, if there is no property
   */
  void add(@Nullable Object from, @Nullable String property, int index) {
    if (from instanceof Map) {
      path.append(".*");
    } else if (property == null) {
      path.append('[').append(index).append(']');
    } else if (WORD.matcher(property).matches()) {
      path.append('.').append(property);
    } else {
      path.append("['").append(property).append("']");
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
