package dev.rota.daemon;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import java.time.Duration;

/** A daemon that moves history into an archive as soon as it can, for tests of what is there. */
public final class ArchivingDaemon {

  private ArchivingDaemon() {}

  /** Starts one that keeps archived segments in the database for so long. */
  public static RotationDaemon start(Rota rota, Archive archive, Duration keepHistory) {
    return DaemonFixture.quickRing(RotationDaemon.builder(rota))
        .archive(archive)
        .workShare(1)
        .segmentBytes(0)
        .keepHistory(keepHistory)
        .tick(Duration.ofMillis(10))
        .start();
  }
}
