package dev.rota.partition.internal;

import dev.rota.archive.ArchiveStatistics;
import dev.rota.internal.DaemonWatch;
import dev.rota.internal.Kernel;
import dev.rota.internal.Preflight;
import dev.rota.partition.DaemonStatistics;
import dev.rota.partition.RotationDaemon;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** A daemon: what the leader does on one thread, and what the archiver does on another. */
final class RunningDaemon implements RotationDaemon {

  private final Kernel kernel;
  private final Preflight preflight;
  private final DaemonSettings settings;
  private final Tally tally = new Tally();
  private final Reign leader;
  private final Optional<Archiver> archiver;
  private final Runnable closing = this::close;

  RunningDaemon(Kernel kernel, Preflight preflight, DaemonSettings settings) {
    this.kernel = kernel;
    this.preflight = preflight;
    this.settings = settings;
    this.leader =
        new Reign(
            "the Rota daemon of schema \"" + kernel.tables().schema() + "\"",
            "rota-daemon",
            new Leadership(
                kernel.database(), kernel.settings().lockNamespace(), DaemonWatch.LEADER),
            settings,
            this::duties);
    this.archiver =
        settings.archive().map(archive -> new Archiver(kernel, settings, archive, tally));
  }

  void start() {
    preflight.logOnce();
    kernel.addDependent(closing);
    leader.start();
    archiver.ifPresent(other -> other.reign().start());
  }

  @Override
  public boolean isLeading() {
    return leader.isHeld();
  }

  @Override
  public DaemonStatistics statistics() {
    return tally.snapshot();
  }

  @Override
  public ArchiveStatistics archiveStatistics() {
    return archiver.map(Archiver::statistics).orElseGet(() -> new ArchiveTally().snapshot());
  }

  @Override
  public void close() {
    leader.stop();
    archiver.ifPresent(other -> other.reign().stop());
    leader.join();
    archiver.ifPresent(other -> other.reign().join());
    kernel.removeDependent(closing);
  }

  private List<Duty> duties(Mandate mandate) throws SQLException {
    LeaderDuties duties = new LeaderDuties(mandate, kernel, settings, tally);
    duties.begin();
    return duties.duties();
  }
}
