package dev.rota.cli;

import dev.rota.cli.demo.DemoProgress;
import java.util.Locale;

/**
 * Shows how far a demo is: one line that changes on a screen, else a new line every few seconds.
 */
final class ProgressLine implements DemoProgress, AutoCloseable {

  private static final long SCREEN_NANOS = 200_000_000L;
  private static final long PLAIN_NANOS = 3_000_000_000L;
  private static final String ERASE = "\r\u001b[K";

  private final Terminal terminal;
  private final long started = System.nanoTime();
  private long shownAt = started;
  private Snapshot shown = new Snapshot(0, 0, 0, 0, 0);

  ProgressLine(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public void stage(String name) {
    shownAt = System.nanoTime();
    show(elapsed(seconds(shownAt - started)) + "  " + name);
  }

  @Override
  public void update(Snapshot snapshot) {
    long now = System.nanoTime();
    if (now - shownAt >= (terminal.interactive() ? SCREEN_NANOS : PLAIN_NANOS)) {
      show(line(snapshot, now));
      shown = snapshot;
      shownAt = now;
    }
  }

  @Override
  public void warn(String sentence) {
    close();
    terminal.err().println("rota: " + sentence);
  }

  /** Leaves a clean line for what follows. */
  @Override
  public void close() {
    if (terminal.interactive()) {
      terminal.err().print(ERASE);
      terminal.err().flush();
    }
  }

  private void show(String line) {
    if (terminal.interactive()) {
      terminal.err().print(ERASE + line);
      terminal.err().flush();
    } else {
      terminal.err().println(line);
    }
  }

  private String line(Snapshot now, long nanos) {
    double interval = seconds(nanos - shownAt);
    return elapsed(seconds(nanos - started))
        + "  enqueued "
        + share(now.enqueued(), now.total())
        + rate(now.enqueued() - shown.enqueued(), interval)
        + "  worked off "
        + share(now.finished(), now.total())
        + rate(now.finished() - shown.finished(), interval)
        + "  depth "
        + Text.count(Math.max(0, now.enqueued() - now.finished()))
        + "  rotations "
        + Text.count(now.rotations())
        + (now.postponed() == 0 ? "" : " (" + Text.count(now.postponed()) + " postponed)");
  }

  private static String elapsed(double seconds) {
    return String.format(Locale.ROOT, "%.1fs", seconds);
  }

  private static String share(long part, long total) {
    long percent = total == 0 ? 100 : part * 100 / total;
    return Text.count(part) + " (" + percent + "%)";
  }

  private static String rate(long tasks, double interval) {
    return " " + Text.count(Math.round(tasks / Math.max(interval, 1e-3))) + "/s";
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
