package dev.rota.crash.archive;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.crash.SteppedProcess;
import dev.rota.crash.Steps;
import dev.rota.daemon.RotationDaemon;
import dev.rota.internal.RotaBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Runs an archiver in a separate process, which ends at one of its steps. */
final class ArchiverProcess {

  private static final long MEMORY = 128L << 20;

  private ArchiverProcess() {}

  /**
   * Arguments: the URL, the place of the archive, the folder for temporary files, and the step. A
   * line of input brings the process to its end.
   */
  public static void main(String[] args) throws Exception {
    SteppedProcess.run(
        args[3],
        thread -> thread.getName().equals("rota-archiver"),
        steps -> archive(args[0], args[1], Path.of(args[2]), steps));
  }

  private static void archive(String url, String place, Path staging, Steps steps)
      throws IOException {
    try (Rota rota = RotaBuilder.build(Rota.builder(url).poolSize(4), steps);
        Archive archive =
            Archive.in(Place.stepped(place, steps))
                .memory(MEMORY)
                .stagingFolder(staging)
                .grace(Duration.ZERO)
                .share(1)
                .build();
        RotationDaemon daemon =
            RotationDaemon.builder(rota)
                .archive(archive)
                .rotateEvery(Duration.ofSeconds(1))
                .segmentBytes(0)
                .keepHistory(Duration.ZERO)
                .tick(Duration.ofMillis(10))
                .start()) {
      int unused = System.in.read();
      steps.complete("ended on request");
    }
  }
}
