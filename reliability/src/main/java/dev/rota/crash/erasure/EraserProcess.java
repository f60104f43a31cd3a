package dev.rota.crash.erasure;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.Steps;
import dev.rota.erasure.ErasureFixture;
import dev.rota.erasure.TenantEraser;
import dev.rota.internal.RotaBuilder;
import dev.rota.processes.JavaProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

/** Erases a tenant in a separate process, which ends at one of its steps. */
final class EraserProcess {

  /** The answer before the receipt when the process has come to its end. */
  static final String FINISHED = "finished";

  private EraserProcess() {}

  /**
   * Arguments: the URL, the folder of the archive, the tenant, and the step, by number or name. A
   * line of input after the end is answered by the names of the steps.
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    Thread eraser = Thread.currentThread();
    Steps steps = new Steps(args[3], eraser::equals, answers);
    answers.println("started");
    try (Rota rota = RotaBuilder.build(Rota.builder(args[0]).poolSize(2).doorbell(false), steps);
        Archive archive =
            ErasureFixture.archive(
                new SteppedDeletes(ObjectStore.folder(Path.of(args[1])), steps::reach))) {
      String json = TenantEraser.builder(rota).archive(archive).build().erase(args[2]).json();
      steps.disarm();
      answers.println(FINISHED);
      answers.println(json);
    }
    while (System.in.read() >= 0) {
      answers.println(steps.names());
    }
  }
}
