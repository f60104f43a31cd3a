package dev.rota.dashboard;

import dev.rota.Rota;
import dev.rota.dashboard.internal.DefaultDashboard;

/**
 * Answers requests for the pages of a dashboard over all tenants of a {@link Rota}. It only reads,
 * unless its {@link DashboardAccess} gives viewers further rights. Thread-safe.
 *
 * <pre>{@code
 * Dashboard dashboard = Dashboard.builder(rota).build();
 * DashboardServer server = DashboardServer.builder(dashboard).port(8085).start();
 * }</pre>
 *
 * <p>What it reads is shared by all viewers for two seconds, and it reads nothing while nothing is
 * asked. Every text of the database is escaped. Each change is recorded in the {@linkplain
 * Rota#audit() audit}, and runs in the background. Changes that run when the process ends stop
 * there.
 */
public interface Dashboard {

  /**
   * Begins a dashboard over a Rota, which the caller closes.
   *
   * @param rota the Rota
   * @return a builder
   */
  static Builder builder(Rota rota) {
    return DefaultDashboard.builder(rota);
  }

  /**
   * Answers a request. Refusals and failures of the database are answers too.
   *
   * @param request the request
   * @return the answer
   */
  DashboardResponse handle(DashboardRequest request);

  /** Sets up a dashboard. Not thread-safe. */
  interface Builder {

    /**
     * Sets which requests are answered; by default all of them, for reading.
     *
     * @param access tells the viewer of a request
     * @return this builder
     */
    Builder access(DashboardAccess access);

    /**
     * Sets how payloads are shown to viewers with {@link Right#PAYLOAD}; whole by default.
     *
     * @param view redacts or decodes payloads
     * @return this builder
     */
    Builder payloads(PayloadRenderer view);

    /**
     * Sets where traces of tasks are found, for tasks that carry the header {@code traceparent};
     * none by default.
     *
     * @param address an address of HTTP with {@code {traceId}} in it
     * @return this builder
     * @throws IllegalArgumentException if it is another text
     */
    Builder traces(String address);

    /**
     * Creates the dashboard.
     *
     * @return the dashboard
     */
    Dashboard build();
  }
}
