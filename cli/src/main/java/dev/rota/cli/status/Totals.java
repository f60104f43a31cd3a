package dev.rota.cli.status;

import dev.rota.admin.TenantStatus;
import java.util.List;
import java.util.function.ToLongFunction;

/** Sums over the tenants that are shown. */
record Totals(List<TenantStatus> tenants) {

  long pending() {
    return of(tenant -> tenant.backlog().estimatedPending());
  }

  long waiting() {
    return of(tenant -> tenant.backlog().estimatedWaiting());
  }

  long running() {
    return of(tenant -> tenant.running().tasks());
  }

  long of(ToLongFunction<TenantStatus> part) {
    return tenants.stream().mapToLong(part).sum();
  }
}
