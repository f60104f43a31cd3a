package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.history.HistoryFilter;
import dev.rota.history.RecentAttempts;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.Insight;
import dev.rota.insight.KindActivity;
import dev.rota.insight.Overview;
import dev.rota.insight.TenantQuery;
import dev.rota.insight.TenantQuery.Order;
import java.time.Duration;
import java.time.Instant;

/** The examples of docs/insight.md. */
final class InsightExample {

  private InsightExample() {}

  static void print(Rota rota) {
    // begin insight
    Insight insight = rota.insight();
    Overview now = insight.overview();
    System.out.printf(
        "%d tenants, ~%d pending, %d running, %d workers%n",
        now.tenants().all(),
        now.estimated().pending(),
        now.estimated().running(),
        now.alive().workers());
    TenantQuery busiest = TenantQuery.all().orderedBy(Order.CLAIMED).page(0, 10);
    insight.tenants(busiest).tenants().forEach(tenant -> System.out.println(tenant.name()));
    Instant until = Instant.now();
    Instant from = until.minus(Duration.ofDays(1));
    for (KindActivity kind : insight.kinds(from, until)) {
      System.out.println(kind.kind() + " p95 " + kind.running().quantile(0.95));
    }
    for (ErrorActivity error : insight.errors(ErrorQuery.between(from, until))) {
      System.out.println(error.attempts().count() + " x " + error.error());
    }
    // end insight
  }

  static void printDead(Tenant acme, Duration budget) {
    // begin recent
    HistoryFilter dead = HistoryFilter.all().states(TaskState.DEAD).limit(50);
    RecentAttempts recent = acme.history().recent(dead, Duration.ofMillis(120));
    System.out.printf(
        "%d found; looked at ~%d of ~%d attempts%n",
        recent.attempts().size(), recent.looked().estimated(), recent.looked().estimatedAll());
    recent.nextCursor().ifPresent(cursor -> acme.history().recent(dead.after(cursor), budget));
    // end recent
  }
}
