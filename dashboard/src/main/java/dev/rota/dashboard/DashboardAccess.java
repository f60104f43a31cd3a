package dev.rota.dashboard;

import java.util.Optional;

/** Decides who may see the dashboard. Called for each request, on its thread. */
@FunctionalInterface
public interface DashboardAccess {

  /**
   * Tells the name of the viewer who sends a request.
   *
   * @param request the request
   * @return the name, which the pages show; empty to refuse the request
   */
  Optional<String> viewer(DashboardRequest request);

  /**
   * Lets everyone see the dashboard, for servers that only their own machine reaches.
   *
   * @return the access
   */
  static DashboardAccess everyone() {
    return request -> Optional.of(request.user().orElse(""));
  }

  /**
   * Lets users see the dashboard that the host of a {@link DashboardServlet} has identified.
   *
   * @return the access
   */
  static DashboardAccess users() {
    return DashboardRequest::user;
  }
}
