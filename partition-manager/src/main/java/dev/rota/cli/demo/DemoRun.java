package dev.rota.cli.demo;

import dev.rota.cli.demo.DemoProgress.Snapshot;
import dev.rota.cli.demo.DemoReport.Audit;
import dev.rota.cli.demo.DemoReport.Times;
import dev.rota.partition.DaemonStatistics;
import dev.rota.partition.RotationDaemon;
import java.time.Duration;

/** Watches a demo at work until all is settled, then audits it. */
final class DemoRun {

  private static final long LOOK_MILLIS = 100;

  /** Once all handlers have run, what is left takes moments and counts for the rate. */
  private static final long LAST_LOOKS_MILLIS = 5;

  private final Production production;
  private final EffectBook effects;
  private final RotationDaemon daemon;
  private final DemoTables tables;

  DemoRun(Production production, EffectBook effects, RotationDaemon daemon, DemoTables tables) {
    this.production = production;
    this.effects = effects;
    this.daemon = daemon;
    this.tables = tables;
  }

  DemoReport finish(long total, Duration patience, DemoProgress progress)
      throws InterruptedException {
    StallDetector stall = new StallDetector(patience);
    awaitHandlers(total, stall, progress);
    awaitSettled(stall);
    double seconds = production.secondsSinceStart();
    progress.stage("verifying from the tables");
    Audit audit = audit(stall);
    if (stall.stalled()) {
      progress.warn(
          "nothing has moved for "
              + patience.toSeconds()
              + " seconds, so the demo gives up with "
              + audit.defects().pending()
              + " tasks pending");
    }
    return new DemoReport(
        tables.tenantCount(),
        audit,
        tables.rotations(),
        new Times(production.seconds(), seconds),
        tables.server());
  }

  private void awaitHandlers(long total, StallDetector stall, DemoProgress progress)
      throws InterruptedException {
    while (!stall.stalled()) {
      boolean produced = production.finished();
      progress.update(snapshot(total));
      if (produced && effects.finished() >= production.enqueuedCount()) {
        return;
      }
      stall.observe(production.enqueuedCount() + effects.ran());
      Thread.sleep(production.finished() ? LAST_LOOKS_MILLIS : LOOK_MILLIS);
    }
  }

  private void awaitSettled(StallDetector stall) throws InterruptedException {
    int open = tables.openBatches().length;
    while (open > 0 && !stall.stalled()) {
      Thread.sleep(LAST_LOOKS_MILLIS);
      open = tables.openBatches().length;
      stall.observe(effects.ran() - open);
    }
  }

  /** Again while tasks are pending: a batch whose settling failed is run again, as it should be. */
  private Audit audit(StallDetector stall) throws InterruptedException {
    Auditor auditor = new Auditor(tables);
    Audit audit = auditor.audit(production.enqueued(), effects);
    while (audit.defects().pending() > 0 && !stall.stalled()) {
      Thread.sleep(LOOK_MILLIS);
      stall.observe(effects.ran() - audit.defects().pending());
      audit = auditor.audit(production.enqueued(), effects);
    }
    return audit;
  }

  private Snapshot snapshot(long total) {
    DaemonStatistics rotated = daemon.statistics();
    return new Snapshot(
        total,
        production.enqueuedCount(),
        effects.finished(),
        rotated.rotations(),
        rotated.postponed());
  }
}
