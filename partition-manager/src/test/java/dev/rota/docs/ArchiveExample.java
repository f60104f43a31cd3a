package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.daemon.RotationDaemon;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.TenantEraser;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TenantTransfer;
import java.io.IOException;
import java.nio.file.Files;
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

  static void erase(Rota rota, Archive archive, Path file) throws IOException {
    // begin erase
    TenantEraser eraser = TenantEraser.builder(rota).archive(archive).closing(true).build();
    ErasureReceipt receipt = eraser.erase("acme");
    System.out.println(receipt.rows() + " rows and " + receipt.archivedRows() + " in files erased");
    Files.writeString(file, receipt.json());
    // end erase
  }

  static RestoreReport restore(Rota rota, Archive archive) {
    // begin restore
    RestoreReport report =
        TenantTransfer.over(rota, archive)
            .restoreTenant("acme", RestoreOptions.defaults().takingOver());
    System.out.println(report.restored().count("archived") + " attempts can be read again");
    report.problems().forEach(System.out::println);
    // end restore
    return report;
  }
}
