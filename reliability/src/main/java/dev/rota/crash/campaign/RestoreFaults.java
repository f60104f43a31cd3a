package dev.rota.crash.campaign;

import dev.rota.crash.server.DatabaseCopy;
import java.util.List;

/** Dumps and restores the database while no process uses it, and continues with the new one. */
final class RestoreFaults {

  private RestoreFaults() {}

  /**
   * Restores the database. Producers end in good order: all their acknowledgements are in the dump.
   */
  static void restore(ActiveFault fault) throws Exception {
    CampaignEnvironment environment = fault.environment();
    List<ProcessSupervisor> all = environment.supervisors();
    fault.withServer(
        server -> {
          // First all of them: a fault that waits for progress holds its process until then.
          all.forEach(supervisor -> supervisor.lock().lock());
          try {
            end(fault);
            DatabaseCopy.replace(server);
            for (ProcessSupervisor supervisor : all) {
              supervisor.startNext();
            }
          } finally {
            all.forEach(supervisor -> supervisor.lock().unlock());
          }
        });
  }

  /** Ends all processes; workers are stopped in good order every other time. */
  private static void end(ActiveFault fault) throws Exception {
    CampaignEnvironment environment = fault.environment();
    for (ProcessSupervisor producer : environment.producers()) {
      producer.stop();
    }
    for (ProcessSupervisor worker : environment.workers()) {
      if (fault.victim() % 2 == 0) {
        worker.stop();
      } else {
        worker.process().kill();
      }
    }
    environment.daemon().process().kill();
  }
}
