package dev.rota.dashboard;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides who may see the dashboard, and what they may do. Called for each request, on its thread.
 */
@FunctionalInterface
public interface DashboardAccess {

  /**
   * Tells the viewer who sends a request. If it throws, the request fails with status 500, and the
   * log has the exception.
   *
   * @param request the request
   * @return the viewer; empty to refuse the request
   */
  Optional<Viewer> viewer(DashboardRequest request);

  /**
   * Lets everyone see the dashboard whom its host lets in; the host may have identified a user.
   *
   * @param further rights besides reading; none by default
   * @return the access
   */
  static DashboardAccess everyone(Right... further) {
    Set<Right> rights = EnumSet.of(Right.READ, further);
    return request ->
        Optional.of(Viewer.reader(request.caller().user().orElse("local")).with(rights));
  }

  /**
   * Lets users see the dashboard whom its host has identified: a container, or a {@link
   * DashboardServer} by a password or a trusted header.
   *
   * @param further rights besides reading; none by default
   * @return the access
   */
  static DashboardAccess users(Right... further) {
    Set<Right> rights = EnumSet.of(Right.READ, further);
    return request -> request.caller().user().map(user -> Viewer.reader(user).with(rights));
  }

  /**
   * Lets users see the dashboard whose roles, by the host of a {@link DashboardServlet}, include
   * {@code ROTA_READ}, with the rights of their {@linkplain Right#role() roles}. Users of a {@link
   * DashboardServer} have no roles.
   *
   * @return the access
   */
  static DashboardAccess roles() {
    return request ->
        request
            .caller()
            .user()
            .map(
                user ->
                    Viewer.reader(user)
                        .with(
                            Arrays.stream(Right.values())
                                .filter(right -> request.caller().roles().test(right.role()))
                                .collect(Collectors.toSet())))
            .filter(viewer -> viewer.may(Right.READ));
  }
}
