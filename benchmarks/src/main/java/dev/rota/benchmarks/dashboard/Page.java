package dev.rota.benchmarks.dashboard;

import dev.rota.benchmarks.insight.InsightLoad;
import java.util.List;

/**
 * A page of the dashboard, over the load of the insight's benchmark.
 *
 * @param name what it is called in the results
 * @param address its path and query
 */
record Page(String name, String address) {

  private static final String WEEK = "hours=168";

  /** Every route that needs no number, with the filters that change what is read. */
  static List<Page> all() {
    String tenant = InsightLoad.TENANT;
    return List.of(
        new Page("overview", "/"),
        new Page("chart of the overview", "/chart.json"),
        new Page("tenants by pending", "/tenants"),
        new Page("tenants by name", "/tenants?order=name"),
        new Page("tenants by waiting", "/tenants?order=waiting"),
        new Page("tenants by running", "/tenants?order=running"),
        new Page("tenants by arrivals", "/tenants?order=arrived"),
        new Page("tenants by claims", "/tenants?order=claimed"),
        new Page("tenants, searched", "/tenants?search=99"),
        new Page("tenants for spreadsheets", "/tenants.csv"),
        new Page("a tenant", "/tenant?name=" + tenant),
        new Page("a tenant's dead tasks", "/tenant?state=dead&name=" + tenant),
        new Page("a task", "/task?id=9999900&tenant=" + tenant),
        new Page("a task that is not there", "/task?id=-1&tenant=" + tenant),
        new Page("graphs", "/graphs?tenant=" + tenant),
        new Page("why tasks wait", "/why?tenant=" + tenant),
        new Page("why tasks of a kind wait", "/why?kind=kind-1&tenant=" + tenant),
        new Page("kinds, a day", "/kinds"),
        new Page("kinds, a week", "/kinds?" + WEEK),
        new Page("a kind", "/kind?name=kind-1"),
        new Page("a kind, a week", "/kind?name=kind-1&" + WEEK),
        new Page("pipelines", "/pipelines"),
        new Page("running", "/running"),
        new Page("failures, a day", "/failures"),
        new Page("failures, a week", "/failures?" + WEEK),
        new Page("failures of a kind", "/failures?kind=kind-1"),
        new Page("failures of a tenant", "/failures?tenant=" + tenant),
        new Page("schedules", "/schedules"),
        new Page("schedules, searched", "/schedules?search=99"),
        new Page("schedules, the next 50", "/schedules?after-tenant=tenant-000500&after=hourly"),
        new Page("schedules of a tenant", "/schedules?tenant=" + tenant),
        new Page("limits", "/limits"),
        new Page("workers", "/workers"),
        new Page("storage", "/storage"),
        new Page("audit", "/audit"),
        new Page("audit of a tenant", "/audit?tenant=" + tenant),
        new Page("form to redrive", "/actions/redrive"),
        new Page("preview: redrive a tenant", "/actions/redrive?tenant=" + tenant),
        new Page("preview: redrive an error", "/actions/redrive?fingerprint=1&kind=kind-1"),
        new Page("preview: cancel", "/actions/cancel?tenant=" + tenant),
        new Page("preview: enqueue", "/actions/enqueue?kind=kind-1&tenant=" + tenant));
  }

  /** The pages that viewers keep open, one each and then from the first again. */
  static List<String> watched(String tenant) {
    return List.of(
        "/",
        "/tenants",
        "/tenant?name=" + tenant,
        "/",
        "/failures",
        "/running",
        "/kinds",
        "/",
        "/workers",
        "/storage",
        "/schedules",
        "/limits",
        "/audit");
  }
}
