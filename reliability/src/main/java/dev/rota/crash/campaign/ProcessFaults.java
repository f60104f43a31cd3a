package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.processes.JavaProcess;
import dev.rota.processes.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Faults of producers, workers and daemons. */
final class ProcessFaults {

  private ProcessFaults() {}

  static void killWorker(FaultStrike strike) throws Exception {
    kill(strike, strike.worker());
  }

  static void killProducer(FaultStrike strike) throws Exception {
    kill(strike, strike.producer());
  }

  static void killDaemon(FaultStrike strike) throws Exception {
    kill(strike, strike.field().daemon());
  }

  static void replaceWorker(FaultStrike strike) throws Exception {
    strike.with(
        strike.worker(),
        station -> {
          station.stop();
          station.startNext();
        });
  }

  /**
   * Freezes a worker for two leases. A daemon counts the silence from its first poll, and begins
   * again when it or the server was restarted meanwhile.
   */
  static void freezeWorker(FaultStrike strike) throws Exception {
    Duration unnoticed = strike.field().lease().multipliedBy(2);
    freeze(strike, strike.worker(), unnoticed.plus(strike.hold()));
  }

  static void freezeDaemon(FaultStrike strike) throws Exception {
    freeze(strike, strike.field().daemon(), strike.hold());
  }

  /** Runs two daemons. The old one dies, so the new one leads in the end. */
  static void runTwoDaemons(FaultStrike strike) throws Exception {
    strike.with(
        strike.field().daemon(),
        station -> {
          JavaProcess first = station.process();
          JavaProcess second = station.launchNext();
          second.awaitStarted();
          Waiting.until("one of two daemons leads", () -> leads(first) || leads(second));
          assertThat(first.isAlive() && second.isAlive()).as("two daemons at once").isTrue();
          first.kill();
          station.replaceBy(second);
          Waiting.until("the other daemon leads", () -> leads(second));
        });
  }

  private static boolean leads(JavaProcess daemon) throws IOException, InterruptedException {
    return daemon.ask("").equals("leading");
  }

  private static void kill(FaultStrike strike, ProcessSupervisor target) throws Exception {
    strike.with(
        target,
        station -> {
          station.process().kill();
          assertThat(station.process().isAlive()).as(station + " is alive").isFalse();
          station.startNext();
        });
  }

  private static void freeze(FaultStrike strike, ProcessSupervisor target, Duration hold)
      throws Exception {
    strike.with(
        target,
        station -> {
          station.process().freeze();
          try {
            Waiting.until(station + " is frozen", () -> state(station.process().pid()) == 'T');
            LockSupport.parkNanos(hold.toNanos());
            assertThat(state(station.process().pid())).as("state of " + station).isEqualTo('T');
          } finally {
            station.process().wake();
          }
        });
  }

  private static char state(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }
}
