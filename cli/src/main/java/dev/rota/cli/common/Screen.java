package dev.rota.cli.common;

import dev.rota.internal.text.SafeText;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Prints the output of a command. It is the one place that filters texts of producers, workers and
 * servers. Each character that moves the cursor, begins a line or changes the direction of writing
 * is shown as {@code ?}. A line ends by {@code println} or the format alone; bytes are written as
 * they are.
 */
final class Screen extends PrintStream {

  private final PrintStream target;

  private Screen(PrintStream target) {
    super(target, true);
    this.target = target;
  }

  static PrintStream over(PrintStream target) {
    return target instanceof Screen ? target : new Screen(target);
  }

  @Override
  public void print(@Nullable String text) {
    target.print(SafeText.whole(String.valueOf(text)));
  }

  @Override
  public void print(@Nullable Object value) {
    print(String.valueOf(value));
  }

  @Override
  public void print(char character) {
    print(String.valueOf(character));
  }

  @Override
  public void print(char[] characters) {
    print(String.valueOf(characters));
  }

  @Override
  public void println(@Nullable String text) {
    print(text);
    println();
  }

  @Override
  public void println(@Nullable Object value) {
    println(String.valueOf(value));
  }

  @Override
  public PrintStream format(String format, @Nullable Object... values) {
    return format(Locale.ROOT, format, values);
  }

  @Override
  public PrintStream format(@Nullable Locale locale, String format, @Nullable Object... values) {
    target.print(String.format(locale, format, Arrays.stream(values).map(Screen::shown).toArray()));
    return this;
  }

  private static Object shown(@Nullable Object value) {
    return value instanceof Number ? value : SafeText.whole(String.valueOf(value));
  }
}
