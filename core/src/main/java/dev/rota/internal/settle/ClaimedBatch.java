package dev.rota.internal.settle;

import dev.rota.internal.tenant.TenantRef;
import java.util.List;

/**
 * The tasks of one claim of one tenant.
 *
 * @param tenant the tenant
 * @param row the location of the batch
 * @param tasks the tasks, in the order of the ring
 */
public record ClaimedBatch(TenantRef tenant, BatchLocation row, List<ClaimedTask> tasks) {

  public long id() {
    return row.id();
  }
}
