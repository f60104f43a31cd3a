package dev.rota.internal.claim;

import dev.rota.internal.tenant.TenantRef;

/**
 * A request to claim from one tenant.
 *
 * @param tenant the tenant
 * @param max how many tasks at most
 * @param slots the slots to visit, as bits
 * @param verify whether an empty result must be certain: scan again from block 0 even if that was
 *     done less than a second ago
 */
public record ClaimRequest(TenantRef tenant, int max, int slots, boolean verify) {

  /** All slots of all lanes that a tenant can have. */
  public static final int ALL_SLOTS = (1 << 30) - 1;

  /** Returns a copy for at most this many tasks. */
  ClaimRequest upTo(int rows) {
    return rows == max ? this : new ClaimRequest(tenant, rows, slots, verify);
  }
}
