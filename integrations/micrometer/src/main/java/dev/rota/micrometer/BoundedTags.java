package dev.rota.micrometer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * An object for each value of a tag, up to a limit; further values share one, the value {@code
 * other}. So no text of an application makes a registry grow without end. Thread-safe.
 *
 * @param <V> the objects
 */
final class BoundedTags<V> {

  static final String OTHER = "other";

  private final int most;
  private final Function<String, V> maker;
  private final Map<String, V> made = new ConcurrentHashMap<>();

  BoundedTags(int most, Function<String, V> maker) {
    this.most = most;
    this.maker = maker;
  }

  /** The object of a value. Those that come first have one of their own. */
  V of(String value) {
    V found = made.get(value);
    return found == null ? make(value) : found;
  }

  /** Whether a value has no object of its own. */
  boolean isOther(String value) {
    return !made.containsKey(value);
  }

  private synchronized V make(String value) {
    boolean room = made.size() < most || made.containsKey(value);
    return made.computeIfAbsent(room ? value : OTHER, maker);
  }
}
