package dev.rota.dashboard.internal.read;

import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.MissingException;
import dev.rota.dashboard.internal.view.Numbers;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.graph.GraphNode;
import dev.rota.graph.GraphProgress;
import dev.rota.history.HistoryFilter;
import dev.rota.history.RecentAttempts;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantPage;
import dev.rota.insight.TenantQuery;
import dev.rota.insight.TenantQuery.Order;
import dev.rota.limits.Explanation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads of the tenants that a visit names and its viewer sees. Visits that ask for the same within
 * two seconds share it. Thread-safe.
 */
public final class TenantReads {

  /** The parameter that filters attempts by their state. */
  public static final String STATE = "state";

  /** The parameter with the number of rows to skip. */
  public static final String FROM = "from";

  /** The number of tasks of a graph that are listed at most. */
  public static final int MOST_NODES = 2_000;

  private static final int MOST_TENANTS = 10_000;
  private static final int MOST_OFFSET = 1_000_000;
  private static final int MOST_ATTEMPTS = 100;
  private static final Duration BUDGET = Duration.ofMillis(80);
  private static final String TENANT = "tenant";
  private static final List<Order> ORDERS = List.of(Order.values());

  /** The parameter that asks for shares of handlers. */
  public static final String SHARES = "shares";

  /** The states by which attempts can be filtered. */
  public static final List<TaskState> STATES =
      List.of(TaskState.DEAD, TaskState.FAILED, TaskState.RUNNING, TaskState.DONE);

  private final Rota rota;
  private final SharedReads reads;

  TenantReads(Rota rota, SharedReads reads) {
    this.rota = rota;
    this.reads = reads;
  }

  /** The order of tenants that a visit asks for. */
  public static Order order(Visit visit) {
    return Constants.named("order", visit.parameter("order").orElse("pending"), ORDERS);
  }

  /** The number of tenants that a visit skips. */
  public static int from(Visit visit) {
    return Numbers.of(visit.request(), FROM, 0, 0, MOST_OFFSET);
  }

  /** The state of attempts that a visit asks for. */
  public static Optional<TaskState> state(Visit visit) {
    return visit.parameter(STATE).map(named -> Constants.named(STATE, named, STATES));
  }

  /** One page of the tenants that match the search of a visit. */
  public TenantPage tenants(Visit visit) {
    TenantQuery query = query(visit);
    int from = from(visit);
    if (visit.viewer().tenants().isEmpty()) {
      return reads.get(
          List.of("tenants", query, from),
          () -> rota.insight().tenants(query.page(from, PlatformReads.ROWS)));
    }
    List<TenantActivity> seen = seen(visit, query);
    return new TenantPage(
        seen.stream().skip(from).limit(PlatformReads.ROWS).toList(),
        seen.size(),
        found(query, 0).readAt());
  }

  /** The tenants that match the search of a visit and its viewer sees, at most 10,000 of them. */
  public List<TenantActivity> all(Visit visit) {
    TenantQuery query = query(visit);
    return visit.viewer().tenants().isEmpty() ? found(query, 0).tenants() : seen(visit, query);
  }

  private static TenantQuery query(Visit visit) {
    TenantQuery all = TenantQuery.all().orderedBy(order(visit));
    return visit.parameter("search").map(String::strip).map(all::containing).orElse(all);
  }

  private TenantPage found(TenantQuery query, int from) {
    return reads.get(
        List.of("all tenants", query, from),
        () -> rota.insight().tenants(query.page(from, MOST_TENANTS)));
  }

  /** The tenants of a viewer of some; they may be anywhere among those of all viewers. */
  private List<TenantActivity> seen(Visit visit, TenantQuery query) {
    List<TenantActivity> seen = new ArrayList<>();
    long matching = MOST_TENANTS;
    for (int from = 0; from < matching && seen.size() < MOST_TENANTS; from += MOST_TENANTS) {
      TenantPage page = found(query, from);
      page.tenants().stream()
          .filter(tenant -> visit.viewer().sees(tenant.name()))
          .forEach(seen::add);
      matching = page.matching();
    }
    return List.copyOf(seen.subList(0, Math.min(seen.size(), MOST_TENANTS)));
  }

  /** The figures of a tenant. */
  public Optional<TenantActivity> activity(String name) {
    return reads.get(List.of(TENANT, name), () -> rota.insight().tenant(name));
  }

  /** The name of a tenant that a visit has to have in a parameter, and its viewer to see. */
  public static String tenant(Visit visit, String parameter) {
    String name = visit.required(parameter);
    visit.require(name);
    return name;
  }

  /** The newest attempts of a tenant, of the state that a visit asks for. */
  public RecentAttempts attempts(Visit visit, String tenant) {
    HistoryFilter all = HistoryFilter.all().limit(PlatformReads.ROWS);
    Optional<TaskState> state = state(visit);
    Optional<String> kind = visit.parameter("kind");
    HistoryFilter ofState = state.map(only -> all.states(only)).orElse(all);
    return recent(visit, tenant, List.of(state, kind), kind.map(ofState::kind).orElse(ofState));
  }

  /** The newest attempts at the task that a visit names. */
  public RecentAttempts task(Visit visit, String tenant) {
    long id = id(visit);
    HistoryFilter ofTask = HistoryFilter.all().taskId(id).limit(MOST_ATTEMPTS);
    return recent(visit, tenant, List.of(id), ofTask);
  }

  /** The number of the thing that a visit has to name. */
  public static long id(Visit visit) {
    return Inputs.number("id", visit.required("id"));
  }

  private RecentAttempts recent(Visit visit, String tenant, List<?> which, HistoryFilter filter) {
    Optional<String> after = visit.parameter("after");
    HistoryFilter wanted = after.map(filter::after).orElse(filter);
    return reads.getSparingly(
        List.of("attempts", which, after, tenant),
        () -> rota.tenants().get(tenant).history().recent(wanted, BUDGET));
  }

  /** The newest graphs of a tenant. */
  public List<GraphProgress> graphs(String tenant) {
    return reads.get(
        List.of("graphs", tenant),
        () -> rota.tenants().get(tenant).graphs().list(PlatformReads.ROWS));
  }

  /**
   * The progress of a graph.
   *
   * @throws MissingException if the tenant has no such graph
   */
  public GraphProgress graph(String tenant, long id) {
    return reads
        .get(List.of("graph", id, tenant), () -> rota.tenants().get(tenant).graphs().find(id))
        .orElseThrow(
            () ->
                new MissingException(
                    "Tenant %s has no graph %d. The daemon removes graphs some time after they finished."
                        .formatted(tenant, id)));
  }

  /** The first tasks of a graph. */
  public List<GraphNode> nodes(String tenant, long id) {
    return reads.get(
        List.of("nodes", id, tenant),
        () -> rota.tenants().get(tenant).graphs().nodes(id, 0, MOST_NODES));
  }

  /** Whether a visit asks for shares of handlers, which takes a second to measure. */
  public static boolean asksForShares(Visit visit) {
    return visit.parameter(SHARES).isPresent();
  }

  /** Why tasks of a tenant, or those of the kind that a visit names, do not begin. */
  public Explanation why(Visit visit, String tenant) {
    Optional<String> kind = visit.parameter("kind");
    boolean measured = asksForShares(visit);
    return reads.getSparingly(
        List.of("why", measured, kind, tenant), () -> explain(tenant, kind, measured));
  }

  private Explanation explain(String tenant, Optional<String> kind, boolean measured) {
    if (!measured) {
      return rota.controls().whyWithoutShares(tenant, kind);
    }
    return kind.map(only -> rota.controls().why(tenant, only))
        .orElseGet(() -> rota.controls().why(tenant));
  }
}
