package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.TenantStatus;
import java.time.Duration;
import java.util.function.Consumer;

/** The example of docs/operations.md. */
final class OperationsExample {

  private OperationsExample() {}

  static void watch(Rota rota, Consumer<String> alarm) {
    // begin status
    DatabaseStatus status = rota.admin().status();
    if (status.leader().isEmpty()) {
      alarm.accept("no daemon leads");
    }
    for (TenantStatus tenant : status.tenants()) {
      Duration oldest = tenant.backlog().oldestPending().orElse(Duration.ZERO);
      if (oldest.compareTo(Duration.ofMinutes(5)) > 0) {
        alarm.accept(tenant.identity().name() + " has waited for " + oldest.toMinutes() + " min");
      }
    }
    // end status
  }
}
