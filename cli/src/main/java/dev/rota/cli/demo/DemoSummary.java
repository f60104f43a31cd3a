package dev.rota.cli.demo;

import dev.rota.cli.common.Table;
import dev.rota.cli.common.Text;
import dev.rota.demo.DemoReport;
import dev.rota.demo.WorkflowReport;
import java.io.PrintStream;
import java.util.Locale;

/** Formats the result of a demo for people. */
final class DemoSummary {

  private DemoSummary() {}

  static void print(DemoReport report, long skippedLines, PrintStream out) {
    DemoReport.Audit audit = report.audit();
    Table table = new Table("", "");
    table.add(
        "enqueued",
        tasks(audit.enqueued()) + " of " + Text.count(report.rotations().tenants()) + " tenants");
    table.add("done", tasks(audit.done()));
    table.add("dead", tasks(audit.dead()) + ", failed on every attempt");
    table.add("attempts", Text.count(audit.attempts()));
    table.add("lost", Text.count(audit.defects().lost()));
    table.add("duplicated", Text.count(audit.defects().duplicated()));
    table.add("pending", Text.count(audit.defects().pending()));
    table.add("rotations", rotations(report));
    report.archived().ifPresent(history -> addArchive(table, history));
    table.add("enqueueing", seconds(report.times().enqueueSeconds()));
    table.add(
        "in all", seconds(report.times().totalSeconds()) + ", " + rate(report.tasksPerSecond()));
    table.add("first 10 s", rate(report.times().earlyPerSecond()));
    table.add("server", server(report.server()));
    if (skippedLines > 0) {
      table.add("skipped", Text.count(skippedLines) + " malformed lines of the trace");
    }
    table.print(out);
    out.println(verdict(report));
  }

  static void print(WorkflowReport report, PrintStream out) {
    Table table = new Table("", "");
    table.add("nodes", tasks(report.nodes()));
    table.add("edges", Text.count(report.edges()) + " dependencies");
    table.add("done", tasks(report.audit().done()));
    table.add("violated", Text.count(report.violated()));
    table.add("lost", Text.count(report.lost()));
    table.add("duplicated", Text.count(report.audit().defects().duplicated()));
    table.add("in all", seconds(report.totalSeconds()));
    table.print(out);
    out.println(
        report.isFlawless()
            ? "Verified: every task ended once, and began after all its parents had ended."
            : "FAILED: a task was lost, duplicated, or began before its parents had ended.");
  }

  private static void addArchive(Table table, DemoReport.Archived history) {
    table.add("hot", Text.count(history.hot()) + " attempts in the database");
    table.add(
        "archived",
        Text.count(history.cold())
            + " attempts in "
            + Text.count(history.files())
            + " files of "
            + Text.count(history.bytes())
            + " bytes");
    table.add("history", history.agrees() ? "agrees by kind and state" : "DOES NOT AGREE");
  }

  private static String verdict(DemoReport report) {
    if (report.archived().isPresent() && report.isFlawless()) {
      return "Verified from the tables and the archive: every task ended once, none was lost or run"
          + " twice.";
    }
    return report.audit().defects().none()
        ? "Verified from the tables: every task ended once, none was lost or run twice."
        : "FAILED: the tables do not hold every task exactly once.";
  }

  private static String tasks(long count) {
    return Text.count(count) + " tasks";
  }

  private static String rotations(DemoReport report) {
    DemoReport.Rotations rotations = report.rotations();
    return Text.count(rotations.switched())
        + " of at most "
        + Text.count(report.rotationsDue())
        + " due, "
        + Text.count(rotations.postponed())
        + " postponed, "
        + Text.count(rotations.segmentsOpened())
        + " new segments of history";
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.1f s", seconds);
  }

  private static String rate(double perSecond) {
    return Text.count(Math.round(perSecond)) + " tasks a second";
  }

  private static String server(DemoReport.Server server) {
    return "PostgreSQL "
        + server.version()
        + (server.durable() ? ", durable commits" : ", commits NOT durable");
  }
}
