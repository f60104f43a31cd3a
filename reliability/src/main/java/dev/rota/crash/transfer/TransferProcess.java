package dev.rota.crash.transfer;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.SteppedProcess;
import dev.rota.crash.Steps;
import dev.rota.internal.RotaBuilder;
import dev.rota.processes.JavaProcess;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferFixture;
import dev.rota.transfer.internal.DefaultTenantTransfer;
import dev.rota.transfer.internal.FileObserver;
import java.nio.file.Path;

/** Runs an export, import or restore in a separate process, which ends at one of its steps. */
final class TransferProcess {

  static final String EXPORT = "export";
  static final String IMPORT = "import";
  static final String RESTORE = "restore";

  private static final RestoreOptions TAKING_OVER = RestoreOptions.defaults().takingOver();

  private TransferProcess() {}

  /** Counts the steps of files among those of calls. */
  private record FileSteps(Steps steps) implements FileObserver {

    @Override
    public void before(String operation) {
      steps.before(operation);
    }

    @Override
    public void after(String operation) {
      steps.after(operation);
    }
  }

  /** Starts a process in the database of a fixture, with its folders and this archive. */
  static JavaProcess start(String step, String what, String tenant, Path folder, Site site)
      throws Exception {
    return JavaProcess.start(
        TransferProcess.class,
        step,
        what,
        tenant,
        folder.toString(),
        site.at.database().jdbcUrl(),
        site.kept.toString(),
        site.at.staging().toString());
  }

  /** The database at which a process works, and the folder of the archive. */
  record Site(TransferFixture at, Path kept) {}

  /**
   * Arguments: the step; what to do, the name of the tenant and the folder of the export; the URL
   * and the folders of the archive and for temporary files.
   */
  public static void main(String[] args) throws Exception {
    Thread mover = Thread.currentThread();
    SteppedProcess.run(args[0], mover::equals, steps -> transfer(args, steps));
  }

  private static void transfer(String[] args, Steps steps) {
    Path folder = Path.of(args[3]);
    try (Rota rota = RotaBuilder.build(Rota.builder(args[4]).poolSize(4), steps);
        Archive archive =
            Archive.in(ObjectStore.folder(Path.of(args[5])))
                .stagingFolder(Path.of(args[6]))
                .build()) {
      TenantTransfer transfer = DefaultTenantTransfer.of(rota, archive, new FileSteps(steps));
      int result =
          switch (args[1]) {
            case EXPORT -> transfer.exportTenant(args[2], folder).files();
            case IMPORT -> transfer.importTenant(folder, args[2]).files();
            default -> transfer.restoreTenant(args[2], TAKING_OVER).restored().files();
          };
      steps.complete(Integer.toString(result));
    }
  }
}
