package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.daemon.RotationDaemon;
import dev.rota.testing.Await;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;

/** Runs a daemon in a separate process, until its standard input ends. */
public final class DaemonProcess {

  private DaemonProcess() {}

  /**
   * Arguments: the URL, the period of rotation in milliseconds, and, unless it is the default, the
   * size of a segment of history in bytes.
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = JavaProcess.answers();
    try (Rota rota = Await.success("connect", () -> Rota.connect(args[0]));
        RotationDaemon daemon = daemon(rota, args).start()) {
      answers.println("started");
      while (System.in.read() >= 0) {
        answers.println(daemon.isLeading() ? "leading" : "following");
      }
    }
  }

  private static RotationDaemon.Builder daemon(Rota rota, String[] args) {
    RotationDaemon.Builder builder =
        RotationDaemon.builder(rota)
            .rotateEvery(Duration.ofMillis(Long.parseLong(args[1])))
            .tick(Duration.ofMillis(50));
    return args.length < 3 ? builder : builder.segmentBytes(Long.parseLong(args[2]));
  }
}
