package dev.rota.dashboard.internal.page;

import dev.rota.dashboard.internal.view.Links;
import dev.rota.dashboard.internal.view.Show;
import dev.rota.dashboard.internal.view.View.Cell;
import dev.rota.dashboard.internal.view.View.Column;
import dev.rota.dashboard.internal.view.View.Table;
import dev.rota.insight.TenantsOfKind;
import java.util.List;

/** Makes tables of who uses a kind. */
final class KindTables {

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
}
