package dev.rota.dashboard.internal.read;

import dev.rota.Rota;

/**
 * All that pages and the API read.
 *
 * @param platform reads across tenants
 * @param tenants reads of single tenants
 */
public record Reads(PlatformReads platform, TenantReads tenants) {

  /** The reads of a Rota, which share what they keep. */
  public static Reads of(Rota rota) {
    SharedReads shared = new SharedReads();
    return new Reads(new PlatformReads(rota, shared), new TenantReads(rota, shared));
  }
}
