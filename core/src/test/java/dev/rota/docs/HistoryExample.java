package dev.rota.docs;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.control.Replay;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryCounts.Dimension;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.HourlyStatistics;
import dev.rota.history.RetentionPolicy;
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
    for (HourlyStatistics row : acme.history().statistics(now.minus(Duration.ofDays(1)), now)) {
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
    acme.history().changeRetention(policy -> policy.keepHistory(Duration.ofDays(30)));
    acme.history().changeRetention(RetentionPolicy::keepHistoryByDefault); // as the daemon says
    // end keep
  }

  static void read(Tenant acme, Instant from, Instant to) {
    // begin read
    HistoryFilter filter =
        HistoryFilter.all().createdFrom(from).createdBefore(to).states(TaskState.DEAD).limit(500);
    HistoryPage page = acme.history().page(filter);
    page.attempts().forEach(attempt -> System.out.println(attempt.taskId()));
    page.nextCursor().ifPresent(cursor -> acme.history().page(filter.after(cursor)));

    HistoryCounts counts =
        acme.history().count(HistoryFilter.all(), Dimension.HOUR, Dimension.STATE);
    counts.counts().forEach(System.out::println);
    System.out.println("opened " + counts.archive().opened());
    // end read
  }

  static void replay(Tenant acme, Instant from, Instant to) {
    // begin replay
    Replay badHour =
        Replay.of(HistoryFilter.all().createdFrom(from).createdBefore(to).kind("sms.send"))
            .once("wrong-sender"); // so that it can be repeated
    System.out.println(acme.control().replay(badHour.dryRun()).tasks() + " tasks");
    acme.control().replay(badHour.spreadOver(Duration.ofHours(1)));
    // end replay
  }
}
