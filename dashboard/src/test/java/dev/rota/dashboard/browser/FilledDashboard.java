package dev.rota.dashboard.browser;

import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.WorkerStatistics;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardServer;
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
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.openqa.selenium.WebElement;

/**
 * A dashboard with something on each page: tenants, tasks that wait, run, are done, failed and
 * dead, a worker and schedules.
 */
public final class FilledDashboard extends RotaFixture {

  /** A tenant with tasks in each state. */
  public static final String TENANT = "tenant-07";

  /** A name without a place to break a line at. */
  private static final String LONG = "tenant" + "x".repeat(57);

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

  private final DashboardServer server;

  /** Fills a database and serves its dashboard. */
  public FilledDashboard(TestDatabase database) {
    super(database);
    rota()
        .tenants()
        .registerAll(IntStream.range(0, TENANTS).mapToObj("tenant-%02d"::formatted).toList());
    Tenant tenant = tenant(TENANT);
    work(tenant, tenant("tenant-11"));
    leaveWaiting(tenant, tenant(LONG));
    server = closeLater(DashboardServer.builder(Dashboard.builder(rota()).build()).start());
  }

  private void work(Tenant... tenants) {
    List<NewTask> tasks =
        new ArrayList<>(Collections.nCopies(DONE, NewTask.of("search.index", "{}")));
    FAILURES.forEach(
        (kind, failure) -> tasks.addAll(Collections.nCopies(FAILING, NewTask.of(kind, "{}"))));
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

  /** All pages that the navigation links, the page of a tenant, and one that is not there. */
  List<URI> pages(Browser browser) {
    browser.open(address("/"));
    List<URI> pages = new ArrayList<>();
    for (WebElement link : browser.all("nav a")) {
      pages.add(URI.create(link.getDomProperty("href")));
    }
    pages.add(address("/tenant?name=" + TENANT));
    pages.add(address("/tenant?name=" + LONG));
    pages.add(address("/no-such-page"));
    return pages;
  }

  /** The same page, which does not renew itself. */
  static URI still(URI page) {
    return URI.create(page + (page.getQuery() == null ? "?" : "&") + "live=off");
  }
}
