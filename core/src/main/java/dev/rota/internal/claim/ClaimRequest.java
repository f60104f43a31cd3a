package dev.rota.internal.claim;

import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.tenant.TenantRef;
import java.util.List;

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

  /**
   * The result of a claim from one tenant.
   *
   * @param tenant the tenant
   * @param batch the tasks, and the location of their rows
   * @param state what may be left in the tenant's rings
   */
  public record ClaimResult(TenantRef tenant, ClaimedBatch batch, RingState state) {

    /** The state of the tenant's rings after a claim. */
    public enum RingState {
      /** The claim got as many tasks as requested: there may be more. */
      MORE,
      /**
       * The claim got fewer tasks than requested, scanning from the hints: at most the blocks
       * before a hint hold more.
       */
      CAUGHT_UP,
      /** The claim took all visible tasks. */
      EMPTY,
      /** Another consumer is claiming from this tenant at this moment. */
      BUSY
    }

    List<ClaimedTask> tasks() {
      return batch.tasks();
    }
  }
}
