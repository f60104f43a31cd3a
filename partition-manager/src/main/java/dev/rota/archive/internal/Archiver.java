package dev.rota.archive.internal;

import dev.rota.archive.ArchiveStatistics;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderLock;
import dev.rota.daemon.internal.leader.LeaderLoop;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.Throttle;
import dev.rota.internal.Kernel;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.maintenance.MaintenanceTask;
import java.util.List;

/**
 * Archives segments, drops archived ones, and deletes expired objects, on a separate thread and
 * connection: reading and putting a large segment must not delay rotation. One daemon of a database
 * does it, which need not be the leader.
 */
public final class Archiver {

  private final Kernel kernel;
  private final DaemonConfig settings;
  private final DefaultArchive archive;
  private final DaemonCounters counters;
  private final ArchiveCounters archived = new ArchiveCounters();
  private final LeaderLoop loop;

  public Archiver(
      Kernel kernel, DaemonConfig settings, DefaultArchive archive, DaemonCounters counters) {
    this.kernel = kernel;
    this.settings = settings;
    this.archive = archive;
    this.counters = counters;
    this.loop =
        new LeaderLoop(
            "the Rota archiver of schema \"" + kernel.tables().schema() + "\"",
            "rota-archiver",
            new LeaderLock(
                kernel.database(),
                kernel.settings().lockNamespace(),
                DefaultArchive.ARCHIVERS_LOCK),
            settings.pace().tick(),
            this::create);
  }

  public LeaderLoop reign() {
    return loop;
  }

  public ArchiveStatistics statistics() {
    return archived.snapshot();
  }

  /** The tasks in the order of their turns. */
  public List<MaintenanceTask> create(LeaderSession leader) {
    ClockGuard clock =
        new ClockGuard(kernel.settings().timing().nanoTime(), settings.pace().clockTrial());
    ArchiveManifest manifest = new ArchiveManifest(kernel.tables(), clock);
    OwnedStore store = new OwnedStore(leader, kernel.tables(), archive);
    ArchiverParts parts =
        new ArchiverParts(
            settings, archive, manifest, new Throttle(archive.share(), loop::isStopping), archived);
    return List.of(
        new ErasedObjectSweeper(leader, store, parts),
        new ArchiveExpiry(leader, kernel.registry(), store, parts),
        new ArchivedSegmentDropper(leader, kernel.registry(), store, parts, counters),
        new SegmentArchiver(leader, kernel.registry(), store, parts));
  }
}
