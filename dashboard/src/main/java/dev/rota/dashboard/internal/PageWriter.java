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
    boolean mayChange = status == 200 || status >= 500;
    int every = mayChange ? every(visit, view) : 0;
    Frame frame =
        new Frame(
            view,
            navigation(visit, view),
            files(visit.links()),
            status(visit, view, every),
            every == 0 ? null : new Frame.Refresh(visit.links().self(), every));
    StringOutput page = new StringOutput();
    templates.render("page.jte", frame, page);
    return Responses.html(status, page.toString());
  }

  /** The seconds after which a page renews itself: as its viewer chose, or else as it suits it. */
  private static int every(Visit visit, View view) {
    if (view.every() == 0) {
      return 0;
    }
    return switch (visit.parameter(Links.LIVE).orElse("")) {
      case OFF -> 0;
      case "2" -> View.OFTEN;
      case "10" -> View.SELDOM;
      default -> view.every();
    };
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

  private Frame.Status status(Visit visit, View view, int every) {
    Links links = visit.links();
    Choices live =
        new Choices(
            "Renew",
            List.of(
                renewal(links, view, View.OFTEN, every),
                renewal(links, view, View.SELDOM, every),
                new Choice(OFF, links.with(Links.LIVE, OFF), every == 0)));
    boolean leads = isLed();
    return new Frame.Status(
        visit.viewer().name(),
        leads ? "a daemon leads" : "no daemon is seen to lead",
        !leads,
        live);
  }

  private static Choice renewal(Links links, View view, int seconds, int chosen) {
    return new Choice(
        "every " + seconds + " s",
        view.every() == seconds
            ? links.without(Links.LIVE)
            : links.with(Links.LIVE, Integer.toString(seconds)),
        seconds == chosen);
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
