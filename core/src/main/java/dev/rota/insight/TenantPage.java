package dev.rota.insight;

import java.time.Instant;
import java.util.List;

/**
 * Some tenants out of those that match a query. Immutable.
 *
 * @param tenants the tenants of this page, in the order of the query
 * @param matching how many tenants match
 * @param readAt when the counters were read, by the clock of the database. Tenants without tables
 *     are up to half a minute older
 */
public record TenantPage(List<TenantActivity> tenants, int matching, Instant readAt) {

  /**
   * Copies the list.
   *
   * @param tenants the tenants of this page
   * @param matching how many tenants match
   * @param readAt when the counters were read
   */
  public TenantPage {
    tenants = List.copyOf(tenants);
  }
}
