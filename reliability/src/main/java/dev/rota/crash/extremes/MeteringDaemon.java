package dev.rota.crash.extremes;

import dev.rota.Rota;
import dev.rota.daemon.RotationDaemon;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * Runs a daemon in a separate process that opens a segment of the ledger every half a minute, and
 * meters the one before. It drops none, so that all of it can be compared with the history.
 */
final class MeteringDaemon {

  private MeteringDaemon() {}

  /** Argument: the URL. */
  public static void main(String[] args) throws IOException {
    try (Rota rota = Rota.connect(args[0]);
        RotationDaemon daemon =
            RotationDaemon.builder(rota)
                .rotateEvery(Duration.ofSeconds(1))
                .keepLedger(Duration.ofMinutes(30))
                .tick(Duration.ofMillis(20))
                .start()) {
      System.out.println("started");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}
