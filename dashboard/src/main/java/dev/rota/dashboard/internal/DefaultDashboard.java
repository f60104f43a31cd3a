package dev.rota.dashboard.internal;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.UnknownTenantException;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardAccess;
import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.DashboardResponse;
import dev.rota.dashboard.internal.Frame.Entry;
import dev.rota.dashboard.internal.View.Choice;
import dev.rota.dashboard.internal.View.Choices;
import dev.rota.dashboard.internal.View.Note;
import dev.rota.dashboard.internal.View.Notes;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Default implementation of {@link Dashboard}: finds the page of a request and renders it. */
public final class DefaultDashboard implements Dashboard {

  private static final Logger log = LoggerFactory.getLogger(DefaultDashboard.class);

  private static final String ASSETS = "/assets/";
  private static final String LIVE = "live";
  private static final String OFF = "off";
  private static final int WORTH_COMPRESSING = 1_024;

  private static final Map<String, String> NAVIGATION = navigation();

  private final DashboardAccess access;
  private final Assets assets = new Assets();
  private final FlowSeries flow = new FlowSeries();
  private final Pages pages;
  private final Map<String, BiFunction<Links, DashboardRequest, View>> routes =
      new LinkedHashMap<>();
  private final TemplateEngine templates =
      TemplateEngine.createPrecompiled(
          null,
          ContentType.Html,
          DefaultDashboard.class.getClassLoader(),
          "dev.rota.dashboard.templates");

  private DefaultDashboard(Rota rota, DashboardAccess access) {
    this.access = access;
    SharedReads reads = new SharedReads();
    this.pages = new Pages(rota, reads, flow);
    TenantPages tenants = new TenantPages(rota, reads);
    FailurePages failures = new FailurePages(rota, reads, pages);
    SchedulePages schedules = new SchedulePages(rota, reads, pages);
    routes.put("/", (links, request) -> pages.overview(links));
    routes.put("/tenants", tenants::tenants);
    routes.put("/tenant", tenants::tenant);
    routes.put("/kinds", (links, request) -> pages.kinds(links, Hours.of(request)));
    routes.put("/running", (links, request) -> pages.running(links));
    routes.put("/failures", failures::failures);
    routes.put("/schedules", schedules::schedules);
    routes.put("/workers", (links, request) -> pages.workers());
    routes.put("/storage", (links, request) -> pages.storage());
  }

  public static Builder builder(Rota rota) {
    return new DashboardBuilder(rota);
  }

  private static final class DashboardBuilder implements Builder {

    private final Rota rota;
    private DashboardAccess access = DashboardAccess.everyone();

    DashboardBuilder(Rota rota) {
      this.rota = Objects.requireNonNull(rota, "rota");
    }

    @Override
    public Builder access(DashboardAccess newAccess) {
      access = Objects.requireNonNull(newAccess, "access");
      return this;
    }

    @Override
    public Dashboard build() {
      return new DefaultDashboard(rota, access);
    }
  }

  private static Map<String, String> navigation() {
    Map<String, String> entries = new LinkedHashMap<>();
    entries.put("/", "Overview");
    entries.put("/tenants", "Tenants");
    entries.put("/kinds", "Kinds");
    entries.put("/running", "Running");
    entries.put("/failures", "Failures");
    entries.put("/schedules", "Schedules");
    entries.put("/workers", "Workers");
    entries.put("/storage", "Storage");
    return entries;
  }

  @Override
  public DashboardResponse handle(DashboardRequest request) {
    if (!Set.of("GET", "HEAD").contains(request.method())) {
      return Responses.text(405, "the dashboard only reads");
    }
    String path = request.location().path();
    if (path.equals("/healthz")) {
      return Responses.text(200, "ok");
    }
    Optional<String> viewer = access.viewer(request);
    if (viewer.isEmpty()) {
      return Responses.text(403, "you may not see this dashboard");
    }
    if (path.startsWith(ASSETS)) {
      return assets
          .answer(path.substring(ASSETS.length()), request)
          .orElseGet(() -> Responses.text(404, "there is no such file"));
    }
    return compressed(request, answer(request, viewer.get()));
  }

  private DashboardResponse answer(DashboardRequest request, String viewer) {
    try {
      if (request.location().path().equals("/chart.json")) {
        return chart();
      }
      var route = routes.get(request.location().path());
      return route == null
          ? trouble(request, viewer, 404, "There is no such page.")
          : page(request, viewer, 200, route.apply(new Links(request), request));
    } catch (UnknownTenantException e) {
      return trouble(request, viewer, 404, String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      return trouble(request, viewer, 400, String.valueOf(e.getMessage()));
    } catch (DatabaseException e) {
      return trouble(request, viewer, 503, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      log.warn("the dashboard could not show {}", request.location().path(), e);
      return trouble(request, viewer, 500, "The page could not be made: " + e);
    }
  }

  private DashboardResponse chart() {
    var unused = pages.overview();
    return Responses.json(flow.json());
  }

  private DashboardResponse trouble(
      DashboardRequest request, String viewer, int status, String text) {
    Note note = new Note(text, null, true);
    View view = new View("Not shown", "", List.of(new Notes("Why", List.of(note), "")));
    return page(request, viewer, status, view);
  }

  private DashboardResponse page(DashboardRequest request, String viewer, int status, View view) {
    Links links = new Links(request);
    boolean mayChange = status == 200 || status >= 500;
    boolean isLive = mayChange && !request.parameter(LIVE).equals(Optional.of(OFF));
    Frame frame =
        new Frame(
            view,
            NAVIGATION.entrySet().stream()
                .map(each -> entry(links, each.getKey(), each.getValue(), view))
                .toList(),
            files(links),
            status(links, viewer, isLive),
            isLive ? links.self() : null);
    StringOutput page = new StringOutput();
    templates.render("page.jte", frame, page);
    return Responses.html(status, page.toString());
  }

  private static Entry entry(Links links, String path, String label, View view) {
    return new Entry(label, links.to(path), path.equals(view.section()));
  }

  private Frame.Files files(Links links) {
    return new Frame.Files(
        List.of(links.to(assets.path("uplot.css")), links.to(assets.path("dashboard.css"))),
        List.of(
            links.to(assets.path("htmx.js")),
            links.to(assets.path("uplot.js")),
            links.to(assets.path("dashboard.js"))));
  }

  private Frame.Status status(Links links, String viewer, boolean isLive) {
    Choices live =
        new Choices(
            "Renew",
            List.of(
                new Choice("every 2 s", links.without(LIVE), isLive),
                new Choice(OFF, links.with(LIVE, OFF), !isLive)));
    boolean leads = isLed();
    return new Frame.Status(
        viewer, leads ? "a daemon leads" : "no daemon is seen to lead", !leads, live);
  }

  /** Whether a daemon leads, as far as the database answers. */
  private boolean isLed() {
    try {
      return pages.overview().alive().leads();
    } catch (RotaException e) {
      log.debug("the dashboard could not look for a daemon", e);
      return false;
    }
  }

  private static DashboardResponse compressed(
      DashboardRequest request, DashboardResponse response) {
    if (response.length() < WORTH_COMPRESSING || !Assets.acceptsGzip(request)) {
      return response;
    }
    return Responses.compressed(response);
  }
}
