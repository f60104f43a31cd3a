package dev.rota.benchmarks.dashboard;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.audit.AuditEntry.Result;
import dev.rota.audit.AuditLog;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import dev.rota.benchmarks.insight.InsightLoad;
import dev.rota.benchmarks.insight.Spread;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.graph.TaskGraph;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks for each page many times, one after the other, over HTTP. No request gets what an earlier
 * one has read: before each of them the dashboard forgets, and a time passes after which no sample
 * is fresh. Used by one thread.
 */
final class PageTrial {

  /** Longer than any sample is shared. */
  private static final long A_WHILE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final int LAYERS = 30;
  private static final int WIDTH = 10;
  private static final int PARENTS = 3;

  private final CommandDatabase database;
  private final DashboardReport report;

  PageTrial(CommandDatabase database, DashboardReport report) {
    this.database = database;
    this.report = report;
  }

  void run() {
    List<Page> pages = new ArrayList<>(Page.all());
    pages.add(new Page("an operation", "/operation?id=" + operation()));
    pages.add(
        new Page("a graph of 300 tasks", "/graph?tenant=" + InsightLoad.TENANT + "&id=" + graph()));
    AtomicLong skipped = new AtomicLong();
    Rota.Builder skipping =
        RotaBuilder.nanoTime(builder(), () -> System.nanoTime() + skipped.get());
    try (ServedDashboard dashboard = ServedDashboard.open(skipping, StatementObserver.NONE)) {
      PageClient client = new PageClient(dashboard.address());
      Runnable forget =
          () -> {
            dashboard.forget();
            long unused = skipped.addAndGet(A_WHILE_NANOS);
          };
      // A dashboard that was idle has loaded the classes of its pages.
      double unused = first(pages.get(0));
      for (Page page : pages) {
        double first = first(page);
        client.get(page.address());
        Runnable visit = () -> client.get(page.address());
        report.add(page, first, Spread.of(report.calls(), forget, visit));
      }
    }
  }

  private Rota.Builder builder() {
    return database.rotaBuilder(Viewers.APPLICATION);
  }

  /** The first request of a process that has just begun to serve, and has no connection yet. */
  private double first(Page page) {
    try (ServedDashboard dashboard = ServedDashboard.open(builder(), StatementObserver.NONE)) {
      PageClient client = new PageClient(dashboard.address());
      return Spread.time(() -> client.get(page.address()));
    }
  }

  /** A graph of layers, in which each task depends on three of the layer before. */
  private long graph() {
    TaskGraph.Builder graph = TaskGraph.builder();
    List<TaskGraph.Node> before = List.of();
    for (int layer = 0; layer < LAYERS; layer++) {
      List<TaskGraph.Node> nodes = new ArrayList<>();
      for (int place = 0; place < WIDTH; place++) {
        TaskGraph.Node node = graph.add(NewTask.of("kind-1", "{}"));
        for (int parent = 0; parent < PARENTS && !before.isEmpty(); parent++) {
          node.dependsOn(before.get((place + parent) % WIDTH));
        }
        nodes.add(node);
      }
      before = nodes;
    }
    try (Rota rota = builder().build()) {
      return rota.tenants().get(InsightLoad.TENANT).graphs().enqueue(graph.build()).id();
    }
  }

  /** An entry of the audit. */
  private long operation() {
    try (Rota rota = builder().build()) {
      AuditLog audit = rota.audit();
      long id =
          audit.begin(
              new AuditedAction(
                  "ops",
                  "redrive",
                  Optional.of(InsightLoad.TENANT),
                  "tenant " + InsightLoad.TENANT,
                  OptionalLong.of(1)));
      audit.end(id, new Result(AuditState.DONE, 1, false, "1 tenant"));
      return id;
    }
  }
}
