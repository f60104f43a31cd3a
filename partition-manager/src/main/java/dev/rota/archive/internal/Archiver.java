package dev.rota.archive.internal;

import dev.rota.archive.ArchiveStatistics;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderLock;
import dev.rota.daemon.internal.leader.LeaderLoop;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.Throttle;
import dev.rota.internal.Kernel;
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
  private final ArchiveConfig archive;
  private final DaemonCounters tally;
  private final ArchiveCounters archived = new ArchiveCounters();
  private final LeaderLoop reign;

  public Archiver(
      Kernel kernel, DaemonConfig settings, ArchiveConfig archive, DaemonCounters tally) {
    this.kernel = kernel;
    this.settings = settings;
    this.archive = archive;
    this.tally = tally;
    this.reign =
        new LeaderLoop(
            "the Rota archiver of schema \"" + kernel.tables().schema() + "\"",
            "rota-archiver",
            new LeaderLock(
                kernel.database(), kernel.settings().lockNamespace(), ArchiveConfig.ARCHIVERS_LOCK),
            settings.pace().tick(),
            this::duties);
  }

  public LeaderLoop reign() {
    return reign;
  }

  public ArchiveStatistics statistics() {
    return archived.snapshot();
  }

  /** The tasks in the order of their turns. */
  public List<MaintenanceTask> duties(LeaderSession mandate) {
    ArchiveManifest manifest = new ArchiveManifest(kernel.tables());
    OwnedStore vault = new OwnedStore(mandate, kernel.tables(), archive);
    ArchiverParts parts =
        new ArchiverParts(
            settings,
            archive,
            manifest,
            new Throttle(archive.share(), reign::isStopping),
            archived);
    return List.of(
        new ErasedObjectSweeper(mandate, vault, parts),
        new ArchiveExpiry(mandate, kernel.registry(), vault, parts),
        new ArchivedSegmentDropper(mandate, kernel.registry(), vault, parts, tally),
        new SegmentArchiver(mandate, kernel.registry(), vault, parts));
  }
}
