package dev.rota.dashboard.internal.read;

import dev.rota.Rota;
import dev.rota.admin.DatabaseStatus;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditQuery;
import dev.rota.dashboard.internal.view.Hours;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.history.HourlyStatistics;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.KindActivity;
import dev.rota.insight.Overview;
import dev.rota.insight.RunningBatch;
import dev.rota.insight.ScheduleEntry;
import dev.rota.insight.ScheduleQuery;
import dev.rota.insight.StorageReport;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantErrors;
import dev.rota.insight.TenantQuery;
import dev.rota.insight.TenantQuery.Order;
import dev.rota.insight.TenantsOfKind;
import dev.rota.insight.UnhandledKind;
import dev.rota.insight.WorkerActivity;
import dev.rota.limits.LiveShares;
import dev.rota.limits.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Reads across tenants, as visits ask for them. Visits that ask for the same within two seconds
 * share it. Thread-safe.
 */
public final class PlatformReads {

  /** The number of rows on one page of a list. */
  public static final int ROWS = 50;

  /** The number of batches that are listed at most. */
  public static final int MOST_BATCHES = 200;

  /** The time over which shares of handlers are measured. */
  public static final Duration SHARES_WINDOW = Duration.ofSeconds(1);

  private static final List<String> OVERVIEW = List.of("overview");
  private static final int TOP = 10;
  private static final int DAY = 24;
  private static final int MOST_ERRORS = 200;

  /** The parameter with the tenant of the last schedule of the page before. */
  public static final String AFTER_TENANT = "after-tenant";

  private final Rota rota;
  private final SharedReads reads;
  private final FlowSeries flow = new FlowSeries();

  PlatformReads(Rota rota, SharedReads reads) {
    this.rota = rota;
    this.reads = reads;
  }

  public Overview overview() {
    return reads.get(
        OVERVIEW,
        () -> {
          Overview read = rota.insight().overview();
          flow.add(read);
          return read;
        });
  }

  /** The time by the clock of the database, at most two seconds ago. */
  public Instant now() {
    return server().server().readAt();
  }

  /** Whether a daemon leads; the overview tells it too, if it is known. */
  public boolean isLed() {
    return reads
        .<Overview>known(OVERVIEW)
        .map(overview -> overview.alive().leads())
        .orElseGet(() -> server().leader().isPresent());
  }

  /** The state of the server, which costs less than the overview of all tenants. */
  private DatabaseStatus server() {
    return reads.get(List.of("server"), rota.admin()::summary);
  }

  /** The overviews of the last quarter of an hour, as {@link FlowSeries#json()}. */
  public String flow() {
    var unused = overview();
    return flow.json();
  }

  /** The tenants that come first in an order. */
  public List<TenantActivity> top(Order order) {
    return reads.get(
        List.of("top", order),
        () -> rota.insight().tenants(TenantQuery.all().orderedBy(order).page(0, TOP)).tenants());
  }

  /** What became of attempts in the last hours. */
  public List<KindActivity> kinds(int hours) {
    Hours.Span span = Hours.before(now(), hours);
    return reads.getSparingly(
        List.of("kinds", hours), () -> rota.insight().kinds(span.from(), span.to()));
  }

  /** What became of attempts of one kind in each hour of the last day. */
  public List<HourlyStatistics> lastDay(String kind) {
    Hours.Span span = Hours.before(now(), DAY - 1);
    return reads.get(
        List.of("hours of kind", kind), () -> rota.insight().hours(kind, span.from(), span.to()));
  }

  /** The tenants with the most attempts of a kind in the last hours. */
  public TenantsOfKind tenantsOf(String kind, int hours) {
    Hours.Span span = Hours.before(now(), hours);
    return reads.getSparingly(
        List.of("tenants of kind", kind, hours),
        () -> rota.insight().tenantsOf(kind, span.from(), span.to(), TOP));
  }

  /** The kinds whose tasks no living worker runs. */
  public List<UnhandledKind> unhandledKinds() {
    return reads.get(List.of("unhandled kinds"), rota.insight()::unhandledKinds);
  }

  public List<RunningBatch> running() {
    return reads.get(List.of("running"), () -> rota.insight().running(MOST_BATCHES));
  }

  public List<WorkerActivity> workers() {
    return reads.get(List.of("workers"), rota.insight()::workers);
  }

  public StorageReport storage() {
    return reads.getSparingly(List.of("storage"), rota.insight()::storage);
  }

  /** The errors of the hours, the kind and the tenant that a visit names. */
  public List<ErrorActivity> errors(Visit visit) {
    int hours = Hours.of(visit.request());
    return errors(hours, visit.parameter("kind"), visit.tenantFilter(), MOST_ERRORS);
  }

  /** The most frequent errors of a kind. */
  public List<ErrorActivity> errors(int hours, String kind) {
    return errors(hours, Optional.of(kind), Optional.empty(), TOP);
  }

  private List<ErrorActivity> errors(
      int hours, Optional<String> kind, Optional<String> tenant, int most) {
    ErrorQuery all = lastHours(hours).limit(most);
    ErrorQuery ofKind = kind.map(all::kind).orElse(all);
    ErrorQuery query = tenant.map(ofKind::tenant).orElse(ofKind);
    return reads.getSparingly(
        List.of("errors", hours, kind, tenant, most), () -> rota.insight().errors(query));
  }

  private ErrorQuery lastHours(int hours) {
    Hours.Span span = Hours.before(now(), hours);
    return ErrorQuery.between(span.from(), span.to());
  }

  /** The tenants that had the error of the fingerprint that a visit names. */
  public List<TenantErrors> tenantsWithError(Visit visit) {
    long fingerprint = Inputs.number("fingerprint", visit.required("fingerprint"));
    int hours = Hours.of(visit.request());
    ErrorQuery query = lastHours(hours);
    return reads.getSparingly(
        List.of("tenants with", fingerprint, hours),
        () -> rota.insight().tenantsWith(fingerprint, query));
  }

  /** The schedules of the tenant that a visit names, or a page of those that match its search. */
  public List<ScheduleEntry> schedules(Visit visit) {
    Optional<String> tenant = visit.tenantFilter();
    if (tenant.isPresent()) {
      return ofTenant(tenant.get());
    }
    ScheduleQuery all = position(visit).limit(ROWS);
    ScheduleQuery query =
        visit.parameter("search").map(String::strip).map(all::containing).orElse(all);
    return reads.get(List.of("schedules", query), () -> rota.insight().schedules(query));
  }

  private List<ScheduleEntry> ofTenant(String tenant) {
    return reads.get(
        List.of("schedules of", tenant),
        () ->
            rota.tenants().get(tenant).schedules().list().stream()
                .map(schedule -> new ScheduleEntry(tenant, schedule))
                .toList());
  }

  private static ScheduleQuery position(Visit visit) {
    Optional<String> tenant = visit.parameter(AFTER_TENANT);
    Optional<String> name = visit.parameter("after");
    ScheduleQuery all = ScheduleQuery.all();
    return tenant.isPresent() && name.isPresent()
        ? new ScheduleQuery(
            all.search(),
            Optional.of(new ScheduleQuery.Position(tenant.get(), name.get())),
            all.limit())
        : all;
  }

  public List<Rule> rules() {
    return reads.get(List.of("rules"), rota.controls()::rules);
  }

  /** The shares of the busiest tenants, measured now. */
  public LiveShares shares() {
    return reads.get(List.of("shares"), () -> rota.controls().top(SHARES_WINDOW, ROWS));
  }

  /** A page of the audit: of the tenant that a visit names, before the entry that it names. */
  public List<AuditEntry> audit(Visit visit) {
    Optional<String> tenant = visit.tenantFilter();
    AuditQuery newest = AuditQuery.newest().limit(ROWS);
    AuditQuery all =
        visit
            .parameter("before")
            .map(id -> newest.before(Inputs.number("before", id)))
            .orElse(newest);
    AuditQuery query = tenant.map(all::tenant).orElse(all);
    return reads.get(List.of("audit", query), () -> rota.audit().list(query));
  }
}
