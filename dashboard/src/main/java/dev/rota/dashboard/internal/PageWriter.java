package dev.rota.dashboard.internal;

import dev.rota.RotaException;
import dev.rota.dashboard.DashboardResponse;
import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.view.Frame;
import dev.rota.dashboard.internal.view.Frame.Entry;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.Visit;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes pages as HTML, with what surrounds them. Thread-safe. */
final class PageWriter {

  private static final Logger log = LoggerFactory.getLogger(PageWriter.class);

  private static final String OFF = "off";

  private final List<Route> routes;
  private final Assets assets;
  private final PlatformReads reads;
  private final TemplateEngine templates =
      TemplateEngine.createPrecompiled(
          null,
          ContentType.Html,
          PageWriter.class.getClassLoader(),
          "dev.rota.dashboard.templates");

  PageWriter(List<Route> routes, Assets assets, PlatformReads reads) {
    this.routes = routes;
    this.assets = assets;
    this.reads = reads;
  }

  DashboardResponse page(Visit visit, int status, View view) {
    boolean mayChange = view.renews() && (status == 200 || status >= 500);
    boolean isLive = mayChange && !visit.parameter(Links.LIVE).equals(Optional.of(OFF));
    Frame frame =
        new Frame(
            view,
            navigation(visit, view),
            files(visit.links()),
            status(visit, isLive),
            isLive ? visit.links().self() : null);
    StringOutput page = new StringOutput();
    templates.render("page.jte", frame, page);
    return Responses.html(status, page.toString());
  }

  private List<Entry> navigation(Visit visit, View view) {
    return routes.stream()
        .filter(route -> !route.label().isEmpty() && route.isOpenTo(visit))
        .map(
            route ->
                new Entry(
                    route.label(),
                    visit.links().to(route.path()),
                    route.path().equals(view.section())))
        .toList();
  }

  private Frame.Files files(Links links) {
    return new Frame.Files(
        List.of(links.file(assets.path("uplot.css")), links.file(assets.path("dashboard.css"))),
        List.of(
            links.file(assets.path("htmx.js")),
            links.file(assets.path("uplot.js")),
            links.file(assets.path("dashboard.js"))));
  }

  private Frame.Status status(Visit visit, boolean isLive) {
    Links links = visit.links();
    Choices live =
        new Choices(
            "Renew",
            List.of(
                new Choice("every 2 s", links.without(Links.LIVE), isLive),
                new Choice(OFF, links.with(Links.LIVE, OFF), !isLive)));
    boolean leads = isLed();
    return new Frame.Status(
        visit.viewer().name(),
        leads ? "a daemon leads" : "no daemon is seen to lead",
        !leads,
        live);
  }

  /** Whether a daemon leads, as far as the database answers. */
  private boolean isLed() {
    try {
      return reads.isLed();
    } catch (RotaException e) {
      log.debug("the dashboard could not look for a daemon", e);
      return false;
    }
  }
}
