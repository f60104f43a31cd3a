package dev.rota.crash.extremes;

import dev.rota.Rota;
import dev.rota.daemon.RotationDaemon;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/** Runs a daemon in a separate process that switches rings as soon as they have rows. */
final class QuickDaemon {

  private static final long SMALLEST_SLOT = 8_192;

  private QuickDaemon() {}

  /** Argument: the URL. */
  public static void main(String[] args) throws IOException {
    try (Rota rota = Rota.connect(args[0]);
        RotationDaemon daemon =
            RotationDaemon.builder(rota)
                .rotateEvery(Duration.ofSeconds(1))
                .slotBytes(SMALLEST_SLOT)
                .tick(Duration.ofMillis(10))
                .start()) {
      System.out.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
