package dev.rota.dashboard.browser;

import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.WorkerStatistics;
import dev.rota.audit.AuditedAction;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardServer;
import dev.rota.dashboard.Viewer;
import dev.rota.graph.TaskGraph;
import dev.rota.insight.ErrorQuery;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/**
 * A dashboard with something on each page: tenants, tasks that wait, run, are done, failed and
 * dead, a worker, a schedule and an operation. Its viewer may do everything.
 */
public final class FilledDashboard extends RotaFixture {

  /** A tenant with tasks in each state. */
  public static final String TENANT = "tenant-07";

  /** A name without a place to break a line at. */
  private static final String LONG = "tenant" + "x".repeat(57);

  private static final String PAYLOAD =
      """
      {"order": 17, "urgent": true, "to": {"name": "Ann", "mail": "ann@shop.example"},
       "lines": [{"article": "A-1", "number": 2}, {"article": "B-2", "number": 1}]}""";

  private static final int TENANTS = 120;
  private static final int DONE = 40;
  private static final int FAILING = 6;

  /** How tasks fail, by their kinds, with the number of the task. */
  private static final Map<String, LongFunction<Exception>> FAILURES =
      Map.of(
          "mail.send",
          id -> new IOException("connect to 192.0.2.1:25 timed out after " + id + " ms"),
          "report.make",
          id -> new IllegalStateException("there is no template 'monthly-" + id + "'"),
          "webhook.call",
          id -> new IOException("HTTP 503 after " + id + " ms"),
          "invoice.create",
          id -> new IllegalArgumentException("order " + id + " has no items"));

  private static final AuditedAction OPERATION =
      new AuditedAction(
          "operator", "redrive", Optional.of(TENANT), "kind report.make", OptionalLong.of(6));

  private final DashboardServer server;
  private final long operation;
  private final long graph;

  /** Fills a database and serves its dashboard. */
  public FilledDashboard(TestDatabase database) {
    super(database);
    rota()
        .tenants()
        .registerAll(IntStream.range(0, TENANTS).mapToObj("tenant-%02d"::formatted).toList());
    Tenant tenant = tenant(TENANT);
    work(tenant, tenant("tenant-11"));
    leaveWaiting(tenant, tenant(LONG));
    operation = rota().audit().begin(OPERATION);
    graph = enqueueGraph(tenant);
    server = closeLater(serve(rota()));
  }

  /** Serves a dashboard to a viewer who may do everything. */
  static DashboardServer serve(Rota rota) {
    Viewer viewer = Viewer.operator("operator");
    Dashboard dashboard = Dashboard.builder(rota).access(request -> Optional.of(viewer)).build();
    return DashboardServer.builder(dashboard).start();
  }

  private static long enqueueGraph(Tenant tenant) {
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node fetch = graph.add(NewTask.of("film.fetch", "{}"));
    TaskGraph.Node picture = graph.add(NewTask.of("film.picture", "{}")).dependsOn(fetch);
    TaskGraph.Node sound = graph.add(NewTask.of("film.sound", "{}")).dependsOn(fetch);
    graph.add(NewTask.of("film.publish", "{}")).dependsOn(fetch, picture, sound);
    return tenant.graphs().enqueue(graph.build()).id();
  }

  private void work(Tenant... tenants) {
    List<NewTask> tasks =
        new ArrayList<>(Collections.nCopies(DONE, NewTask.of("search.index", "{}")));
    FAILURES.forEach(
        (kind, failure) -> tasks.addAll(Collections.nCopies(FAILING, NewTask.of(kind, PAYLOAD))));
    for (Tenant tenant : tenants) {
      tenant.enqueueAll(tasks);
    }
    try (Worker worker = worker()) {
      int all = tenants.length * tasks.size();
      Await.until("all attempts ended", () -> ended(worker.statistics()), all);
    }
    Await.until("failures are counted", () -> groups() == FAILURES.size());
  }

  /**
   * A worker that does one kind and fails at the others; reports are dead at their first failure.
   */
  private Worker worker() {
    Worker.Builder worker =
        rota()
            .worker()
            .hourlyStatistics(true)
            .retry(RetryPolicy.fixed(5, Duration.ofHours(1)))
            .retry("report.make", RetryPolicy.never())
            .handle("search.index", task -> {});
    FAILURES.forEach(
        (kind, failure) ->
            worker.handle(
                kind,
                task -> {
                  throw failure.apply(task.id());
                }));
    return worker.start();
  }

  private static long ended(WorkerStatistics statistics) {
    return statistics.done() + statistics.failed() + statistics.dead();
  }

  private long groups() {
    Instant now = rota().insight().overview().readAt();
    Duration hour = Duration.ofHours(1);
    return rota().insight().errors(ErrorQuery.between(now.minus(hour), now.plus(hour))).size();
  }

  /** Leaves a batch open and tasks waiting. */
  private void leaveWaiting(Tenant tenant, Tenant other) {
    var unusedSchedule =
        tenant
            .schedules()
            .add(Schedule.every("nightly", Duration.ofHours(24), NewTask.of("clean", "{}")));
    tenant.enqueueAll(Collections.nCopies(30, NewTask.of("search.index", "{}")));
    other.enqueueAll(Collections.nCopies(3, NewTask.of("search.index", "{}")));
    tenant.enqueue(NewTask.of("search.index", "{}").after(Duration.ofDays(1)));
    var unusedBatch = closeLater(tenant.claim(3));
  }

  /** The address of a page. */
  public URI address(String path) {
    return server.address().resolve(path);
  }

  /**
   * All pages, which do not renew themselves: those that links lead to, and one that is not there.
   */
  List<URI> pages(Browser browser) {
    List<URI> pages = new ArrayList<>(linked(browser, "/?", "nav a"));
    pages.add(address("/tenant?live=off&name=" + TENANT));
    pages.add(address("/tenant?live=off&name=" + LONG));
    for (String path : List.of("/tenant?name=" + TENANT + "&", "/schedules?", "/failures?")) {
      pages.addAll(linked(browser, path, "a[href*='/actions/']"));
    }
    pages.addAll(linked(browser, "/failures?", "a[href*='/task?']").subList(0, 1));
    pages.add(address("/operation?live=off&id=" + operation));
    pages.add(address("/kind?live=off&name=report.make"));
    pages.add(address("/why?live=off&tenant=" + TENANT));
    pages.add(address("/graphs?live=off&tenant=" + TENANT));
    pages.add(address("/graph?live=off&tenant=" + TENANT + "&id=" + graph));
    pages.add(address("/limits?live=off&shares=1"));
    pages.add(address("/no-such-page?live=off"));
    return pages;
  }

  private List<URI> linked(Browser browser, String path, String selector) {
    browser.open(address(path + "live=off"));
    return browser.all(selector).stream()
        .map(link -> URI.create(link.getDomProperty("href")))
        .toList();
  }
}
