package dev.rota.dashboard.internal.view;

import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.Viewer;
import java.util.Optional;

/** A request of a viewer who may see the dashboard. Immutable. */
public record Visit(DashboardRequest request, Viewer viewer, Links links) {

  public Visit(DashboardRequest request, Viewer viewer) {
    this(request, viewer, new Links(request));
  }

  public String path() {
    return request.location().path();
  }

  /** A parameter that is not blank. */
  public Optional<String> parameter(String name) {
    return request.parameter(name);
  }

  /**
   * A parameter that must be there.
   *
   * @throws IllegalArgumentException if it is not
   */
  public String required(String name) {
    return parameter(name)
        .orElseThrow(() -> new IllegalArgumentException("%s is missing".formatted(name)));
  }

  /**
   * Refuses viewers without a right.
   *
   * @throws ForbiddenException if the viewer does not have it
   */
  public void require(Right right) {
    if (!viewer.may(right)) {
      throw new ForbiddenException("You lack the right " + right + " for this.");
    }
  }

  /**
   * Refuses viewers who do not see a tenant.
   *
   * @throws ForbiddenException if the viewer does not
   */
  public void require(String tenant) {
    if (!viewer.sees(tenant)) {
      throw new ForbiddenException("You may not see this tenant.");
    }
  }

  /**
   * Refuses viewers who see some tenants alone.
   *
   * @throws ForbiddenException if the viewer does
   */
  public void requireAllTenants() {
    if (viewer.tenants().isPresent()) {
      throw new ForbiddenException("This is about all tenants; you see some of them.");
    }
  }

  /**
   * The tenant by which a list is filtered. Viewers of some tenants have to choose one of them.
   *
   * @throws ForbiddenException if the viewer may not see what is asked for
   */
  public Optional<String> tenantFilter() {
    Optional<String> tenant = parameter("tenant");
    tenant.ifPresent(this::require);
    if (tenant.isEmpty() && viewer.tenants().isPresent()) {
      return Optional.of(
          viewer.tenants().get().stream()
              .sorted()
              .findFirst()
              .orElseThrow(() -> new ForbiddenException("You see no tenant.")));
    }
    return tenant;
  }
}
