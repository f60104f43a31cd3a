package dev.rota.dashboard.internal.view;

import dev.rota.dashboard.internal.view.View.Field;
import dev.rota.dashboard.internal.view.View.Input;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes the fields of forms, filled from a visit, and reads what they hold. */
public final class Inputs {

  private static final Pattern DURATION =
      Pattern.compile("([0-9]{1,9})\\s*(ms|s|min|h|d)", Pattern.CASE_INSENSITIVE);

  private Inputs() {}

  public static Field needed(Visit visit, String name, String label) {
    return new Field(name, label, Input.of("text"), visit.parameter(name).orElse(""), true);
  }

  public static Field optional(Visit visit, String name, String label) {
    return optional(visit, name, label, "");
  }

  public static Field optional(Visit visit, String name, String label, String usual) {
    return new Field(name, label, Input.of("text"), visit.parameter(name).orElse(usual), false);
  }

  public static Field area(Visit visit, String name, String label) {
    return new Field(name, label, Input.of("textarea"), visit.parameter(name).orElse(""), false);
  }

  public static Field choice(Visit visit, String name, String label, List<String> choices) {
    return new Field(
        name,
        label,
        new Input("select", choices),
        visit.parameter(name).orElse(choices.get(0)),
        true);
  }

  /**
   * Reads a duration such as {@code 10 s}, {@code 5 min} or {@code 2 d}.
   *
   * @throws IllegalArgumentException if it is another text
   */
  public static Optional<Duration> duration(Visit visit, String name) {
    return visit.parameter(name).map(text -> duration(name, text.strip()));
  }

  private static Duration duration(String name, String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "%s is '%s'; use a number and one of ms, s, min, h, d".formatted(name, text));
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "min" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  /**
   * Reads a whole number.
   *
   * @throws IllegalArgumentException if it is another text
   */
  public static OptionalLong number(Visit visit, String name) {
    return visit
        .parameter(name)
        .map(text -> OptionalLong.of(number(name, text)))
        .orElseGet(OptionalLong::empty);
  }

  /** Reads a whole number from the text of a field. */
  public static long number(String name, String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("%s is '%s'; use a whole number".formatted(name, text), e);
    }
  }

  /** A whole number of 32 bits. */
  public static Optional<Integer> small(Visit visit, String name) {
    return visit.parameter(name).map(text -> small(name, text));
  }

  /** Reads a whole number of 32 bits from the text of a field. */
  public static int small(String name, String text) {
    long number = number(name, text);
    if (number != (int) number) {
      throw new IllegalArgumentException("%s is '%s'; use a smaller number".formatted(name, text));
    }
    return (int) number;
  }

  /** The filled fields of a form, in words. */
  public static String about(Visit visit, String... names) {
    List<String> filled = new ArrayList<>();
    for (String name : names) {
      visit.parameter(name).ifPresent(value -> filled.add(name + " " + value));
    }
    return String.join(", ", filled);
  }
}
