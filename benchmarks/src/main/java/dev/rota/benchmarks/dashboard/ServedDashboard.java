package dev.rota.benchmarks.dashboard;

import dev.rota.Rota;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardAccess;
import dev.rota.dashboard.DashboardServer;
import dev.rota.dashboard.Right;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import java.net.URI;

/**
 * A dashboard behind a server of its own, over connections of its own as {@code rota dashboard} has
 * them. Thread-safe.
 */
final class ServedDashboard implements AutoCloseable {

  private static final int CONNECTIONS = 4;

  private final Rota rota;
  private final DashboardServer server;
  private volatile Dashboard dashboard;

  private ServedDashboard(Rota rota) {
    this.rota = rota;
    this.dashboard = make();
    this.server = DashboardServer.builder(request -> dashboard.handle(request)).start();
  }

  /** Opens a dashboard, with an observer of its statements. */
  static ServedDashboard open(Rota.Builder builder, StatementObserver observer) {
    return new ServedDashboard(RotaBuilder.build(builder.poolSize(CONNECTIONS), observer));
  }

  private Dashboard make() {
    return Dashboard.builder(rota).access(DashboardAccess.everyone(Right.values())).build();
  }

  /** Forgets all that was read for its viewers. */
  void forget() {
    dashboard = make();
  }

  Rota rota() {
    return rota;
  }

  URI address() {
    return server.address();
  }

  @Override
  public void close() {
    server.close();
    rota.close();
  }
}
