package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.read.Reads;
import dev.rota.dashboard.internal.read.TenantReads;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Figure;
import dev.rota.dashboard.internal.view.View.Figures;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Notes;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.limits.Explanation;
import dev.rota.limits.LiveShares;
import dev.rota.limits.Reason;
import dev.rota.limits.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Rules, shares, and why tasks do not begin. Thread-safe. */
public final class LimitPages {

  private static final String SHARES = TenantReads.SHARES;

  private final Reads reads;

  public LimitPages(Reads reads) {
    this.reads = reads;
  }

  public View limits(Visit visit) {
    List<Rule> rules = reads.platform().rules();
    boolean measured = TenantReads.asksForShares(visit);
    List<Block> blocks = new ArrayList<>();
    blocks.add(rules(visit, rules));
    if (measured) {
      blocks.add(shares(visit));
    }
    View view = new View("Limits", "/limits", List.of(choices(visit, measured)), blocks);
    return measured ? view : view.seldom();
  }

  private static Choices choices(Visit visit, boolean measured) {
    return new Choices(
        "Shares",
        List.of(
            new Choice("hide", visit.links().without(SHARES), !measured),
            new Choice("measure", visit.links().with(SHARES, "1"), measured)));
  }

  private static Table rules(Visit visit, List<Rule> rules) {
    return new Table(
        "Rules of scopes",
        List.of(
            Column.text("Scope"),
            Column.text("Limits"),
            Column.text("Paused"),
            Column.text("Until"),
            Column.text("Reason"),
            Column.text("Do")),
        rules.stream().map(rule -> row(visit, rule)).toList(),
        "There are none: tenants share the handlers equally.");
  }

  private static List<Cell> row(Visit visit, Rule rule) {
    Optional<Rule.Pause> pause = rule.pause();
    return List.of(
        Cell.of(rule.scope().toString()),
        Cell.of(rule.limits().toString()),
        Cell.of(
            pause
                .map(p -> Show.instant(p.since()) + " by " + Constants.nameOf(p.origin()))
                .orElse("")),
        Cell.of(pause.map(p -> p.until().map(Show::instant).orElse("it is resumed")).orElse("")),
        Cell.of(pause.map(Rule.Pause::reason).orElse("")),
        Offers.ofRule(visit, rule));
  }

  private Table shares(Visit visit) {
    LiveShares top = reads.platform().shares();
    return new Table(
        "Shares of %s busy handlers, measured over %s"
            .formatted(number(top.handlers().busy()), Show.time(PlatformReads.SHARES_WINDOW)),
        List.of(
            Column.text("Tenant"),
            Column.number("Is"),
            Column.number("Should be"),
            Column.number("Weight"),
            Column.number("Handlers"),
            Column.number("Pending"),
            Column.text("Held back by")),
        top.tenants().stream().map(tenant -> row(visit, tenant)).toList(),
        "No handler is busy.");
  }

  private static List<Cell> row(Visit visit, LiveShares.TenantShare tenant) {
    LiveShares.Share share = tenant.share();
    return List.of(
        Cell.link(tenant.tenant(), visit.links().to("/why", "tenant", tenant.tenant())),
        Cell.of(number(100 * share.is()) + " %"),
        Cell.of(number(100 * share.due()) + " %"),
        Cell.of(number(share.weight())),
        Cell.of(number(share.handlers())),
        Cell.of(Show.about(tenant.tasks().pending())),
        Cell.of(
            String.join(
                ", ", tenant.heldBackBy().stream().map(Constants::nameOf).sorted().toList())));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Why tasks of a tenant, or those of one of its kinds, do not begin. */
  public View why(Visit visit) {
    String tenant = TenantReads.tenant(visit, "tenant");
    Optional<String> kind = visit.parameter("kind");
    boolean measured = TenantReads.asksForShares(visit);
    Explanation why = reads.tenants().why(visit, tenant);
    Explanation.Tasks tasks = why.tasks();
    String pending = Show.count(tasks.pending());
    Figures figures =
        new Figures(
            List.of(
                Figure.of("pending", tasks.exact() ? pending : "at least " + pending),
                Figure.of("waiting", Show.count(tasks.waiting())),
                Figure.of("running", Show.count(tasks.running())),
                Figure.of("oldest pending", tasks.oldestPending().map(Show::time).orElse("none"))));
    String title =
        "Why tasks of " + tenant + kind.map(only -> ", kind " + only).orElse("") + " do not begin";
    Choices back =
        new Choices(
            "Go to", List.of(new Choice("the tenant", visit.links().tenant(tenant), false)));
    return new View(
        title,
        "/tenants",
        List.of(back, choices(visit, measured)),
        List.of(
            figures,
            new Notes("Reasons", reasons(visit, why, measured), "None is known: they begin.")));
  }

  private static List<Note> reasons(Visit visit, Explanation why, boolean measured) {
    List<Note> reasons = new ArrayList<>();
    for (Reason reason : why.reasons()) {
      reasons.add(new Note(reason.text(), null, reason.holdsAll()));
    }
    if (!measured && !why.holdsAll() && why.tasks().pending() > 0) {
      String measure = visit.links().with(SHARES, "1");
      reasons.add(
          new Note("Other tenants may have the handlers: measure the shares", measure, false));
    }
    return reasons;
  }
}
