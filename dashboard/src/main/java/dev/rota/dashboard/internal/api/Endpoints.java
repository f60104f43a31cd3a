package dev.rota.dashboard.internal.api;

import dev.rota.Attempt;
import dev.rota.dashboard.PayloadRenderer;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.internal.action.Operations;
import dev.rota.dashboard.internal.api.ApiObjects.AttemptEntry;
import dev.rota.dashboard.internal.api.ApiObjects.Attempts;
import dev.rota.dashboard.internal.api.ApiObjects.Audit;
import dev.rota.dashboard.internal.api.ApiObjects.AuditRow;
import dev.rota.dashboard.internal.api.ApiObjects.BatchEntry;
import dev.rota.dashboard.internal.api.ApiObjects.ErrorTenants;
import dev.rota.dashboard.internal.api.ApiObjects.Errors;
import dev.rota.dashboard.internal.api.ApiObjects.Failure;
import dev.rota.dashboard.internal.api.ApiObjects.GraphDetail;
import dev.rota.dashboard.internal.api.ApiObjects.GraphList;
import dev.rota.dashboard.internal.api.ApiObjects.KindEntry;
import dev.rota.dashboard.internal.api.ApiObjects.Kinds;
import dev.rota.dashboard.internal.api.ApiObjects.Rules;
import dev.rota.dashboard.internal.api.ApiObjects.Running;
import dev.rota.dashboard.internal.api.ApiObjects.ScheduleState;
import dev.rota.dashboard.internal.api.ApiObjects.Schedules;
import dev.rota.dashboard.internal.api.ApiObjects.ScopeRule;
import dev.rota.dashboard.internal.api.ApiObjects.UnhandledKinds;
import dev.rota.dashboard.internal.api.ApiObjects.WorkerEntry;
import dev.rota.dashboard.internal.api.ApiObjects.Workers;
import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.read.Reads;
import dev.rota.dashboard.internal.read.TenantReads;
import dev.rota.dashboard.internal.view.Hours;
import dev.rota.dashboard.internal.view.MissingException;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.history.RecentAttempts;
import dev.rota.insight.Overview;
import dev.rota.insight.StorageReport;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantPage;
import dev.rota.insight.TenantsOfKind;
import dev.rota.limits.Explanation;
import dev.rota.limits.LiveShares;
import dev.rota.limits.Scope;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The reads of the API: those of the pages. Names of tenants are parameters, since they may have
 * slashes, which servlet containers refuse in paths. Thread-safe.
 */
final class Endpoints {

  private static final String TENANT = "tenant*";
  private static final List<String> NONE = List.of();
  private static final List<String> OF_TENANT = List.of(TENANT);
  private static final List<String> OF_ONE = List.of(TENANT, "id*");

  private final PlatformReads platform;
  private final TenantReads tenants;
  private final Operations operations;
  private final PayloadRenderer payloads;

  Endpoints(Reads reads, Operations operations, PayloadRenderer payloads) {
    this.platform = reads.platform();
    this.tenants = reads.tenants();
    this.operations = operations;
    this.payloads = payloads;
  }

  List<Endpoint> all() {
    return Stream.of(ofPlatform(), ofKinds(), ofTenants(), ofChanges())
        .flatMap(List::stream)
        .toList();
  }

  private List<Endpoint> ofPlatform() {
    return List.of(
        Endpoint.ofAll(
            "/overview",
            "Sums over all tenants, estimated from counters of the server",
            NONE,
            Overview.class,
            visit -> platform.overview()),
        Endpoint.ofAll(
            "/running",
            "Open batches, the longest claimed first",
            NONE,
            Running.class,
            visit -> new Running(platform.running().stream().map(BatchEntry::of).toList())),
        Endpoint.ofAll(
            "/workers",
            "Processes that hold batches or are registered to",
            NONE,
            Workers.class,
            visit -> new Workers(platform.workers().stream().map(WorkerEntry::of).toList())),
        Endpoint.ofAll(
            "/storage",
            "Rotation, segments, archive, and the oldest transaction",
            NONE,
            StorageReport.class,
            visit -> platform.storage()),
        Endpoint.ofAll(
            "/limits",
            "Rules of scopes",
            NONE,
            Rules.class,
            visit -> new Rules(platform.rules().stream().map(ScopeRule::of).toList())),
        Endpoint.ofAll(
            "/shares",
            "Shares of the busiest tenants, measured over a second",
            NONE,
            LiveShares.class,
            visit -> platform.shares()),
        Endpoint.ofAll(
            "/error-tenants",
            "Tenants that had an error",
            List.of("fingerprint*", "hours"),
            ErrorTenants.class,
            this::errorTenants));
  }

  private List<Endpoint> ofKinds() {
    return List.of(
        Endpoint.ofAll(
            "/kinds",
            "What became of attempts of each kind, as workers counted them",
            List.of("hours"),
            Kinds.class,
            this::kinds),
        Endpoint.ofAll(
            "/kind-tenants",
            "The ten tenants with the most attempts of a kind, and since when",
            List.of("kind*", "hours"),
            TenantsOfKind.class,
            this::tenantsOf),
        Endpoint.ofAll(
            "/unhandled-kinds",
            "Kinds whose tasks stay pending: no living process has told of a handler",
            NONE,
            UnhandledKinds.class,
            visit -> new UnhandledKinds(platform.unhandledKinds())));
  }

  private List<Endpoint> ofTenants() {
    return List.of(
        Endpoint.of(
            "/tenants",
            "A page of tenants with what they have to do",
            List.of("search", "order", "from"),
            TenantPage.class,
            tenants::tenants),
        Endpoint.of(
            "/tenant",
            "A tenant with what it has to do",
            OF_TENANT,
            TenantActivity.class,
            this::tenant),
        Endpoint.of(
            "/attempts",
            "Newest attempts of a tenant, as far as one bounded look finds them",
            List.of(TENANT, "state", "kind", "after"),
            Attempts.class,
            visit -> attempts(visit, tenants.attempts(visit, of(visit)))),
        Endpoint.of(
            "/task",
            "Attempts at a task, as far as one bounded look finds them",
            List.of(TENANT, "id*", "after"),
            Attempts.class,
            visit -> attempts(visit, tenants.task(visit, of(visit)))),
        Endpoint.of(
            "/graphs",
            "Newest graphs of a tenant",
            OF_TENANT,
            GraphList.class,
            visit -> new GraphList(tenants.graphs(of(visit)))),
        Endpoint.of(
            "/graph",
            "A graph with its first 2,000 tasks and what depends on them",
            OF_ONE,
            GraphDetail.class,
            this::graph),
        Endpoint.of(
            "/why",
            "Why tasks of a tenant do not begin",
            List.of(TENANT, "kind", "shares"),
            Explanation.class,
            visit -> tenants.why(visit, of(visit))));
  }

  private List<Endpoint> ofChanges() {
    return List.of(
        Endpoint.of(
            "/errors",
            "Errors of failed attempts; those that differ only in identifiers are one",
            List.of("hours", "kind", "tenant"),
            Errors.class,
            this::errors),
        Endpoint.of(
            "/schedules",
            "A page of schedules; the next begins after the last one of this",
            List.of("tenant", "search", "after-tenant", "after"),
            Schedules.class,
            visit ->
                new Schedules(platform.schedules(visit).stream().map(ScheduleState::of).toList())),
        Endpoint.of(
            "/audit",
            "Changes that people made, the latest first",
            List.of("tenant", "before"),
            Audit.class,
            visit -> new Audit(platform.audit(visit).stream().map(AuditRow::of).toList())),
        Endpoint.of(
            "/operation",
            "A change, and how far it is",
            List.of("id*"),
            AuditRow.class,
            visit -> AuditRow.of(operations.entry(visit))));
  }

  private static String of(Visit visit) {
    return TenantReads.tenant(visit, "tenant");
  }

  private Kinds kinds(Visit visit) {
    int hours = Hours.of(visit.request());
    return new Kinds(hours, platform.kinds(hours).stream().map(KindEntry::of).toList());
  }

  private TenantsOfKind tenantsOf(Visit visit) {
    String kind = Scope.kind(visit.required("kind")).kind().orElseThrow();
    return platform.tenantsOf(kind, Hours.of(visit.request()));
  }

  private Errors errors(Visit visit) {
    return new Errors(
        Hours.of(visit.request()), platform.errors(visit).stream().map(Failure::of).toList());
  }

  private ErrorTenants errorTenants(Visit visit) {
    return new ErrorTenants(visit.required("fingerprint"), platform.tenantsWithError(visit));
  }

  private TenantActivity tenant(Visit visit) {
    String name = of(visit);
    return tenants
        .activity(name)
        .orElseThrow(() -> new MissingException("Tenant " + name + " is not known."));
  }

  private GraphDetail graph(Visit visit) {
    String name = of(visit);
    long id = TenantReads.id(visit);
    return new GraphDetail(tenants.graph(name, id), tenants.nodes(name, id));
  }

  /** Attempts with their payloads and headers, if the viewer may see them. */
  private Attempts attempts(Visit visit, RecentAttempts recent) {
    boolean mayRead = visit.viewer().may(Right.PAYLOAD);
    String tenant = of(visit);
    return new Attempts(
        recent.attempts().stream()
            .map(each -> AttemptEntry.of(each, mayRead ? payload(tenant, each) : Optional.empty()))
            .toList(),
        recent.nextCursor(),
        recent.looked());
  }

  private Optional<String> payload(String tenant, Attempt attempt) {
    return Optional.of(payloads.render(tenant, attempt.kind(), attempt.payload()));
  }
}
