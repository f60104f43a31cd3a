package dev.rota.cli.common;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * Shows the progress of a command: one line that changes on a screen, else a new line every few
 * seconds. Used by one thread.
 */
public final class StatusLine implements AutoCloseable {

  private static final long SCREEN_NANOS = 200_000_000L;
  private static final long PLAIN_NANOS = 3_000_000_000L;
  private static final byte[] ERASE = "\r\u001b[K".getBytes(US_ASCII);

  private final Terminal terminal;
  private final long started = System.nanoTime();
  private long shownAt = started;

  public StatusLine(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * Begins a new stage.
   *
   * @param name the name of the stage
   */
  public void stage(String name) {
    show(name, System.nanoTime());
  }

  /**
   * Shows a text, unless the last one was shown a moment ago.
   *
   * @param text creates the text from the seconds since the last one
   * @return whether it was shown
   */
  public boolean update(DoubleFunction<String> text) {
    long now = System.nanoTime();
    boolean due = now - shownAt >= (terminal.interactive() ? SCREEN_NANOS : PLAIN_NANOS);
    if (due) {
      show(text.apply((now - shownAt) / 1e9), now);
    }
    return due;
  }

  /**
   * Prints a line that stays.
   *
   * @param sentence the warning
   */
  public void warn(String sentence) {
    close();
    terminal.err().println("rota: " + sentence);
  }

  /** Ends the changing line, so that later output begins on a new one. */
  @Override
  public void close() {
    if (terminal.interactive()) {
      terminal.err().writeBytes(ERASE);
      terminal.err().flush();
    }
  }

  private void show(String text, long now) {
    shownAt = now;
    String line = String.format(Locale.ROOT, "%.1fs  %s", (now - started) / 1e9, text);
    if (terminal.interactive()) {
      terminal.err().writeBytes(ERASE);
      terminal.err().print(line);
      terminal.err().flush();
    } else {
      terminal.err().println(line);
    }
  }
}
