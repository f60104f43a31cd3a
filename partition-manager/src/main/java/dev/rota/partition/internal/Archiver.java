package dev.rota.partition.internal;

import dev.rota.archive.ArchiveStatistics;
import dev.rota.archive.internal.ArchiveSettings;
import dev.rota.internal.Kernel;
import java.util.List;

/**
 * Archives, drops what is archived, and deletes what is kept no longer, on a thread and a
 * connection of its own: reading and putting a large segment must not hold up rotation. One daemon
 * of a database does it, which need not be the leader.
 */
final class Archiver {

  private final Kernel kernel;
  private final DaemonSettings settings;
  private final ArchiveSettings archive;
  private final Tally tally;
  private final ArchiveTally archived = new ArchiveTally();
  private final Reign reign;

  Archiver(Kernel kernel, DaemonSettings settings, ArchiveSettings archive, Tally tally) {
    this.kernel = kernel;
    this.settings = settings;
    this.archive = archive;
    this.tally = tally;
    this.reign =
        new Reign(
            "the Rota archiver of schema \"" + kernel.tables().schema() + "\"",
            "rota-archiver",
            new Leadership(
                kernel.database(),
                kernel.settings().lockNamespace(),
                ArchiveSettings.ARCHIVERS_LOCK),
            settings,
            this::duties);
  }

  Reign reign() {
    return reign;
  }

  ArchiveStatistics statistics() {
    return archived.snapshot();
  }

  /** In the order of their turns. */
  List<Duty> duties(Mandate mandate) {
    Manifest manifest = new Manifest(kernel.tables());
    Vault vault = new Vault(mandate, kernel.tables(), archive);
    ArchiverParts parts =
        new ArchiverParts(
            settings, archive, manifest, new Pace(archive.share(), reign::isStopping), archived);
    return List.of(
        new ErasedSweeper(mandate, vault, parts),
        new ArchiveCleaner(mandate, kernel.registry(), vault, parts),
        new ArchivedRetirer(mandate, kernel.registry(), vault, parts, tally),
        new SegmentArchiver(mandate, kernel.registry(), vault, parts));
  }
}
