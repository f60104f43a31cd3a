package dev.rota.cli.demo;

import dev.rota.cli.common.StatusLine;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.demo.DemoProgress;

/** Shows the progress of a demo. */
final class ProgressLine implements DemoProgress, AutoCloseable {

  private final StatusLine line;
  private Snapshot shown = new Snapshot(0, 0, 0, 0, 0);

  ProgressLine(Terminal terminal) {
    this.line = new StatusLine(terminal);
  }

  @Override
  public void stage(String name) {
    line.stage(name);
  }

  @Override
  public void update(Snapshot snapshot) {
    if (line.update(interval -> text(snapshot, interval))) {
      shown = snapshot;
    }
  }

  @Override
  public void warn(String sentence) {
    line.warn(sentence);
  }

  @Override
  public void close() {
    line.close();
  }

  private String text(Snapshot now, double interval) {
    return "enqueued "
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

  private static String share(long part, long total) {
    long percent = total == 0 ? 100 : part * 100 / total;
    return Text.count(part) + " (" + percent + "%)";
  }

  private static String rate(long tasks, double interval) {
    return " " + Text.count(Math.round(tasks / Math.max(interval, 1e-3))) + "/s";
  }
}
