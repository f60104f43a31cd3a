package dev.rota.dashboard.internal.page;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.UnknownTenantException;
import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.read.TenantReads;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Choice;
import dev.rota.dashboard.internal.view.View.Choices;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Figure;
import dev.rota.dashboard.internal.view.View.Figures;
import dev.rota.dashboard.internal.view.View.Hidden;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Search;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.history.RecentAttempts;
import dev.rota.insight.Overview;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantPage;
import dev.rota.insight.TenantQuery.Order;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** The list of tenants, and the page of one. Thread-safe. */
public final class TenantPages {

  /** Where the list is for spreadsheets. */
  public static final String CSV = "/tenants.csv";

  private static final int ROWS = PlatformReads.ROWS;
  private static final String STATE = TenantReads.STATE;
  private static final String FROM = TenantReads.FROM;
  private static final String SEARCH = "search";
  private static final List<String> CSV_COLUMNS =
      List.of(
          "tenant",
          "number",
          "state",
          "estimated pending",
          "estimated waiting",
          "running",
          "oldest pending in s",
          "arrive a second",
          "begin a second");

  private final TenantReads reads;

  public TenantPages(TenantReads reads) {
    this.reads = reads;
  }

  public View tenants(Visit visit) {
    Links links = visit.links();
    Optional<String> search = visit.parameter(SEARCH);
    Order order = TenantReads.order(visit);
    int from = TenantReads.from(visit);
    TenantPage page = reads.tenants(visit);
    return new View(
        "Tenants",
        "/tenants",
        List.of(new Search("Name", SEARCH, search.orElse(""), kept(links, order))),
        List.of(
            new Table(
                Show.count(page.matching()) + " tenants",
                List.of(
                    sortable(links, "Tenant", Order.NAME, order),
                    Column.text("State"),
                    sortable(links, "Pending", Order.PENDING, order),
                    sortable(links, "Waiting", Order.WAITING, order),
                    sortable(links, "Running", Order.RUNNING, order),
                    Column.number("Oldest"),
                    sortable(links, "Arrive", Order.ARRIVED, order),
                    sortable(links, "Begin", Order.CLAIMED, order)),
                page.tenants().stream().map(tenant -> row(links, tenant)).toList(),
                "No tenant has such a name.",
                pages(links, from, page.matching()))));
  }

  /** The same tenants, at most 10,000 of them, for spreadsheets. */
  public String csv(Visit visit) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(CSV_COLUMNS);
    reads.all(visit).forEach(tenant -> rows.add(csvRow(tenant)));
    return CsvText.of(rows);
  }

  private static List<String> csvRow(TenantActivity tenant) {
    Overview.Tasks tasks = tenant.estimated();
    return List.of(
        tenant.name(),
        Integer.toString(tenant.number()),
        Constants.nameOf(tenant.standing().state()),
        Long.toString(tasks.pending()),
        Long.toString(tasks.waiting()),
        Long.toString(tasks.running()),
        tasks.oldestPending().map(age -> Long.toString(age.toSeconds())).orElse(""),
        tenant.flow().map(flow -> decimal(flow.arrived())).orElse(""),
        tenant.flow().map(flow -> decimal(flow.claimed())).orElse(""));
  }

  private static String decimal(double rate) {
    return String.format(Locale.ROOT, "%.1f", rate);
  }

  /** The filters that the form of a search keeps. */
  private static List<Hidden> kept(Links links, Order order) {
    List<Hidden> kept = new ArrayList<>(links.hidden());
    kept.add(new Hidden("order", Constants.nameOf(order)));
    return kept;
  }

  private static Column sortable(Links links, String label, Order order, Order present) {
    String name = Constants.nameOf(order);
    return new Column(label, links.with("order", name), order != Order.NAME, order == present);
  }

  private static List<Note> pages(Links links, int from, int all) {
    List<Note> notes = new ArrayList<>();
    if (from > 0) {
      String before = Integer.toString(Math.max(0, from - ROWS));
      notes.add(new Note("previous " + ROWS, links.with(FROM, before), false));
    }
    if (from + ROWS < all) {
      notes.add(new Note("next " + ROWS, links.with(FROM, Integer.toString(from + ROWS)), false));
    }
    notes.add(new Note("all as CSV", links.fresh(FROM).at(CSV), false));
    return notes;
  }

  private static List<Cell> row(Links links, TenantActivity tenant) {
    return List.of(
        Cell.link(tenant.name(), links.tenant(tenant.name())),
        Cell.of(Constants.nameOf(tenant.standing().state())),
        Cell.of(Show.about(tenant.estimated().pending())),
        Cell.of(Show.about(tenant.estimated().waiting())),
        Cell.of(Show.count(tenant.estimated().running())),
        Cell.of(tenant.estimated().oldestPending().map(Show::time).orElse("")),
        rate(tenant, Overview.Flow::arrived),
        rate(tenant, Overview.Flow::claimed));
  }

  /** How many tasks of a tenant come or go a second; empty until it was read twice. */
  static Cell rate(TenantActivity tenant, ToDoubleFunction<Overview.Flow> which) {
    return Cell.of(tenant.flow().map(flow -> Show.rate(which.applyAsDouble(flow))).orElse(""));
  }

  /**
   * The page of one tenant.
   *
   * @throws UnknownTenantException if no tenant has the name of the request
   */
  public View tenant(Visit visit) {
    Links links = visit.links();
    String name = TenantReads.tenant(visit, "name");
    RecentAttempts recent = reads.attempts(visit, name);
    List<Block> blocks = new ArrayList<>();
    reads.activity(name).ifPresent(activity -> blocks.add(figures(activity)));
    blocks.add(attempts(visit, name, recent));
    List<Block> toolbar = new ArrayList<>(Offers.ofTenant(visit, name));
    toolbar.add(states(links, TenantReads.state(visit)));
    return new View(name, "/tenants", toolbar, blocks);
  }

  private static Figures figures(TenantActivity tenant) {
    return new Figures(
        List.of(
            Figure.of("number", Integer.toString(tenant.number())),
            Figure.of("state", Constants.nameOf(tenant.standing().state())),
            Figure.of("pending", Show.about(tenant.estimated().pending())),
            Figure.of("waiting", Show.about(tenant.estimated().waiting())),
            Figure.of("running", Show.count(tenant.estimated().running())),
            Figure.of(
                "oldest pending",
                tenant.estimated().oldestPending().map(Show::time).orElse("none")),
            Figure.of(
                "rotated", tenant.standing().rotatedAt().map(Show::instant).orElse("never"))));
  }

  private static Choices states(Links links, Optional<TaskState> present) {
    List<Choice> all = new ArrayList<>();
    Links fresh = links.fresh("after");
    all.add(new Choice("all", fresh.without(STATE), present.isEmpty()));
    for (TaskState state : TenantReads.STATES) {
      String name = Constants.nameOf(state);
      all.add(new Choice(name, fresh.with(STATE, name), present.equals(Optional.of(state))));
    }
    return new Choices("Attempts", all);
  }

  private static Table attempts(Visit visit, String tenant, RecentAttempts recent) {
    RecentAttempts.Looked looked = recent.looked();
    List<Note> beneath = new ArrayList<>();
    recent
        .nextCursor()
        .ifPresent(
            cursor -> beneath.add(new Note("look on", visit.links().with("after", cursor), false)));
    // The counters of the server lag behind what was found.
    long seen = Math.max(looked.estimated(), recent.attempts().size());
    return new Table(
        "%d found; looked at %s of %s attempts%s"
            .formatted(
                recent.attempts().size(),
                Show.about(seen),
                Show.about(Math.max(looked.estimatedAll(), seen)),
                looked.backTo().map(at -> ", back to " + Show.instant(at)).orElse("")),
        List.of(
            Column.number("Task"),
            Column.text("Kind"),
            Column.number("Attempt"),
            Column.text("State"),
            Column.text("Claimed"),
            Column.number("Ran"),
            Column.text("Error")),
        recent.attempts().stream().map(attempt -> row(visit, tenant, attempt)).toList(),
        "No such attempt was found so far.",
        beneath);
  }

  private static List<Cell> row(Visit visit, String tenant, Attempt attempt) {
    Optional<String> error = attempt.error();
    return List.of(
        Cell.link(Long.toString(attempt.taskId()), visit.links().task(tenant, attempt.taskId())),
        Cell.of(attempt.kind()),
        Cell.of(Integer.toString(attempt.number())),
        Cell.of(Constants.nameOf(attempt.state())),
        Cell.of(attempt.claimedAt().map(Show::instant).orElse("")),
        Cell.of(attempt.claimedAt().flatMap(from -> ran(from, attempt)).orElse("")),
        Cell.titled(error.map(Show::line).orElse(""), error.orElse("")));
  }

  private static Optional<String> ran(Instant from, Attempt attempt) {
    return attempt.finishedAt().map(to -> Show.time(Duration.between(from, to)));
  }
}
