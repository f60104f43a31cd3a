package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Faults of producers, workers and daemons. */
final class ProcessFaults {

  private ProcessFaults() {}

  static void killWorker(ActiveFault fault) throws Exception {
    kill(fault, fault.worker());
  }

  static void killProducer(ActiveFault fault) throws Exception {
    kill(fault, fault.producer());
  }

  static void killDaemon(ActiveFault fault) throws Exception {
    kill(fault, fault.environment().daemon());
  }

  static void replaceWorker(ActiveFault fault) throws Exception {
    fault.with(
        fault.worker(),
        supervisor -> {
          supervisor.stop();
          supervisor.startNext();
        });
  }

  /**
   * Freezes a worker for two leases. A daemon counts the silence from its first poll, and begins
   * again when it or the server was restarted meanwhile.
   */
  static void freezeWorker(ActiveFault fault) throws Exception {
    Duration unnoticed = fault.environment().lease().multipliedBy(2);
    freeze(fault, fault.worker(), unnoticed.plus(fault.hold()));
  }

  static void freezeDaemon(ActiveFault fault) throws Exception {
    freeze(fault, fault.environment().daemon(), fault.hold());
  }

  /** Runs two daemons. The old one dies, so the new one leads in the end. */
  static void runTwoDaemons(ActiveFault fault) throws Exception {
    fault.with(
        fault.environment().daemon(),
        supervisor -> {
          JavaProcess first = supervisor.process();
          JavaProcess second = supervisor.launchNext();
          second.awaitStarted();
          Await.until("one of two daemons leads", () -> leads(first) || leads(second));
          assertThat(first.isAlive() && second.isAlive()).as("two daemons at once").isTrue();
          first.kill();
          supervisor.replaceBy(second);
          Await.until("the other daemon leads", () -> leads(second));
        });
  }

  private static boolean leads(JavaProcess daemon) throws IOException, InterruptedException {
    return daemon.ask("").equals("leading");
  }

  private static void kill(ActiveFault fault, ProcessSupervisor target) throws Exception {
    fault.with(
        target,
        supervisor -> {
          supervisor.process().kill();
          assertThat(supervisor.process().isAlive()).as(supervisor + " is alive").isFalse();
          supervisor.startNext();
        });
  }

  private static void freeze(ActiveFault fault, ProcessSupervisor target, Duration hold)
      throws Exception {
    fault.with(
        target,
        supervisor -> {
          supervisor.process().freeze();
          try {
            Await.until(supervisor + " is frozen", () -> state(supervisor.process().pid()) == 'T');
            LockSupport.parkNanos(hold.toNanos());
            assertThat(state(supervisor.process().pid()))
                .as("state of " + supervisor)
                .isEqualTo('T');
          } finally {
            supervisor.process().wake();
          }
        });
  }

  private static char state(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }
}
