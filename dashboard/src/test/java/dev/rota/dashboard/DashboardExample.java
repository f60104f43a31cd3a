package dev.rota.dashboard;

import dev.rota.Rota;
import jakarta.servlet.ServletContext;
import java.util.Set;

/** The examples of docs/dashboard.md. */
final class DashboardExample {

  private DashboardExample() {}

  static DashboardServer serve(Rota rota) {
    // begin server
    Dashboard dashboard = Dashboard.builder(rota).build();
    DashboardServer server = DashboardServer.builder(dashboard).port(8085).start();
    // end server
    return server;
  }

  static void mount(Rota rota, ServletContext context) {
    // begin servlet
    Dashboard dashboard = Dashboard.builder(rota).access(DashboardAccess.users()).build();
    context.addServlet("rota", new DashboardServlet(dashboard)).addMapping("/ops/rota/*");
    // end servlet
  }

  static Dashboard forSupport(Rota rota) {
    // begin access
    DashboardAccess access =
        request ->
            request.caller().user().map(name -> Viewer.operator(name).onlyTenants(tenantsOf(name)));
    Dashboard dashboard = Dashboard.builder(rota).access(access).build();
    // end access
    return dashboard;
  }

  private static Set<String> tenantsOf(String user) {
    return Set.of("acme of " + user);
  }
}
