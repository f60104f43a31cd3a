package dev.rota.crash.campaign;

import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.util.List;

/** Faults of single backends of the server. */
final class BackendFaults {

  /**
   * Selects the backends of producers, workers and daemons, except those that are starting; active
   * ones first.
   */
  private static final String BACKENDS =
      """
      select pid from pg_stat_activity
       where backend_type = 'client backend' and application_name not in ('', '%s')
       order by (state = 'idle'), pid"""
          .formatted(ControlledServer.TEST_SESSIONS);

  private BackendFaults() {}

  static void terminate(ActiveFault fault) throws Exception {
    Await.until("a backend is terminated", () -> isTerminated(fault));
  }

  private static boolean isTerminated(ActiveFault fault) {
    ControlledServer server = fault.environment().server();
    try {
      List<Integer> pids = backends(server);
      return !pids.isEmpty() && server.terminateBackend(choose(pids, fault.victim()));
    } catch (SQLException e) {
      // The server is unavailable.
      return false;
    }
  }

  static void kill(ActiveFault fault) throws Exception {
    fault.withServer(
        server -> {
          Await.until("a backend is killed", () -> isKilled(server, fault.victim()));
          server.awaitReady();
        });
  }

  private static boolean isKilled(ControlledServer server, int victim) throws Exception {
    List<Integer> pids = backends(server);
    return !pids.isEmpty() && server.killBackend(choose(pids, victim));
  }

  private static List<Integer> backends(ControlledServer server) throws SQLException {
    return server.texts(BACKENDS).stream().map(Integer::valueOf).toList();
  }

  /** Chooses a backend. Active ones come first: half of the choices are among the first half. */
  private static int choose(List<Integer> pids, int victim) {
    int range = victim % 2 == 0 ? pids.size() : (pids.size() + 1) / 2;
    return pids.get(victim / 2 % range);
  }
}
