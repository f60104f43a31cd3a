package dev.rota.crash.archive;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.crash.Steps;
import dev.rota.daemon.RotationDaemon;
import dev.rota.internal.RotaBuilder;
import dev.rota.processes.JavaProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/** Runs an archiver in a separate process, which ends at one of its steps. */
final class ArchiverProcess {

  private ArchiverProcess() {}

  private static final long MEMORY = 128L << 20;

  /**
   * Arguments: the URL, the place of the archive, the folder for temporary files, and the step, by
   * number or name. Each line of input is answered by the names of the steps so far.
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    Steps steps = new Steps(args[3], thread -> thread.getName().equals("rota-archiver"), answers);
    answers.println("started");
    try (Rota rota = RotaBuilder.build(Rota.builder(args[0]).poolSize(4), steps);
        Archive archive =
            Archive.in(Place.stepped(args[1], steps))
                .memory(MEMORY)
                .stagingFolder(Path.of(args[2]))
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
      while (System.in.read() >= 0) {
        answers.println(steps.names());
      }
    }
  }
}
