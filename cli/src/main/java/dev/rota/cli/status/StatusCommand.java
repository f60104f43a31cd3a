package dev.rota.cli.status;

import dev.rota.Rota;
import dev.rota.admin.Finding;
import dev.rota.cli.common.FindingText;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.SetAside;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.jooq.CloseableDSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows where the tenants stand. */
@Command(
    name = "status",
    description = {
      "Show the tenants: tasks pending, waiting and running, how their rings turn, and what rota"
          + " check finds.",
      "A number with ~ before it is an estimate, where counting would take too long."
    },
    sortOptions = false)
public final class StatusCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(names = "--tenant", paramLabel = "NAME", description = "Only this tenant.")
  private @Nullable String tenant;

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
      try (CloseableDSLContext context = database.connect();
          Rota rota = database.rotaBuilder().poolSize(2).build()) {
        StatusReader reader = new StatusReader(context, database.schema());
        print(
            reader.read(tenant),
            reader.liveWorkers(),
            rota.admin().preflight(),
            new Troubles(reader.archiveTroubles(tenant), reader.setAside(tenant)));
      }
      return 0;
    }
  }

  private record Troubles(List<String> archive, List<SetAside> setAside) {}

  private void print(
      List<TenantStatus> tenants, int workers, List<Finding> findings, Troubles troubles) {
    if (json) {
      Map<String, @Nullable Object> fields = fields(tenants, workers, findings);
      fields.put("archiveTroubles", troubles.archive());
      fields.put("setAside", troubles.setAside().stream().map(SetAside::fields).toList());
      terminal.out().println(Json.render(fields));
    } else {
      table(tenants).print(terminal.out());
      printTotals(tenants, workers, terminal.out());
      FindingText.lines(findings).forEach(terminal.out()::println);
      troubles.setAside().forEach(rows -> terminal.out().println(rows.line()));
      troubles.archive().forEach(trouble -> terminal.out().println("archive: " + trouble));
    }
  }

  private static Map<String, @Nullable Object> fields(
      List<TenantStatus> tenants, int workers, List<Finding> findings) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("workers", workers);
    fields.put("pending", total(tenants, status -> status.depth().pending()));
    fields.put("waiting", total(tenants, status -> status.depth().waiting()));
    fields.put("running", total(tenants, status -> status.depth().running()));
    fields.put("rotations", total(tenants, status -> status.rotation().count()));
    fields.put("rotationsPostponed", total(tenants, status -> status.rotation().postponed()));
    fields.put("findings", FindingText.fields(findings));
    fields.put("tenants", tenants.stream().map(TenantStatus::fields).toList());
    return fields;
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
    tenants.forEach(status -> table.add(row(status)));
    return table;
  }

  private static String[] row(TenantStatus status) {
    TenantStatus.Depth depth = status.depth();
    TenantStatus.Rotation rotation = status.rotation();
    String about = depth.exact() ? "" : "~";
    return new String[] {
      status.identity().name() + (status.identity().closed() ? " (closed)" : ""),
      Integer.toString(status.identity().number()),
      about + Text.count(depth.pending()),
      about + Text.count(depth.waiting()),
      Text.count(depth.running()),
      depth.oldestSeconds() == null ? "-" : Text.age(depth.oldestSeconds()),
      rotation.last() == null ? "-" : Text.seconds(rotation.last()),
      Text.count(rotation.count()),
      postponed(rotation)
    };
  }

  private static String postponed(TenantStatus.Rotation rotation) {
    String count = Text.count(rotation.postponed());
    return rotation.reason() == null ? count : count + " (" + rotation.reason() + ")";
  }

  private static void printTotals(List<TenantStatus> tenants, int workers, PrintStream out) {
    out.println(
        Text.count(tenants.size())
            + " tenants, "
            + Text.count(total(tenants, status -> status.depth().pending()))
            + " pending, "
            + Text.count(total(tenants, status -> status.depth().waiting()))
            + " waiting, "
            + Text.count(total(tenants, status -> status.depth().running()))
            + " running; "
            + workers
            + " workers alive");
  }

  private static long total(List<TenantStatus> tenants, ToLongFunction<TenantStatus> part) {
    return tenants.stream().mapToLong(part).sum();
  }
}
