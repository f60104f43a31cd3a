package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.read.PlatformReads;
import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View;
import dev.rota.dashboard.internal.view.View.Block;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Chart;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Figure;
import dev.rota.dashboard.internal.view.View.Figures;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Notes;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.insight.Overview;
import dev.rota.insight.RunningBatch;
import dev.rota.insight.StorageReport;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantQuery.Order;
import dev.rota.insight.WorkerActivity;
import java.util.ArrayList;
import java.util.List;

/** The pages that read all tenants. Thread-safe. */
public final class PlatformPages {

  private static final int DAYS_OF_WEEK = 7;
  private static final Cell UNTOLD =
      Cell.titled("not told", "An older version, no worker, or handlers for over 200 kinds");

  private final PlatformReads reads;
  private final Attention attention;

  public PlatformPages(PlatformReads reads) {
    this.reads = reads;
    this.attention = new Attention(reads);
  }

  public View overview(Links links) {
    Overview overview = reads.overview();
    return new View(
        "Overview",
        "/",
        List.of(
            figures(overview),
            new Chart("Tasks a second, 15 minutes", links.file("/chart.json")),
            attention.notes(links, overview),
            tenants(links, "Tenants with most pending tasks", reads.top(Order.PENDING)),
            tenants(links, "Tenants whose tasks begin most often", reads.top(Order.CLAIMED))));
  }

  private Figures figures(Overview overview) {
    Overview.Tasks tasks = overview.estimated();
    List<Figure> all = new ArrayList<>();
    all.add(Figure.of("arrive", overview.flow().map(f -> Show.rate(f.arrived())).orElse("…")));
    all.add(Figure.of("begin", overview.flow().map(f -> Show.rate(f.claimed())).orElse("…")));
    all.add(
        new Figure(
            "pending",
            Show.about(tasks.pending()),
            "Estimated by counters of the server, which lag by up to a second"));
    all.add(Figure.of("waiting", Show.about(tasks.waiting())));
    all.add(Figure.of("running", Show.count(tasks.running())));
    all.add(
        new Figure(
            "oldest pending",
            tasks.oldestPending().map(Show::time).orElse("none"),
            "At least, since the first look of this dashboard at it"));
    all.add(Figure.of("tenants", Show.count(overview.tenants().all())));
    all.add(Figure.of("workers", Show.count(overview.alive().workers())));
    return new Figures(all);
  }

  private static Table tenants(Links links, String caption, List<TenantActivity> tenants) {
    return new Table(
        caption,
        List.of(
            Column.text("Tenant"),
            Column.number("Pending"),
            Column.number("Running"),
            Column.number("Arrive"),
            Column.number("Begin")),
        tenants.stream().map(tenant -> row(links, tenant)).toList(),
        "There are no tenants.");
  }

  private static List<Cell> row(Links links, TenantActivity tenant) {
    return List.of(
        Cell.link(tenant.name(), links.tenant(tenant.name())),
        Cell.of(Show.about(tenant.estimated().pending())),
        Cell.of(Show.count(tenant.estimated().running())),
        TenantPages.rate(tenant, Overview.Flow::arrived),
        TenantPages.rate(tenant, Overview.Flow::claimed));
  }

  public View running(Links links) {
    List<RunningBatch> batches = reads.running();
    return new View(
        "Running",
        "/running",
        List.of(
            new Table(
                "Open batches, the longest claimed first",
                List.of(
                    Column.text("Tenant"),
                    Column.number("Tasks"),
                    Column.number("Claimed"),
                    Column.number("Worker"),
                    Column.number("Batch")),
                batches.stream().map(batch -> row(links, batch)).toList(),
                "Nothing runs.",
                batches.size() < PlatformReads.MOST_BATCHES
                    ? List.of()
                    : List.of(
                        new Note(
                            "There are more than " + PlatformReads.MOST_BATCHES, null, false)))));
  }

  private static List<Cell> row(Links links, RunningBatch batch) {
    return List.of(
        Cell.link(batch.tenant(), links.tenant(batch.tenant())),
        Cell.of(Show.count(batch.tasks())),
        Cell.of(Show.time(batch.age()) + " ago"),
        Cell.of(Long.toString(batch.worker())),
        Cell.of(Long.toString(batch.batch())));
  }

  public View workers() {
    List<WorkerActivity> workers = reads.workers();
    return new View(
            "Workers",
            "/workers",
            List.of(
                new Table(
                    "Processes that hold batches or are registered to",
                    List.of(
                        Column.number("Number"),
                        Column.text("Host"),
                        Column.text("State"),
                        Column.number("Heartbeat"),
                        Column.number("Tasks"),
                        Column.number("Batches"),
                        Column.text("Pools"),
                        Column.text("Handles"),
                        Column.text("Left pending")),
                    workers.stream().map(this::row).toList(),
                    "No worker is registered.")))
        .seldom();
  }

  private List<Cell> row(WorkerActivity worker) {
    WorkerActivity.Heartbeat heartbeat = worker.heartbeat();
    return List.of(
        Cell.of(Long.toString(worker.id())),
        Cell.titled(worker.host(), "since " + Show.instant(heartbeat.startedAt())),
        Cell.titled(
            heartbeat.alive() ? "alive" : "dead", "its lease is " + Show.time(heartbeat.lease())),
        Cell.of(Show.time(heartbeat.age()) + " ago"),
        Cell.of(Show.count(worker.holds().tasks())),
        Cell.of(Show.count(worker.holds().openBatches())),
        Cell.of(String.join(", ", worker.serves().pools())),
        worker.serves().kinds().map(KindTables::some).orElse(UNTOLD),
        KindTables.some(worker.serves().left()));
  }

  public View storage() {
    StorageReport storage = reads.storage();
    StorageReport.Tables tables = storage.segments();
    List<Block> blocks = new ArrayList<>();
    blocks.add(
        new Figures(
            List.of(
                Figure.of("tenants with rings", Show.count(tables.tenants())),
                Figure.of(
                    "last rotation of a tenant with tasks",
                    Show.time(storage.rotation().longestAgo())),
                Figure.of("rotations postponed", Show.count(storage.rotation().postponed())),
                Figure.of("segments of history", segments(tables.history())),
                Figure.of("segments of the ledger", segments(tables.ledger())),
                Figure.of("segments archived", Show.about(storage.archive().estimatedSegments())),
                Figure.of("being archived", Show.count(storage.archive().unfinished())))));
    blocks.add(
        new Notes(
            "Disk",
            tables.size().map(PlatformPages::disk).orElse(List.of()),
            "The daemon notes the size of all tables once an hour; the last hour has none."));
    blocks.add(
        new Notes(
            "Why rotations were postponed",
            storage.rotation().reasons().stream().map(text -> new Note(text, null, false)).toList(),
            "None was."));
    blocks.add(
        new Notes(
            "Troubles of the archive",
            storage.archive().troubles().stream()
                .map(trouble -> new Note(trouble.toString(), null, true))
                .toList(),
            "There are none."));
    blocks.add(new Notes("The oldest transaction", oldest(storage), "None keeps old rows alive."));
    return new View("Storage", "/storage", blocks).seldom();
  }

  /** The size of all tables, and what it comes to if it changes as on the last day. */
  private static List<Note> disk(StorageReport.Size size) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "Tables of tenants: "
            + Show.bytes(size.bytes())
            + ", noted in the hour of "
            + Show.instant(size.hour()));
    size.dayBefore()
        .ifPresent(
            before -> {
              long change = size.bytes() - before;
              long week = Math.max(0, size.bytes() + DAYS_OF_WEEK * change);
              lines.add("In a day: " + (change < 0 ? "" : "+") + Show.bytes(change));
              lines.add("In a week, if that goes on: ~" + Show.bytes(week));
            });
    return lines.stream().map(line -> new Note(line, null, false)).toList();
  }

  private static String segments(StorageReport.Segments segments) {
    return Show.count(segments.open()) + " open, " + Show.count(segments.sealed()) + " sealed";
  }

  private static List<Note> oldest(StorageReport storage) {
    return storage.oldestTransaction().stream()
        .map(
            open ->
                "process "
                    + open.process()
                    + open.application().map(name -> " (" + name + ")").orElse("")
                    + open.age().map(age -> ", for " + Show.time(age)).orElse(""))
        .map(text -> new Note(text, null, false))
        .toList();
  }
}
