package dev.rota.cli.status;

import dev.rota.Rota;
import dev.rota.admin.Admin;
import dev.rota.admin.DatabaseStatus;
import dev.rota.admin.DatabaseStatus.SetAsideRows;
import dev.rota.admin.Finding;
import dev.rota.admin.TenantStatus;
import dev.rota.cli.common.FindingText;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the status of the tenants. */
@Command(
    name = "status",
    description = {
      "Show the tenants: tasks pending, waiting and running, the rotation of their rings, and the"
          + " findings of rota check.",
      "A number with ~ before it is an estimate, where counting would take too long."
    },
    sortOptions = false)
public final class StatusCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(names = "--tenant", paramLabel = "NAME", description = "Only this tenant.")
  private @Nullable String tenant;

  @Option(names = "--parked", description = "Also the tenants without tables, which are idle.")
  private boolean parked;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  public StatusCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    try (CommandDatabase database = options.open(terminal, secrets)) {
      database.requireSchema();
      try (Rota rota = database.rotaBuilder().poolSize(2).build()) {
        Admin admin = rota.admin();
        print(tenant == null ? admin.status() : admin.status(tenant), admin.preflight());
      }
      return 0;
    }
  }

  private void print(DatabaseStatus status, List<Finding> findings) {
    PrintStream out = terminal.out();
    List<TenantStatus> shown = status.tenants().stream().filter(this::isShown).toList();
    if (json) {
      out.println(Json.render(StatusJson.of(status, shown, findings)));
    } else {
      table(shown).print(out);
      out.println(totals(status));
      FindingText.lines(findings).forEach(out::println);
      status.troubles().setAside().forEach(rows -> out.println(line(rows)));
      status.troubles().archive().forEach(trouble -> out.println("archive: " + trouble));
    }
  }

  private boolean isShown(TenantStatus each) {
    return parked || tenant != null || !each.identity().parked();
  }

  private static Table table(List<TenantStatus> tenants) {
    Table table =
        new Table(
            "TENANT",
            "NUMBER",
            "PENDING",
            "WAITING",
            "RUNNING",
            "OLDEST",
            "LAST ROTATION",
            "ROTATIONS",
            "POSTPONED");
    tenants.forEach(tenant -> table.add(row(tenant)));
    return table;
  }

  private static String[] row(TenantStatus tenant) {
    TenantStatus.Identity identity = tenant.identity();
    TenantStatus.Backlog backlog = tenant.backlog();
    TenantStatus.Ring ring = tenant.ring();
    String about = backlog.counted() ? "" : "~";
    return new String[] {
      identity.name()
          + (identity.closed() ? " (closed)" : "")
          + (identity.parked() ? " (parked)" : ""),
      Integer.toString(identity.number()),
      about + Text.count(backlog.estimatedPending()),
      about + Text.count(backlog.estimatedWaiting()),
      Text.count(tenant.running().tasks()),
      backlog.oldestPending().map(Text::inSeconds).map(Text::age).orElse("-"),
      ring.rotatedAt().map(Text::seconds).orElse("-"),
      Text.count(ring.rotations()),
      Text.count(ring.postponed()) + ring.postponedReason().map(" (%s)"::formatted).orElse("")
    };
  }

  private static String totals(DatabaseStatus status) {
    Totals totals = new Totals(status.tenants());
    return "%s tenants, %s of them parked; %s pending, %s waiting, %s running; %d workers alive"
        .formatted(
            Text.count(status.tenants().size()),
            Text.count(status.parked()),
            Text.count(totals.pending()),
            Text.count(totals.waiting()),
            Text.count(totals.running()),
            status.liveWorkers());
  }

  private static String line(SetAsideRows rows) {
    return "%s rows of tenant '%s' were %s (last task %d at %s)"
        .formatted(
            Text.count(rows.rows()),
            rows.tenant(),
            rows.reason(),
            rows.lastTask(),
            Text.seconds(rows.lastAt()));
  }
}
