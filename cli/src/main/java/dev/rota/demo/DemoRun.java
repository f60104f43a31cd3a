package dev.rota.demo;

import dev.rota.daemon.DaemonStatistics;
import dev.rota.daemon.RotationDaemon;
import dev.rota.demo.DemoProgress.Snapshot;
import dev.rota.demo.DemoReport.Audit;
import dev.rota.demo.DemoReport.Times;
import java.time.Duration;
import java.util.Optional;

/** Watches a running demo until all tasks are settled, then audits it. */
final class DemoRun {

  private static final long LOOK_MILLIS = 100;

  /** The seconds of the early rate, in which the JVM compiles the code. */
  private static final double EARLY_SECONDS = 10;

  /**
   * The pause between checks at the end: once all handlers have run, the rest takes moments and
   * counts for the rate.
   */
  private static final long LAST_LOOKS_MILLIS = 5;

  private final Production production;
  private final HandlerEffects effects;
  private final RotationDaemon daemon;
  private final DemoTables tables;
  private final Optional<ArchiveWatch> archive;
  private double earlyPerSecond;

  DemoRun(
      Production production,
      HandlerEffects effects,
      RotationDaemon daemon,
      DemoTables tables,
      Optional<ArchiveWatch> archive) {
    this.archive = archive;
    this.production = production;
    this.effects = effects;
    this.daemon = daemon;
    this.tables = tables;
  }

  DemoReport finish(long total, DemoSettings settings, DemoProgress progress)
      throws InterruptedException {
    Duration patience = settings.patience();
    StallDetector stall = new StallDetector(patience);
    awaitHandlers(total, stall, progress);
    awaitSettled(stall);
    double seconds = production.secondsSinceStart();
    if (archive.isPresent()) {
      progress.stage("waiting for the archive");
      archive.get().await(patience, progress);
      stall = new StallDetector(patience);
    }
    progress.stage("verifying from the tables");
    Findings findings = findings(stall);
    Audit audit = findings.audit(production.enqueued(), effects);
    if (stall.stalled()) {
      progress.warn(
          "nothing has moved for "
              + patience.toSeconds()
              + " seconds, so the demo gives up with "
              + audit.defects().pending()
              + " tasks pending");
    }
    return new DemoReport(
        audit,
        tables.rotations(settings.rotation().period()),
        archive.map(watch -> watch.compare(findings)),
        new Times(production.seconds(), seconds, earlyPerSecond),
        tables.server());
  }

  private void awaitHandlers(long total, StallDetector stall, DemoProgress progress)
      throws InterruptedException {
    while (!stall.stalled()) {
      boolean produced = production.finished();
      progress.update(snapshot(total));
      observeEarlyRate();
      if (produced && effects.finished() >= production.enqueuedCount()) {
        return;
      }
      stall.observe(production.enqueuedCount() + effects.ran());
      Thread.sleep(production.finished() ? LAST_LOOKS_MILLIS : LOOK_MILLIS);
    }
  }

  private void observeEarlyRate() {
    double seconds = production.secondsSinceStart();
    if (seconds <= EARLY_SECONDS) {
      earlyPerSecond = effects.finished() / seconds;
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

  /**
   * Audits again while tasks are pending: a batch whose settling failed is run again, as it should
   * be.
   */
  private Findings findings(StallDetector stall) throws InterruptedException {
    DemoAudit auditor = new DemoAudit(tables);
    if (archive.isPresent()) {
      return findings(auditor, archive.get(), stall);
    }
    Findings findings = auditor.read();
    while (findings.pending() > 0 && !stall.stalled()) {
      Thread.sleep(LOOK_MILLIS);
      stall.observe(effects.ran() - findings.pending());
      findings = auditor.read();
    }
    return findings;
  }

  /**
   * Audits the archive too. When all tasks are settled, no row may move any longer between the
   * tables and the files.
   */
  private Findings findings(DemoAudit auditor, ArchiveWatch watch, StallDetector stall)
      throws InterruptedException {
    while (tables.isAnythingPending() && !stall.stalled()) {
      Thread.sleep(LOOK_MILLIS);
      stall.observe(effects.ran());
    }
    daemon.close();
    Findings findings = auditor.read();
    watch.read(findings);
    return findings;
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
