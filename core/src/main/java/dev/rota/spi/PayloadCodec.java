package dev.rota.spi;

import java.lang.reflect.Type;

/**
 * Writes values as the payloads of tasks, and reads them again. Thread-safe.
 *
 * <p>Producers and workers of one database use codecs that read what the others write. Older and
 * newer processes run at the same time, so reading should ignore properties that it does not know.
 */
public interface PayloadCodec {

  /**
   * Writes a value.
   *
   * @param value the value
   * @return its text; without NUL and unpaired surrogates, which PostgreSQL cannot store
   * @throws RuntimeException if it cannot be written; the enqueue is then refused
   */
  String write(Object value);

  /**
   * Reads a value.
   *
   * @param <T> the type of the value
   * @param payload the text, as {@link #write(Object)} wrote it, or from another producer
   * @param type the type of the value
   * @return the value
   * @throws PayloadException if the text is no such value; it tells the place in the text. The task
   *     is dead at once, as with any other {@link RuntimeException}
   */
  <T> T read(String payload, Class<T> type);

  /**
   * Writes a value whose type may have arguments, such as {@code List<Invoice>}. By default it is
   * written as {@link #write(Object)} does.
   *
   * @param value the value
   * @param type the type as which it will be read
   * @return its text
   */
  default String write(Object value, Type type) {
    return write(value);
  }

  /**
   * Reads a value whose type may have arguments, such as {@code List<Invoice>}. By default this
   * reads classes only.
   *
   * @param payload the text
   * @param type the type of the value
   * @return the value
   * @throws UnsupportedOperationException if the codec does not support the type
   */
  default Object read(String payload, Type type) {
    if (type instanceof Class<?> plain) {
      return read(payload, plain);
    }
    throw new UnsupportedOperationException(
        getClass().getName() + " reads classes only, not " + type.getTypeName());
  }
}
