package dev.rota.insight;

import dev.rota.history.HourlyStatistics;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The tenants that use a kind most. Immutable.
 *
 * @param since the beginning of the first hour that was read, by the clock of the database; empty
 *     if no attempt is counted
 * @param ended how many attempts of the kind ended since then at all tenants, erased ones left out
 * @param tenants those with the most ended attempts first
 */
public record TenantsOfKind(Optional<Instant> since, long ended, List<Use> tenants) {

  /**
   * Copies the list.
   *
   * @param since the beginning of the first hour
   * @param ended the attempts of all tenants
   * @param tenants the tenants
   */
  public TenantsOfKind {
    tenants = List.copyOf(tenants);
  }

  /**
   * How much a tenant uses a kind.
   *
   * @param tenant the name of the tenant
   * @param ended how many of its attempts ended, and how
   */
  public record Use(String tenant, HourlyStatistics.Ended ended) {}
}
