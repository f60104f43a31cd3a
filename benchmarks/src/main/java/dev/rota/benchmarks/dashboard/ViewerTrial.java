package dev.rota.benchmarks.dashboard;

import dev.rota.Rota;
import dev.rota.benchmarks.insight.InsightLoad;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.internal.db.Session.StatementObserver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Lets viewers watch pages for a time, and then none. Used by one thread. */
final class ViewerTrial {

  /** After this time the compiler has done the most, and all connections are open. */
  private static final Duration WARM_UP = Duration.ofSeconds(15);

  private final CommandDatabase database;
  private final DashboardReport report;

  ViewerTrial(CommandDatabase database, DashboardReport report) {
    this.database = database;
    this.report = report;
  }

  void run(int number, Duration time) throws SQLException {
    AtomicLong calls = new AtomicLong();
    StatementObserver counting =
        new StatementObserver() {
          @Override
          public void before(String call) {
            long unused = calls.incrementAndGet();
          }
        };
    Rota.Builder builder = database.rotaBuilder(Viewers.APPLICATION);
    try (Viewers viewers = Viewers.of(builder, InsightLoad.TENANT, number, counting);
        ServerTime server = ServerTime.of(database.jdbcUrl())) {
      pass(time.compareTo(WARM_UP) < 0 ? time : WARM_UP);
      ServerTime.Look before = server.look();
      long renewed = viewers.answers();
      long called = calls.get();
      pass(time);
      ServerTime.Look after = server.look();
      report.watched(
          new DashboardReport.Watched(
              number, viewers.answers() - renewed, calls.get() - called, after.since(before)));
      viewers.leave();
      ServerTime.Look left = server.look();
      long atTheEnd = calls.get();
      pass(time);
      report.alone(
          new DashboardReport.Alone(calls.get() - atTheEnd, server.look().touchedSince(left)));
    }
  }

  private static void pass(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while viewers watch", e);
    }
  }
}
