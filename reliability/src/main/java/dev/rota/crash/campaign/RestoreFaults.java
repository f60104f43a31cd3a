package dev.rota.crash.campaign;

import dev.rota.crash.server.DatabaseCopy;
import java.util.List;

/**
 * The database is dumped and restored while no process uses it, and work goes on in what is new.
 */
final class RestoreFaults {

  private RestoreFaults() {}

  /** Producers end in good order: what they still hear is true of the dump as well. */
  static void restore(FaultStrike strike) throws Exception {
    CampaignEnvironment field = strike.field();
    List<ProcessSupervisor> all = field.stations();
    strike.withServer(
        server -> {
          // First all of them: a fault that waits for work to go on has its station until then.
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

  /** Workers are stopped in good order every other time. */
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
