package dev.rota.typed;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;

/**
 * A type with arguments, which no {@link Class} stands for: {@code new TypeToken<List<Invoice>>()
 * {}}.
 *
 * @param <T> the type
 */
public interface TypeToken<T> {

  /**
   * The type, as the anonymous class that implements this interface declares it.
   *
   * @return the type
   * @throws IllegalStateException if that class does not name it
   */
  default Type type() {
    return Arrays.stream(getClass().getGenericInterfaces())
        .filter(ParameterizedType.class::isInstance)
        .map(ParameterizedType.class::cast)
        .filter(implemented -> implemented.getRawType() == TypeToken.class)
        .map(implemented -> implemented.getActualTypeArguments()[0])
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    getClass().getName()
                        + " names no type; write new TypeToken<List<Invoice>>() {}"));
  }
}
