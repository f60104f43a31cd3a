package dev.rota.processes;

import dev.rota.Rota;
import dev.rota.partition.RotationDaemon;
import java.io.IOException;
import java.time.Duration;

/** A daemon in a process of its own, until its standard input ends. */
public final class DaemonProcess {

  private DaemonProcess() {}

  /** Arguments: the URL, and the period of rotation in milliseconds. */
  public static void main(String[] args) throws IOException {
    try (Rota rota = Rota.connect(args[0]);
        RotationDaemon daemon =
            RotationDaemon.builder(rota)
                .rotateEvery(Duration.ofMillis(Long.parseLong(args[1])))
                .tick(Duration.ofMillis(50))
                .start()) {
      System.out.println("started");
      while (System.in.read() >= 0) {
        System.out.println(daemon.isLeading() ? "leading" : "following");
      }
    }
  }
}
