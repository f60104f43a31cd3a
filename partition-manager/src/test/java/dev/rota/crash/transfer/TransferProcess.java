package dev.rota.crash.transfer;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.internal.RotaFactory;
import dev.rota.internal.db.CallObserver;
import dev.rota.processes.JavaProcess;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.internal.FileObserver;
import dev.rota.transfer.internal.Transfers;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** An export, import or restore in a process of its own, which ends at one of its steps. */
final class TransferProcess {

  private static final RestoreOptions TAKING_OVER = RestoreOptions.defaults().takingOver();

  private TransferProcess() {}

  /** Ends the process at a step of its main thread, as kill -9 does: nothing is closed. */
  private record Steps(int last, AtomicInteger count, PrintStream answers)
      implements CallObserver, FileObserver {

    @Override
    public void before(String step) {
      reach("before " + step);
    }

    @Override
    public void after(String step) {
      reach("after " + step);
    }

    private void reach(String step) {
      if (Thread.currentThread().getName().equals("main") && count.incrementAndGet() == last) {
        answers.println(step);
        answers.flush();
        Runtime.getRuntime().halt(9);
      }
    }
  }

  /**
   * Arguments: "export", "import" or "restore", the name of the tenant, the folder of the export,
   * the URL, the folders of the archive and for temporary files, and the step.
   */
  public static void main(String[] args) {
    PrintStream answers = JavaProcess.answers();
    Steps steps = new Steps(Integer.parseInt(args[6]), new AtomicInteger(), answers);
    Path folder = Path.of(args[2]);
    answers.println("started");
    try (Rota rota = RotaFactory.build(Rota.builder(args[3]).poolSize(4), steps);
        Archive archive =
            Archive.in(ObjectStore.folder(Path.of(args[4])))
                .stagingFolder(Path.of(args[5]))
                .build()) {
      TenantTransfer transfer = Transfers.of(rota, archive, steps);
      int unused =
          switch (args[0]) {
            case "export" -> transfer.exportTenant(args[1], folder).files();
            case "import" -> transfer.importTenant(folder, args[1]).files();
            default -> transfer.restoreTenant(args[1], TAKING_OVER).known();
          };
      answers.println("done in " + steps.count().get());
    }
  }
}
