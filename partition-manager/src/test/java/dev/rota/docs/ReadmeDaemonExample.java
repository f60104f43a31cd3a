package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;

/** The example of docs/getting-started.md that runs the daemon inside an application. */
final class ReadmeDaemonExample {

  private final Runnable application;

  ReadmeDaemonExample(Runnable application) {
    this.application = application;
  }

  void run(Rota rota) {
    // begin daemon
    RotationDaemon daemon =
        RotationDaemon.builder(rota)
            .rotateEvery(Duration.ofHours(1))
            .keepHistory(Duration.ofDays(7))
            .start();
    application.run();
    daemon.close();
    // end daemon
  }
}
