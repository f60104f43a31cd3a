package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.partition.RotationDaemon;
import java.nio.file.Path;

/** The examples of docs/history.md that need a daemon. */
final class ArchiveExample {

  private ArchiveExample() {}

  static void run(Rota rota, Path folder) {
    // begin archive
    Archive archive = Archive.in(ObjectStore.folder(folder)).build();
    RotationDaemon daemon = RotationDaemon.builder(rota).archive(archive).start();
    // end archive
    daemon.close();
    archive.close();
  }
}
