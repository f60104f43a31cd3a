package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.view.Hours;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Bar;
import dev.rota.dashboard.internal.view.View.Bars;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Figure;
import dev.rota.dashboard.internal.view.View.Figures;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Notes;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.dashboard.internal.view.Visit;
import dev.rota.history.HourlyStatistics;
import dev.rota.history.HourlyStatistics.Ended;
import dev.rota.history.HourlyStatistics.Times;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.KindActivity;
import dev.rota.insight.WorkerActivity;
import dev.rota.limits.Scope;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What became of attempts by their kinds, over all tenants. Thread-safe. */
public final class KindPages {

  private static final int DAY = 24;
  private static final String NAME = "name";
  private static final String NO_STATISTICS =
      "No attempt is counted. Workers count with hourlyStatistics(true).";

  private static final List<Column> COLUMNS =
      Stream.concat(columns("Kind").stream(), Stream.of(Column.number("Workers"))).toList();
  private static final List<Column> HOUR_COLUMNS = columns("Hour");

  private final PlatformReads reads;

  public KindPages(PlatformReads reads) {
    this.reads = reads;
  }

  private static List<Column> columns(String first) {
    return List.of(
        Column.text(first),
        Column.number("Done"),
        Column.number("Failed"),
        Column.number("Dead"),
        Column.number("Failing"),
        Column.number("Run p50"),
        Column.number("Run p95"),
        Column.number("Wait p95"));
  }

  public View kinds(Visit visit) {
    int hours = Hours.of(visit.request());
    List<WorkerActivity> workers = reads.workers();
    return new View(
            "Kinds",
            "/kinds",
            List.of(Hours.choices(visit.links(), hours)),
            List.of(
                new Table(
                    "Kinds of tasks, over all tenants",
                    COLUMNS,
                    reads.kinds(hours).stream()
                        .map(kind -> row(visit.links(), kind, workers))
                        .toList(),
                    NO_STATISTICS)))
        .seldom();
  }

  private static List<Cell> row(Links links, KindActivity kind, List<WorkerActivity> workers) {
    return List.of(
        Cell.link(kind.kind(), links.to("/kind", NAME, kind.kind())),
        count(kind.ended().done()),
        count(kind.ended().failed()),
        count(kind.ended().dead()),
        Cell.of(failing(kind.ended())),
        quantile(kind.running(), 0.5),
        quantile(kind.running(), 0.95),
        quantile(kind.waiting(), 0.95),
        KindTables.handlers(workers, kind.kind()));
  }

  private static Cell count(long number) {
    return Cell.of(Show.count(number));
  }

  private static String failing(Ended ended) {
    return Show.percent(ended.failures(), ended.count());
  }

  private static Cell quantile(Times times, double part) {
    return Cell.titled(bound(times, part), "The upper bound of its bucket");
  }

  private static String bound(Times times, double part) {
    return times.quantile(part).map(time -> "< " + Show.time(time)).orElse("");
  }

  /** Kinds such as {@code video/encode} are stages of a pipeline. */
  public View pipelines(Visit visit) {
    int hours = Hours.of(visit.request());
    Map<String, List<KindActivity>> pipelines = new TreeMap<>();
    for (KindActivity kind : reads.kinds(hours)) {
      int slash = kind.kind().indexOf('/');
      if (slash > 0) {
        String name = kind.kind().substring(0, slash);
        pipelines.computeIfAbsent(name, unused -> new ArrayList<>()).add(kind);
      }
    }
    List<Block> blocks = new ArrayList<>();
    List<WorkerActivity> workers = reads.workers();
    pipelines.forEach((name, stages) -> blocks.add(pipeline(visit.links(), name, stages, workers)));
    if (blocks.isEmpty()) {
      blocks.add(new Notes("Pipelines", List.of(), "No kind with a stage, such as a/b, ended."));
    }
    return new View("Pipelines", "/pipelines", List.of(Hours.choices(visit.links(), hours)), blocks)
        .seldom();
  }

  private static Table pipeline(
      Links links, String name, List<KindActivity> stages, List<WorkerActivity> workers) {
    return new Table(
        name,
        COLUMNS,
        stages.stream()
            .sorted(Comparator.comparing(KindActivity::kind))
            .map(stage -> row(links, stage, workers))
            .toList(),
        "");
  }

  /**
   * The page of one kind: its sums, its last day by the hour, the tenants that use it most, the
   * workers that handle it, and its errors.
   *
   * @throws IllegalArgumentException if no kind can have the name of the request
   */
  public View kind(Visit visit) {
    Scope scope = Scope.kind(visit.required(NAME));
    String kind = scope.kind().orElseThrow();
    int hours = Hours.of(visit.request());
    Instant now = reads.now();
    List<HourlyStatistics> day = reads.lastDay(kind);
    List<Block> blocks = new ArrayList<>();
    reads.kinds(hours).stream()
        .filter(each -> each.kind().equals(kind))
        .findFirst()
        .ifPresent(activity -> blocks.add(figures(activity)));
    blocks.add(bars(day, now));
    blocks.add(hours(day));
    blocks.add(KindTables.tenants(visit.links(), reads.tenantsOf(kind, hours)));
    blocks.add(KindTables.workers(reads.workers(), kind));
    blocks.add(errors(visit, kind, hours, now));
    List<Block> toolbar = new ArrayList<>();
    toolbar.add(Hours.choices(visit.links(), hours));
    toolbar.addAll(Offers.ofKind(visit, scope));
    return new View("Kind " + kind, "/kinds", toolbar, blocks).seldom();
  }

  private static Figures figures(KindActivity kind) {
    List<Figure> all = new ArrayList<>();
    all.add(Figure.of("ended", Show.count(kind.ended().count())));
    all.add(Figure.of("failing", failing(kind.ended())));
    all.add(Figure.of("dead", Show.count(kind.ended().dead())));
    for (int percent : List.of(50, 95, 99)) {
      all.add(Figure.of("run p" + percent, bound(kind.running(), percent / 100.0)));
    }
    for (int percent : List.of(50, 95, 99)) {
      all.add(Figure.of("wait p" + percent, bound(kind.waiting(), percent / 100.0)));
    }
    return new Figures(all);
  }

  /** The attempts of each hour of the last day, and how many of them failed. */
  private static Bars bars(List<HourlyStatistics> day, Instant now) {
    Map<Instant, Ended> ended =
        day.stream().collect(Collectors.toMap(HourlyStatistics::hour, HourlyStatistics::ended));
    long most = ended.values().stream().mapToLong(Ended::count).max().orElse(1);
    Instant first = now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(DAY - 1));
    return new Bars(
        "Attempts that ended in each of the last 24 hours, and those of them that failed",
        IntStream.range(0, DAY)
            .mapToObj(hour -> first.plus(Duration.ofHours(hour)))
            .map(hour -> bar(hour, ended.getOrDefault(hour, new Ended(0, 0, 0, 0)), most))
            .toList());
  }

  private static Bar bar(Instant hour, Ended ended, long most) {
    String title =
        "%s: %s ended, %s failed"
            .formatted(Show.instant(hour), Show.count(ended.count()), Show.count(ended.failures()));
    return new Bar(title, percent(ended.count(), most), percent(ended.failures(), most));
  }

  /** A part in percent, rounded up, so that the least part can be seen. */
  private static int percent(long part, long most) {
    return (int) Math.ceil(100.0 * part / Math.max(1, most));
  }

  private static Table hours(List<HourlyStatistics> day) {
    return new Table(
        "The last 24 hours, by UTC",
        HOUR_COLUMNS,
        day.stream()
            .sorted(Comparator.comparing(HourlyStatistics::hour).reversed())
            .map(KindPages::row)
            .toList(),
        NO_STATISTICS);
  }

  private static List<Cell> row(HourlyStatistics hour) {
    return List.of(
        Cell.of(Show.instant(hour.hour())),
        count(hour.ended().done()),
        count(hour.ended().failed()),
        count(hour.ended().dead()),
        Cell.of(failing(hour.ended())),
        quantile(hour.running(), 0.5),
        quantile(hour.running(), 0.95),
        quantile(hour.waiting(), 0.95));
  }

  private Table errors(Visit visit, String kind, int hours, Instant now) {
    List<ErrorActivity> errors = reads.errors(hours, kind);
    String all = visit.links().to("/failures", "kind", kind);
    return new Table(
        "Its most frequent errors",
        List.of(
            Column.number("Failed"),
            Column.number("Dead"),
            Column.text("Error"),
            Column.text("Last"),
            Column.text("Do")),
        errors.stream().map(error -> row(visit, error, now)).toList(),
        "No failure is counted.",
        List.of(new Note("all its failures", all, false)));
  }

  private static List<Cell> row(Visit visit, ErrorActivity error, Instant now) {
    return List.of(
        count(error.attempts().failed()),
        count(error.attempts().dead()),
        Cell.titled(Show.line(error.error()), error.error()),
        Cell.titled(Show.ago(error.last().at(), now), Show.instant(error.last().at())),
        Offers.ofError(visit, error));
  }
}
