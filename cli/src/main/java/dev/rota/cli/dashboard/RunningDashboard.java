package dev.rota.cli.dashboard;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardServer;
import java.io.UncheckedIOException;

/** A dashboard that a command serves, and the connections that it reads by. */
public final class RunningDashboard implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final String APPLICATION = "rota-dashboard";

  private final Rota rota;
  private final DashboardServer server;

  private RunningDashboard(Rota rota, DashboardServer server) {
    this.rota = rota;
    this.server = server;
  }

  /** Serves the dashboard of a database over connections of its own, and prints its address. */
  static RunningDashboard start(
      CommandDatabase database, ServingOptions options, int port, Terminal terminal) {
    Rota rota = database.rotaBuilder(APPLICATION).poolSize(CONNECTIONS).build();
    try {
      Dashboard dashboard = Dashboard.builder(rota).access(options.access()).build();
      DashboardServer server = start(options.server(dashboard, port, terminal.environment()));
      terminal.err().println("rota: the dashboard listens at " + server.address());
      if (options.isExposed()) {
        terminal
            .err()
            .println("rota: other machines reach it without TLS; let a proxy encrypt passwords");
      }
      return new RunningDashboard(rota, server);
    } catch (RuntimeException e) {
      rota.close();
      throw e;
    }
  }

  private static DashboardServer start(DashboardServer.Builder server) {
    try {
      return server.start();
    } catch (UncheckedIOException e) {
      throw new RotaException(e.getMessage() + "; choose another one", e);
    }
  }

  @Override
  public void close() {
    server.close();
    rota.close();
  }
}
