package dev.rota.internal.tenant;

import dev.rota.UnknownTenantException;
import dev.rota.internal.text.SafeText;

/** Finds the numbers of tenants for calls that read tables of all tenants. */
public final class KnownTenants {

  private KnownTenants() {}

  /**
   * Finds the number of the tenant of a name.
   *
   * @throws UnknownTenantException if there is none
   */
  public static int of(TenantRegistry registry, String tenant) {
    return registry
        .find(tenant)
        .orElseThrow(
            () ->
                new UnknownTenantException(
                    "no tenant is named '"
                        + SafeText.whole(tenant)
                        + "'; rota.insight().tenants(...) lists the names"))
        .number();
  }
}
