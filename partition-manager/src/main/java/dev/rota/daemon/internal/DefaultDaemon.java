package dev.rota.daemon.internal;

import dev.rota.admin.internal.Preflight;
import dev.rota.archive.ArchiveStatistics;
import dev.rota.archive.internal.ArchiveCounters;
import dev.rota.archive.internal.Archiver;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.daemon.DaemonStatistics;
import dev.rota.daemon.RotationDaemon;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderLock;
import dev.rota.daemon.internal.leader.LeaderLoop;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.Features;
import dev.rota.internal.Kernel;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.spi.DaemonLoad;
import dev.rota.spi.TaskObserver;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Default implementation of {@link RotationDaemon}: the leader runs on one thread, the archiver on
 * another.
 */
final class DefaultDaemon implements RotationDaemon {

  private final Kernel kernel;
  private final Features features;
  private final Preflight preflight;
  private final DaemonConfig settings;
  private final DaemonCounters counters = new DaemonCounters();
  private final LeaderLoop leader;
  private final Optional<Archiver> archiver;
  private final Runnable closing = this::close;
  private final Supplier<DaemonLoad> load = this::load;
  private final AtomicBoolean told = new AtomicBoolean();

  DefaultDaemon(Kernel kernel, Features features, Preflight preflight, DaemonConfig settings) {
    this.kernel = kernel;
    this.features = features;
    this.preflight = preflight;
    this.settings = settings;
    this.leader =
        new LeaderLoop(
            "the Rota daemon of schema \"" + kernel.tables().schema() + "\"",
            "rota-daemon",
            new LeaderLock(
                kernel.database(), kernel.settings().lockNamespace(), DaemonWatch.LEADER),
            settings.pace().tick(),
            this::create);
    this.archiver =
        settings
            .archive()
            .map(DefaultArchive::of)
            .map(archive -> new Archiver(kernel, settings, archive, counters));
  }

  void start() {
    preflight.logOnce();
    kernel.addDependent(closing);
    leader.start();
    archiver.ifPresent(other -> other.reign().start());
    TaskObserver observer = kernel.settings().timing().observer();
    if (observer != null && told.compareAndSet(false, true)) {
      observer.daemonStarted(load);
    }
  }

  @Override
  public boolean isLeading() {
    return leader.isHeld();
  }

  @Override
  public DaemonStatistics statistics() {
    return counters.snapshot();
  }

  @Override
  public ArchiveStatistics archiveStatistics() {
    return archiver.map(Archiver::statistics).orElseGet(() -> new ArchiveCounters().snapshot());
  }

  @Override
  public void close() {
    leader.stop();
    archiver.ifPresent(other -> other.reign().stop());
    leader.join();
    archiver.ifPresent(other -> other.reign().join());
    kernel.removeDependent(closing);
    TaskObserver observer = kernel.settings().timing().observer();
    if (observer != null && told.compareAndSet(true, false)) {
      observer.daemonClosed(load);
    }
  }

  private DaemonLoad load() {
    DaemonStatistics counted = statistics();
    DaemonStatistics.Segments segments = counted.segments();
    ArchiveStatistics archived = archiveStatistics();
    return new DaemonLoad(
        isLeading(),
        new DaemonLoad.Rings(
            counted.rotations(),
            counted.postponed(),
            counted.promoted(),
            counted.reaped(),
            segments.parkedTenants()),
        new DaemonLoad.Segments(
            segments.opened(),
            segments.dropped(),
            segments.ledgerOpened(),
            segments.ledgerDropped()),
        new DaemonLoad.Archived(archived.segments(), archived.bytes(), archived.failures()));
  }

  private List<MaintenanceTask> create(LeaderSession leading) throws SQLException {
    return new MaintenancePlan(leading, kernel, features, settings, counters).begin();
  }
}
