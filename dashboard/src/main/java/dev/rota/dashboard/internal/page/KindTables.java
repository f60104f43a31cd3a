package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Note;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.insight.TenantsOfKind;
import dev.rota.insight.WorkerActivity;
import java.util.List;

/** Makes tables of who uses a kind, and of who handles it. */
final class KindTables {

  private static final int MOST_SHOWN = 5;

  private KindTables() {}

  /** The tenants that use a kind most, over as many hours as one read can have. */
  static Table tenants(Links links, TenantsOfKind used) {
    String since = used.since().map(at -> " since " + Show.instant(at)).orElse("");
    return new Table(
        "Tenants with the most attempts" + since,
        List.of(
            Column.text("Tenant"),
            Column.number("Done"),
            Column.number("Failed"),
            Column.number("Dead"),
            Column.number("Failing"),
            Column.number("Share")),
        used.tenants().stream().map(use -> row(links, use, used.ended())).toList(),
        "No attempt of a tenant is counted.");
  }

  private static List<Cell> row(Links links, TenantsOfKind.Use use, long ofAll) {
    return List.of(
        Cell.link(use.tenant(), links.tenant(use.tenant())),
        Cell.of(Show.count(use.ended().done())),
        Cell.of(Show.count(use.ended().failed())),
        Cell.of(Show.count(use.ended().dead())),
        Cell.of(Show.percent(use.ended().failures(), use.ended().count())),
        Cell.titled(
            Show.percent(use.ended().count(), ofAll),
            "Of the attempts of this kind at all tenants"));
  }

  /** The living processes with a handler for a kind. */
  static Table workers(List<WorkerActivity> workers, String kind) {
    List<WorkerActivity> alive =
        workers.stream().filter(worker -> worker.heartbeat().alive()).toList();
    long silent = alive.stream().filter(worker -> worker.serves().kinds().isEmpty()).count();
    String text =
        Show.count(silent)
            + " more do not tell: an older version, no worker, or handlers for over 200 kinds";
    return new Table(
        "Living processes with a handler for it",
        List.of(
            Column.number("Number"),
            Column.text("Host"),
            Column.number("Heartbeat"),
            Column.text("Pools")),
        alive.stream()
            .filter(worker -> worker.serves().handles(kind))
            .map(KindTables::row)
            .toList(),
        "None has told of one. A process tells with its first claim.",
        silent == 0 ? List.of() : List.of(new Note(text, null, false)));
  }

  private static List<Cell> row(WorkerActivity worker) {
    return List.of(
        Cell.of(Long.toString(worker.id())),
        Cell.of(worker.host()),
        Cell.of(Show.time(worker.heartbeat().age()) + " ago"),
        Cell.of(String.join(", ", worker.serves().pools())));
  }

  /** How many living processes have a handler for a kind. */
  static Cell handlers(List<WorkerActivity> workers, String kind) {
    long handlers =
        workers.stream()
            .filter(worker -> worker.heartbeat().alive() && worker.serves().handles(kind))
            .count();
    return Cell.titled(Show.count(handlers), "Living processes that tell of a handler");
  }

  /** Some kinds; all of them show beside the mouse. */
  static Cell some(List<String> kinds) {
    String all = String.join(", ", kinds);
    return kinds.size() <= MOST_SHOWN
        ? Cell.of(all)
        : Cell.titled(
            String.join(", ", kinds.subList(0, MOST_SHOWN))
                + " and "
                + (kinds.size() - MOST_SHOWN)
                + " more",
            all);
  }
}
