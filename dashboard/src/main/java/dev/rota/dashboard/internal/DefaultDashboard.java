package dev.rota.dashboard.internal;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardAccess;
import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.DashboardResponse;
import dev.rota.dashboard.PayloadRenderer;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.Viewer;
import dev.rota.dashboard.internal.action.Actions;
import dev.rota.dashboard.internal.action.Operations;
import dev.rota.dashboard.internal.api.Api;
import dev.rota.dashboard.internal.page.ActionPages;
import dev.rota.dashboard.internal.page.AuditPages;
import dev.rota.dashboard.internal.page.FailurePages;
import dev.rota.dashboard.internal.page.GraphPages;
import dev.rota.dashboard.internal.page.KindPages;
import dev.rota.dashboard.internal.page.LimitPages;
import dev.rota.dashboard.internal.page.PlatformPages;
import dev.rota.dashboard.internal.page.SchedulePages;
import dev.rota.dashboard.internal.page.TaskPages;
import dev.rota.dashboard.internal.page.TenantPages;
import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.read.Reads;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Refusal;
import dev.rota.dashboard.internal.view.Trouble;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Notes;
import dev.rota.dashboard.internal.view.Visit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Default implementation of {@link Dashboard}: finds the page of a request. */
public final class DefaultDashboard implements Dashboard {

  private static final Logger log = LoggerFactory.getLogger(DefaultDashboard.class);

  /** Where the process tells that it lives, without a look at the database. */
  static final String ALIVE = "/healthz";

  private static final String ASSETS = "/assets/";
  private static final String POST = "POST";
  private static final int WORTH_COMPRESSING = 1_024;

  private final Rota rota;
  private final DashboardAccess access;
  private final Assets assets = new Assets();
  private final FormGuard guard = new FormGuard();
  private final Reads reads;
  private final TenantPages tenants;
  private final ActionPages actions;
  private final Api api;
  private final Map<String, Route> routes;
  private final PageWriter writer;

  /** What pages show of tasks: payloads, and the address of a trace, if there are any. */
  private record Shown(PayloadRenderer payloads, @Nullable String traces) {}

  private DefaultDashboard(Rota rota, DashboardAccess access, Shown shown) {
    this.rota = rota;
    this.access = access;
    this.reads = Reads.of(rota);
    this.tenants = new TenantPages(reads.tenants());
    Operations operations = new Operations(rota.audit());
    Actions all = new Actions(rota, operations, reads.platform()::now);
    this.actions = new ActionPages(all);
    this.api = new Api(reads, all, operations, shown.payloads);
    List<Route> listed = routes(operations, shown);
    this.routes = listed.stream().collect(Collectors.toMap(Route::path, Function.identity()));
    this.writer = new PageWriter(listed, assets, reads.platform());
  }

  private List<Route> routes(Operations operations, Shown shown) {
    PlatformReads platform = reads.platform();
    PlatformPages pages = new PlatformPages(platform);
    KindPages kinds = new KindPages(platform);
    LimitPages limits = new LimitPages(reads);
    FailurePages failures = new FailurePages(platform);
    SchedulePages schedules = new SchedulePages(platform);
    AuditPages audit = new AuditPages(platform, operations);
    TaskPages tasks = new TaskPages(reads.tenants(), shown.payloads, shown.traces);
    GraphPages graphs = new GraphPages(reads.tenants());
    return List.of(
        Route.ofAll("/", "Overview", visit -> pages.overview(visit.links())),
        Route.of("/tenants", "Tenants", tenants::tenants),
        Route.of("/tenant", "", tenants::tenant),
        Route.of("/task", "", tasks::task),
        Route.of("/graphs", "", graphs::graphs),
        Route.of("/graph", "", graphs::graph),
        Route.of("/why", "", limits::why),
        Route.ofAll("/kinds", "Kinds", kinds::kinds),
        Route.ofAll("/kind", "", kinds::kind),
        Route.ofAll("/pipelines", "Pipelines", kinds::pipelines),
        Route.ofAll("/running", "Running", visit -> pages.running(visit.links())),
        Route.of("/failures", "Failures", failures::failures),
        Route.of("/schedules", "Schedules", schedules::schedules),
        Route.ofAll("/limits", "Limits", limits::limits),
        Route.ofAll("/workers", "Workers", visit -> pages.workers()),
        Route.ofAll("/storage", "Storage", visit -> pages.storage()),
        Route.of("/audit", "Audit", audit::audit),
        Route.of("/operation", "", audit::operation));
  }

  public static Builder builder(Rota rota) {
    return new DashboardBuilder(rota);
  }

  private static final class DashboardBuilder implements Builder {

    private final Rota rota;
    private DashboardAccess access = DashboardAccess.everyone();
    private PayloadRenderer payloads = PayloadRenderer.whole();
    private @Nullable String traces;

    DashboardBuilder(Rota rota) {
      this.rota = Objects.requireNonNull(rota, "rota");
    }

    @Override
    public Builder access(DashboardAccess newAccess) {
      access = Objects.requireNonNull(newAccess, "access");
      return this;
    }

    @Override
    public Builder payloads(PayloadRenderer view) {
      payloads = Objects.requireNonNull(view, "view");
      return this;
    }

    @Override
    public Builder traces(String address) {
      if (!address.matches("https?://.*\\{traceId}.*")) {
        throw new IllegalArgumentException(
            "the address of traces is '" + address + "'; use one such as https://host/{traceId}");
      }
      traces = address;
      return this;
    }

    @Override
    public Dashboard build() {
      return new DefaultDashboard(rota, access, new Shown(payloads, traces));
    }
  }

  @Override
  public DashboardResponse handle(DashboardRequest request) {
    if (!Set.of("GET", "HEAD", POST).contains(request.method())) {
      return Responses.text(405, "the dashboard takes GET, HEAD and POST");
    }
    String path = request.location().path();
    if (path.equals(ALIVE)) {
      return Responses.text(200, "ok");
    }
    if (path.equals("/readyz")) {
      return ready();
    }
    Optional<Viewer> viewer;
    try {
      viewer = access.viewer(request).filter(each -> each.may(Right.READ));
    } catch (RuntimeException e) {
      log.warn("the access of the dashboard could not tell who asks for {}", path, e);
      return Responses.text(500, "the dashboard cannot tell who you are; its log says why");
    }
    return viewer
        .map(known -> answer(new Visit(request, known)))
        .orElseGet(() -> Responses.text(403, "you may not see this dashboard"));
  }

  private DashboardResponse answer(Visit visit) {
    if (visit.path().startsWith(ASSETS)) {
      return assets
          .answer(visit.path().substring(ASSETS.length()), visit.request())
          .orElseGet(() -> Responses.text(404, "there is no such file"));
    }
    return compressed(
        visit.request(), rota.withStatementLimit(Refusal.LONGEST_STATEMENT, () -> found(visit)));
  }

  /** Whether the database answers; the look is shared with pages. */
  private DashboardResponse ready() {
    try {
      var unused = rota.withStatementLimit(Refusal.LONGEST_STATEMENT, reads.platform()::now);
      return Responses.text(200, "ok");
    } catch (RotaException e) {
      log.debug("the dashboard is not ready", e);
      return Responses.text(503, "the database does not answer");
    }
  }

  private DashboardResponse found(Visit visit) {
    try {
      return find(visit)
          .orElseGet(() -> refusal(visit, new Trouble(404, "There is no such page.")));
    } catch (RuntimeException e) {
      Trouble trouble = Trouble.of(e);
      if (trouble.status() == 500) {
        log.warn("the dashboard could not show {}", visit.path(), e);
      }
      return refusal(visit, trouble);
    }
  }

  private DashboardResponse refusal(Visit visit, Trouble trouble) {
    if (isOfApi(visit.path())) {
      return Responses.json(Api.trouble(trouble));
    }
    Notes why = new Notes("Why", List.of(new Note(trouble.text(), null, true)), "");
    return writer.page(visit, trouble.status(), new View("Not shown", "", List.of(why)));
  }

  private static boolean isOfApi(String path) {
    return path.startsWith(Api.ROOT + "/");
  }

  private DashboardResponse api(Visit visit) {
    if (!visit.request().method().equals(POST)) {
      return Responses.json(api.read(visit));
    }
    FormGuard.checkProgram(visit.request());
    return Responses.json(api.act(visit));
  }

  private Optional<DashboardResponse> find(Visit visit) {
    if (isOfApi(visit.path())) {
      return Optional.of(api(visit));
    }
    boolean ofAction = visit.path().startsWith(Links.ACTIONS);
    if (visit.request().method().equals(POST)) {
      FormGuard.check(visit.request());
      return ofAction ? posted(visit) : Optional.empty();
    }
    if (ofAction) {
      return form(visit);
    }
    if (visit.path().equals("/chart.json")) {
      return Optional.of(chart(visit));
    }
    if (visit.path().equals(TenantPages.CSV)) {
      return Optional.of(Responses.csv("tenants.csv", tenants.csv(visit)));
    }
    return Optional.ofNullable(routes.get(visit.path()))
        .map(route -> writer.page(visit, 200, route.show(visit)));
  }

  private Optional<DashboardResponse> posted(Visit visit) {
    return ActionPages.isPreview(visit) ? form(visit) : actions.act(visit).map(Responses::see);
  }

  /** The form of an action, with the cookie that its token is checked by. */
  private Optional<DashboardResponse> form(Visit visit) {
    String token = guard.token(visit.request());
    return actions
        .show(visit, FormGuard.fields(visit.request(), token))
        .map(view -> writer.page(visit, 200, view))
        .map(page -> Responses.with(page, FormGuard.cookie(visit.request(), token)));
  }

  private DashboardResponse chart(Visit visit) {
    visit.requireAllTenants();
    return Responses.json(new Api.Answer(200, reads.platform().flow()));
  }

  private static DashboardResponse compressed(
      DashboardRequest request, DashboardResponse response) {
    if (response.length() < WORTH_COMPRESSING || !Assets.acceptsGzip(request)) {
      return response;
    }
    return Responses.compressed(response);
  }
}
