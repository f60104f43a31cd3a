package dev.rota.crash.erasure;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.crash.SteppedProcess;
import dev.rota.crash.Steps;
import dev.rota.erasure.ErasureFixture;
import dev.rota.erasure.TenantEraser;
import dev.rota.internal.RotaBuilder;
import java.nio.file.Path;

/** Erases a tenant in a separate process, which ends at one of its steps. */
final class EraserProcess {

  private EraserProcess() {}

  /**
   * Arguments: the URL, the folder of the archive, the tenant, and the step. The result is the
   * receipt.
   */
  public static void main(String[] args) throws Exception {
    Thread eraser = Thread.currentThread();
    SteppedProcess.run(
        args[3], eraser::equals, steps -> erase(args[0], Path.of(args[1]), args[2], steps));
  }

  private static void erase(String url, Path kept, String tenant, Steps steps) {
    try (Rota rota = RotaBuilder.build(Rota.builder(url).poolSize(2).doorbell(false), steps);
        Archive archive =
            ErasureFixture.archive(new SteppedDeletes(ObjectStore.folder(kept), steps::reach))) {
      steps.complete(TenantEraser.builder(rota).archive(archive).build().erase(tenant).json());
    }
  }
}
