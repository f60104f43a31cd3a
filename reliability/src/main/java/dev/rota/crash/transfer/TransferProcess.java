package dev.rota.crash.transfer;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.Steps;
import dev.rota.internal.RotaBuilder;
import dev.rota.processes.JavaProcess;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.internal.DefaultTenantTransfer;
import dev.rota.transfer.internal.FileObserver;
import java.io.PrintStream;
import java.nio.file.Path;

/** Runs an export, import or restore in a separate process, which ends at one of its steps. */
final class TransferProcess {

  private static final RestoreOptions TAKING_OVER = RestoreOptions.defaults().takingOver();

  /** The answer of a process that has come to its end. */
  static final String DONE = "done";

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

  /**
   * Runs the transfer. Arguments: "export", "import" or "restore", the name of the tenant, the
   * folder of the export, and the URL. Then the folders of the archive and for temporary files, and
   * the step. A process that comes to its end prints that, with the number of steps, and the
   * moments among them.
   */
  public static void main(String[] args) {
    PrintStream answers = JavaProcess.answers();
    Thread mover = Thread.currentThread();
    Steps steps = new Steps(args[6], mover::equals, answers);
    Path folder = Path.of(args[2]);
    answers.println("started");
    try (Rota rota = RotaBuilder.build(Rota.builder(args[3]).poolSize(4), steps);
        Archive archive =
            Archive.in(ObjectStore.folder(Path.of(args[4])))
                .stagingFolder(Path.of(args[5]))
                .build()) {
      TenantTransfer transfer = DefaultTenantTransfer.of(rota, archive, new FileSteps(steps));
      int unused =
          switch (args[0]) {
            case "export" -> transfer.exportTenant(args[1], folder).files();
            case "import" -> transfer.importTenant(folder, args[1]).files();
            default -> transfer.restoreTenant(args[1], TAKING_OVER).known();
          };
      steps.disarm();
      answers.println(DONE);
      answers.println(steps.count());
      answers.println(steps.moments());
    }
  }
}
