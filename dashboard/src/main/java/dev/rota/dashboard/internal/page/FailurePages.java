package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.DashboardRequest;
import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.view.Hours;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.insight.ErrorActivity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Failed attempts over all tenants, by what their errors have in common. Thread-safe. */
public final class FailurePages {

  private final PlatformReads reads;

  public FailurePages(PlatformReads reads) {
    this.reads = reads;
  }

  public View failures(Visit visit) {
    Links links = visit.links();
    DashboardRequest request = visit.request();
    int hours = Hours.of(request);
    Optional<String> kind = request.parameter("kind");
    Optional<String> tenant = visit.tenantFilter();
    Instant now = reads.now();
    List<ErrorActivity> errors = reads.errors(visit);
    List<Block> toolbar = new ArrayList<>();
    toolbar.add(Hours.choices(links, hours));
    kind.ifPresent(only -> toolbar.add(filter(links, "Kind", "kind", only)));
    tenant.ifPresent(only -> toolbar.add(filter(links, "Tenant", "tenant", only)));
    return new View(
            "Failures",
            "/failures",
            toolbar,
            List.of(
                new Table(
                    "Errors that differ only in numbers, identifiers and quoted words are one",
                    List.of(
                        Column.number("Failed"),
                        Column.number("Dead"),
                        Column.text("Kind"),
                        Column.text("Error"),
                        Column.text("Last"),
                        Column.text("Tenant of the last"),
                        Column.number("Its task"),
                        Column.text("Do")),
                    errors.stream().map(error -> row(visit, error, now)).toList(),
                    "No failure is counted. Workers count with hourlyStatistics(true).")))
        .seldom();
  }

  private static Choices filter(Links links, String label, String name, String value) {
    return new Choices(
        label,
        List.of(
            new Choice(value, links.self(), true), new Choice("all", links.without(name), false)));
  }

  private static String task(ErrorActivity error) {
    return Long.toString(error.last().task());
  }

  private static List<Cell> row(Visit visit, ErrorActivity error, Instant now) {
    Links links = visit.links();
    Optional<String> tenant = error.last().tenant();
    return List.of(
        Cell.of(Show.count(error.attempts().failed())),
        Cell.of(Show.count(error.attempts().dead())),
        Cell.link(error.kind(), links.with("kind", error.kind())),
        Cell.titled(Show.line(error.error()), error.error()),
        Cell.titled(Show.ago(error.last().at(), now), Show.instant(error.last().at())),
        tenant.map(name -> Cell.link(name, links.tenant(name))).orElse(Cell.of("")),
        tenant
            .map(name -> Cell.link(task(error), links.task(name, error.last().task())))
            .orElse(Cell.of(task(error))),
        Offers.ofError(visit, error));
  }
}
