package dev.rota.benchmarks.load;

import dev.rota.cli.common.StatusLine;
import java.util.Locale;

/** Shows the progress of a run. Used by one thread. */
public final class LoadProgress {

  private static final Sample NOTHING =
      new Sample(0, new Sample.Counts(0, 0, 0, 0), new LatencySummary(0, 0, 0, 0, 0));

  private final StatusLine line;
  private Sample shown = NOTHING;

  public LoadProgress(StatusLine line) {
    this.line = line;
  }

  public void stage(String name) {
    line.stage(name);
    shown = NOTHING;
  }

  void warn(String sentence) {
    line.warn(sentence);
  }

  void update(Sample now, double endSeconds) {
    if (line.update(interval -> text(now, endSeconds))) {
      shown = now;
    }
  }

  private String text(Sample now, double endSeconds) {
    return String.format(
        Locale.ROOT,
        "%s  enqueued %,d %,d/s  settled %,d %,d/s  backlog %,d  %srotations %,d",
        phase(now.seconds(), endSeconds),
        now.counts().enqueued(),
        Math.round(now.enqueuedPerSecondSince(shown)),
        now.counts().settled(),
        Math.round(now.settledPerSecondSince(shown)),
        now.counts().backlog(),
        latency(now.latency()),
        now.counts().rotations());
  }

  private static String phase(double seconds, double endSeconds) {
    return seconds >= endSeconds
        ? "draining"
        : String.format(Locale.ROOT, "%.0f%%", 100 * seconds / endSeconds);
  }

  private static String latency(LatencySummary latency) {
    return latency.tasks() == 0 ? "" : String.format(Locale.ROOT, "p99 %.1f ms  ", latency.p99());
  }
}
