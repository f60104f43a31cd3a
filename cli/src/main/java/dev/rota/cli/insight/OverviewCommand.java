package dev.rota.cli.insight;

import dev.rota.Rota;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.history.HourlyStatistics.Times;
import dev.rota.insight.ErrorActivity;
import dev.rota.insight.ErrorQuery;
import dev.rota.insight.Insight;
import dev.rota.insight.KindActivity;
import dev.rota.insight.Overview;
import dev.rota.insight.TenantActivity;
import dev.rota.insight.TenantQuery;
import dev.rota.insight.UnhandledKind;
import dev.rota.internal.text.SafeText;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what all tenants have to do, and what became of their attempts. */
@Command(
    name = "overview",
    description = {
      "Show the tasks of all tenants, the tenants with most of them, and the kinds and errors of the"
          + " last hours. It costs the same with any number of tasks, and only reads.",
      "Kinds and errors are those of workers that have hourly statistics switched on."
    },
    sortOptions = false)
public final class OverviewCommand implements Callable<Integer> {

  private static final int MOST_HOURS = 24 * 31;

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(
      names = "--hours",
      paramLabel = "N",
      description = "Kinds and errors of so many hours, 1 to 744 (default: ${DEFAULT-VALUE}).")
  private int hours = 24;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Show so many tenants, kinds and errors (default: ${DEFAULT-VALUE}).")
  private int limit = 10;

  @Option(names = "--json", description = "Print one JSON object instead of tables.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  public OverviewCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  /** What is shown. */
  private record Shown(
      Overview overview,
      List<TenantActivity> tenants,
      List<KindActivity> kinds,
      List<UnhandledKind> unhandled,
      List<ErrorActivity> errors) {}

  @Override
  public Integer call() {
    if (hours < 1 || hours > MOST_HOURS) {
      throw new UsageException("--hours is %d; use 1 to %d".formatted(hours, MOST_HOURS));
    }
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.rotaBuilder().poolSize(2).build()) {
      database.requireSchema();
      Shown shown = read(rota.insight());
      if (json) {
        terminal.out().println(Json.render(fields(shown)));
      } else {
        print(shown, terminal.out());
      }
      return 0;
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private Shown read(Insight insight) {
    TenantQuery first = TenantQuery.all().page(0, limit);
    Overview overview = insight.overview();
    Instant from = overview.readAt().minus(Duration.ofHours(hours - 1L));
    Instant to = overview.readAt().plusSeconds(1);
    return new Shown(
        overview,
        insight.tenants(first).tenants(),
        insight.kinds(from, to).stream().limit(limit).toList(),
        insight.unhandledKinds().stream().limit(limit).toList(),
        insight.errors(ErrorQuery.between(from, to).limit(limit)));
  }

  private static void print(Shown shown, PrintStream out) {
    Table tenants = new Table("TENANT", "PENDING", "WAITING", "RUNNING");
    shown.tenants.forEach(tenant -> tenants.add(row(tenant)));
    tenants.print(out);
    out.println(summary(shown.overview));
    shown.unhandled.forEach(kind -> out.println(line(kind)));
    if (!shown.kinds.isEmpty()) {
      Table kinds = new Table("KIND", "ENDED", "FAILED", "DEAD", "RAN P95", "WAITED P95");
      shown.kinds.forEach(kind -> kinds.add(row(kind)));
      kinds.print(out);
    }
    if (!shown.errors.isEmpty()) {
      Table errors = new Table("ATTEMPTS", "DEAD", "KIND", "LAST", "ERROR");
      shown.errors.forEach(error -> errors.add(row(error)));
      errors.print(out);
    }
  }

  private static String summary(Overview overview) {
    Overview.Tasks tasks = overview.estimated();
    return "%s tenants, %s of them parked; ~%s pending, ~%s waiting, %s running; %d workers alive, %s"
        .formatted(
            Text.count(overview.tenants().all()),
            Text.count(overview.tenants().parked()),
            Text.count(tasks.pending()),
            Text.count(tasks.waiting()),
            Text.count(tasks.running()),
            overview.alive().workers(),
            overview.alive().leads() ? "a daemon leads" : "no daemon leads");
  }

  private static String line(UnhandledKind kind) {
    return "tasks of kind %s stay pending: no living worker has told of a handler%s"
        .formatted(
            SafeText.whole(kind.kind()),
            kind.silent() == 0 ? "" : "; processes that do not tell: " + Text.count(kind.silent()));
  }

  private static String[] row(TenantActivity tenant) {
    Overview.Tasks tasks = tenant.estimated();
    return new String[] {
      SafeText.whole(tenant.name()),
      "~" + Text.count(tasks.pending()),
      "~" + Text.count(tasks.waiting()),
      Text.count(tasks.running())
    };
  }

  private static String[] row(KindActivity kind) {
    return new String[] {
      kind.kind(),
      Text.count(kind.ended().count()),
      Text.count(kind.ended().failed()),
      Text.count(kind.ended().dead()),
      p95(kind.running()),
      p95(kind.waiting())
    };
  }

  private static String p95(Times times) {
    return times.quantile(0.95).map(bound -> "<" + Text.duration(bound)).orElse("-");
  }

  private static String[] row(ErrorActivity error) {
    return new String[] {
      Text.count(error.attempts().count()),
      Text.count(error.attempts().dead()),
      error.kind(),
      Text.seconds(error.last().at()),
      SafeText.whole(error.error())
    };
  }

  private static Map<String, @Nullable Object> fields(Shown shown) {
    Overview overview = shown.overview;
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("at", overview.readAt().toString());
    fields.put("tenants", overview.tenants().all());
    fields.put("parked", overview.tenants().parked());
    fields.put("closed", overview.tenants().closed());
    fields.putAll(fields(overview.estimated()));
    fields.put("workers", overview.alive().workers());
    fields.put("daemonLeads", overview.alive().leads());
    fields.put("byTenant", shown.tenants.stream().map(OverviewCommand::fields).toList());
    fields.put("byKind", shown.kinds.stream().map(OverviewCommand::fields).toList());
    fields.put("unhandledKinds", shown.unhandled.stream().map(OverviewCommand::fields).toList());
    fields.put("byError", shown.errors.stream().map(OverviewCommand::fields).toList());
    return fields;
  }

  private static Map<String, @Nullable Object> fields(Overview.Tasks tasks) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("estimatedPending", tasks.pending());
    fields.put("estimatedWaiting", tasks.waiting());
    fields.put("running", tasks.running());
    return fields;
  }

  private static Map<String, @Nullable Object> fields(TenantActivity tenant) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("tenant", tenant.name());
    fields.put("number", tenant.number());
    fields.putAll(fields(tenant.estimated()));
    return fields;
  }

  private static Map<String, @Nullable Object> fields(KindActivity kind) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("kind", kind.kind());
    fields.put("done", kind.ended().done());
    fields.put("failed", kind.ended().failed());
    fields.put("dead", kind.ended().dead());
    fields.put("cancelled", kind.ended().cancelled());
    fields.put("runP95Millis", millis(kind.running()));
    fields.put("waitP95Millis", millis(kind.waiting()));
    return fields;
  }

  private static Map<String, @Nullable Object> fields(UnhandledKind kind) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("kind", kind.kind());
    fields.put("foundBy", kind.foundBy());
    fields.put("silent", kind.silent());
    return fields;
  }

  private static @Nullable Long millis(Times times) {
    return times.quantile(0.95).map(Duration::toMillis).orElse(null);
  }

  private static Map<String, @Nullable Object> fields(ErrorActivity error) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("kind", error.kind());
    fields.put("error", error.error());
    fields.put("failed", error.attempts().failed());
    fields.put("dead", error.attempts().dead());
    fields.put("lastAt", error.last().at().toString());
    fields.put("lastTenant", error.last().tenant().orElse(null));
    fields.put("lastTask", error.last().task());
    return fields;
  }
}
