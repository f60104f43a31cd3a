package dev.rota.crash.campaign;

import dev.rota.crash.server.DatabaseCopy;
import java.util.List;

/** Dumps and restores the database while no process uses it, and continues with the new one. */
final class RestoreFaults {

  private RestoreFaults() {}

  /**
   * Restores the database. Producers end in good order: all their acknowledgements are in the dump.
   */
  static void restore(FaultStrike strike) throws Exception {
    CampaignEnvironment field = strike.field();
    List<ProcessSupervisor> all = field.stations();
    strike.withServer(
        server -> {
          // First all of them: a fault that waits for progress holds its process until then.
          all.forEach(station -> station.lock().lock());
          try {
            end(strike);
            DatabaseCopy.replace(server);
            for (ProcessSupervisor station : all) {
              station.startNext();
            }
          } finally {
            all.forEach(station -> station.lock().unlock());
          }
        });
  }

  /** Ends all processes; workers are stopped in good order every other time. */
  private static void end(FaultStrike strike) throws Exception {
    CampaignEnvironment field = strike.field();
    for (ProcessSupervisor producer : field.producers()) {
      producer.stop();
    }
    for (ProcessSupervisor worker : field.workers()) {
      if (strike.victim() % 2 == 0) {
        worker.stop();
      } else {
        worker.process().kill();
      }
    }
    field.daemon().process().kill();
  }
}
