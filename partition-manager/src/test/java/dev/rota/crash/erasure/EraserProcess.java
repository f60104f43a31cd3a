package dev.rota.crash.erasure;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.erasure.ErasureFixture;
import dev.rota.erasure.TenantEraser;
import dev.rota.internal.RotaFactory;
import dev.rota.internal.db.CallObserver;
import dev.rota.processes.JavaProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

/** Erases a tenant in a process of its own, which ends at one of its steps. */
final class EraserProcess {

  /** What it answers before the receipt when it has come to its end. */
  static final String FINISHED = "finished";

  private EraserProcess() {}

  /** Arguments: the URL, the folder of the archive, the tenant, and the step. */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    Last last = new Last(Integer.parseInt(args[3]), answers);
    answers.println("started");
    try (Rota rota = RotaFactory.build(Rota.builder(args[0]).poolSize(2).doorbell(false), last);
        Archive archive =
            ErasureFixture.archive(
                new SteppedDeletes(ObjectStore.folder(Path.of(args[1])), last::reach))) {
      String json = TenantEraser.builder(rota).archive(archive).build().erase(args[2]).json();
      last.disarm();
      answers.println(FINISHED);
      answers.println(json);
    }
    while (System.in.read() >= 0) {
      answers.println("done");
    }
  }

  /** Ends the process at a step of the thread that erases. */
  private static final class Last implements CallObserver {
    private final Thread eraser = Thread.currentThread();
    private final int last;
    private final PrintStream answers;
    private int count;

    Last(int last, PrintStream answers) {
      this.last = last;
      this.answers = answers;
    }

    @Override
    public void before(String call) {
      reach("before " + call);
    }

    @Override
    public void after(String call) {
      reach("after " + call);
    }

    void disarm() {
      count = Integer.MIN_VALUE;
    }

    /** As kill -9 does, at this very place: nothing is closed, nothing is written. */
    void reach(String step) {
      if (Thread.currentThread().equals(eraser) && ++count == last) {
        answers.println(step);
        answers.flush();
        Runtime.getRuntime().halt(9);
      }
    }
  }
}
