package dev.rota.cli.dashboard;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardAccess;
import dev.rota.dashboard.DashboardServer;
import dev.rota.dashboard.Right;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of commands that serve the dashboard beside their own work. */
public final class DashboardOption {

  /** The option that lets viewers change things. */
  static final String ACTIONS = "--dashboard-actions";

  private static final int CONNECTIONS = 4;
  private static final String APPLICATION = "rota-dashboard";

  @Option(
      names = "--dashboard",
      paramLabel = "PORT",
      arity = "0..1",
      fallbackValue = "8085",
      description =
          "Serve the dashboard to browsers of this machine, on port ${FALLBACK-VALUE} if none is"
              + " given, on any with 0.")
  private @Nullable Integer port;

  @Option(
      names = ACTIONS,
      description = "Let its viewers, which are all users of this machine, change things, too.")
  private boolean actions;

  /** A dashboard and what it reads by. */
  public static final class Served implements AutoCloseable {

    private final Rota rota;
    private final DashboardServer server;

    private Served(Rota rota, DashboardServer server) {
      this.rota = rota;
      this.server = server;
    }

    @Override
    public void close() {
      server.close();
      rota.close();
    }
  }

  /**
   * Serves the dashboard of a database over connections of its own, if the option is given.
   *
   * @return what to close; null if the option is not given
   */
  public @Nullable Served serve(CommandDatabase database, Terminal terminal) {
    return port == null ? null : serve(database, port, actions, terminal);
  }

  /**
   * Serves the dashboard of a database over connections of its own, and prints its address.
   *
   * @param actions whether viewers may change things
   */
  static Served serve(CommandDatabase database, int port, boolean actions, Terminal terminal) {
    Rota rota = database.rotaBuilder(APPLICATION).poolSize(CONNECTIONS).build();
    try {
      DashboardAccess access =
          actions ? DashboardAccess.everyone(Right.values()) : DashboardAccess.everyone();
      DashboardServer server = start(Dashboard.builder(rota).access(access).build(), port);
      terminal.err().println("rota: the dashboard listens at " + server.address());
      return new Served(rota, server);
    } catch (RuntimeException e) {
      rota.close();
      throw e;
    }
  }

  private static DashboardServer start(Dashboard dashboard, int port) {
    try {
      return DashboardServer.builder(dashboard).port(port).start();
    } catch (IllegalArgumentException e) {
      throw new UsageException("the " + e.getMessage());
    } catch (UncheckedIOException e) {
      throw new RotaException(e.getMessage() + "; choose another one", e);
    }
  }
}
