package dev.rota.docs;

import dev.rota.HourlyStatistics;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.TenantPolicy;
import dev.rota.Worker;
import java.time.Duration;
import java.time.Instant;

/** The code in docs/history.md. */
final class HistoryExample {

  private HistoryExample() {}

  /** What the handlers use. */
  interface Gateway {
    void send(String payload);
  }

  static Worker work(Rota rota, Tenant acme, Gateway gateway, Instant now) {
    // begin statistics
    Worker worker =
        rota.worker()
            .hourlyStatistics(true)
            .handle("sms.send", task -> gateway.send(task.payload()))
            .start();
    for (HourlyStatistics row : acme.statistics(now.minus(Duration.ofDays(1)), now)) {
      System.out.printf(
          "%s %s: %d ended, %d failed, ran %s, waited %s%n",
          row.hour(),
          row.kind(),
          row.ended().count(),
          row.ended().failures(),
          row.running().mean(),
          row.waiting().mean());
    }
    // end statistics
    return worker;
  }

  static void keep(Tenant acme) {
    // begin keep
    acme.changePolicy(policy -> policy.keepHistory(Duration.ofDays(30)));
    acme.changePolicy(TenantPolicy::keepHistoryByDefault); // as long as the daemon's setting says
    // end keep
  }
}
