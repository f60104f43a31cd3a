package dev.rota.internal.claim;

import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.tenant.TenantRef;
import java.util.List;

/**
 * What a claim from one tenant gave.
 *
 * @param tenant the tenant
 * @param batch the tasks, and where they stand
 * @param standing what is left
 */
public record ClaimResult(TenantRef tenant, ClaimedBatch batch, Standing standing) {

  /** What a claim tells about the rest. */
  public enum Standing {
    /** As many as were asked for: there may be more. */
    MORE,
    /**
     * Fewer than were asked for, looked at from the hints on: there is more at most behind a hint.
     */
    CAUGHT_UP,
    /** All that is visible was claimed. */
    EMPTY,
    /** Another consumer is claiming from this tenant at this moment. */
    BUSY
  }

  List<ClaimedTask> tasks() {
    return batch.tasks();
  }
}
