package dev.rota.dashboard.internal.view;

import java.util.List;
import java.util.Locale;

/** Constants by the names that stand in addresses and on pages. */
public final class Constants {

  private Constants() {}

  public static String nameOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Finds the constant of a name that a parameter has.
   *
   * @throws IllegalArgumentException if none of them is called so
   */
  public static <E extends Enum<E>> E named(String parameter, String name, List<E> all) {
    return all.stream()
        .filter(each -> each.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s is '%s'; use one of %s".formatted(parameter, name, all)));
  }
}
