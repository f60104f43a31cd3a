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
import dev.rota.internal.text.SafeText;
import dev.rota.limits.LiveShares;
import dev.rota.limits.LiveShares.TenantShare;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what tenants have of the handlers now, and what they should have. */
@Command(
    name = "top",
    description = {
      "Show the tenants that use most handlers: their share and the one due by weights and tiers,"
          + " pending tasks, and what holds them back.",
      "Measures for some seconds, and only reads."
    },
    sortOptions = false)
public final class TopCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long to measure, 0.1 to 60 (default: ${DEFAULT-VALUE}).")
  private double seconds = 2;

  @Option(
      names = "--tenants",
      paramLabel = "N",
      description = "Show so many tenants at most (default: ${DEFAULT-VALUE}).")
  private int tenants = 20;

  @Option(names = "--json", description = "Print one JSON object instead of a table.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  public TopCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      LiveShares shares = rota.controls().top(Duration.ofNanos((long) (seconds * 1e9)), tenants);
      if (json) {
        terminal.out().println(Json.render(fields(shares)));
      } else {
        print(shares, terminal.out());
      }
      return 0;
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static void print(LiveShares shares, PrintStream out) {
    Table table =
        new Table(
            "TENANT",
            "CLAIMED",
            "HANDLERS",
            "SHARE",
            "DUE",
            "WEIGHT",
            "TIER",
            "PENDING",
            "OLDEST",
            "HELD BACK BY");
    shares.tenants().forEach(tenant -> table.add(row(tenant)));
    table.print(out);
    out.println(
        String.format(
            Locale.ROOT,
            "%.1f handlers busy over %.1f s, %d workers alive; %s more tenants",
            shares.handlers().busy(),
            Text.inSeconds(shares.window()),
            shares.handlers().workers(),
            Text.count(shares.leftOut())));
  }

  private static String[] row(TenantShare tenant) {
    LiveShares.Share share = tenant.share();
    LiveShares.Backlog tasks = tenant.tasks();
    List<String> codes = codes(tenant);
    return new String[] {
      SafeText.whole(tenant.tenant()),
      Text.count(tasks.running()),
      String.format(Locale.ROOT, "%.1f", share.handlers()),
      String.format(Locale.ROOT, "%.1f%%", 100 * share.is()),
      String.format(Locale.ROOT, "%.1f%%", 100 * share.due()),
      Double.toString(share.weight()),
      Integer.toString(share.tier()),
      "~" + Text.count(tasks.pending()),
      tasks.oldestPending().map(Text::inSeconds).map(Text::age).orElse("-"),
      codes.isEmpty() ? "-" : String.join(", ", codes)
    };
  }

  private static List<String> codes(TenantShare tenant) {
    return tenant.heldBackBy().stream().sorted().map(WhyCommand::code).toList();
  }

  private static Map<String, @Nullable Object> fields(LiveShares shares) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("at", shares.at().toString());
    fields.put("windowSeconds", Text.inSeconds(shares.window()));
    fields.put("workers", shares.handlers().workers());
    fields.put("handlersBusy", shares.handlers().busy());
    fields.put("tenants", shares.tenants().stream().map(TopCommand::fields).toList());
    fields.put("leftOut", shares.leftOut());
    return fields;
  }

  private static Map<String, @Nullable Object> fields(TenantShare tenant) {
    LiveShares.Share share = tenant.share();
    LiveShares.Backlog tasks = tenant.tasks();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("tenant", tenant.tenant());
    fields.put("running", tasks.running());
    fields.put("handlers", share.handlers());
    fields.put("share", share.is());
    fields.put("due", share.due());
    fields.put("weight", share.weight());
    fields.put("tier", share.tier());
    fields.put("pending", tasks.pending());
    fields.put("oldestPendingSeconds", tasks.oldestPending().map(Text::inSeconds).orElse(null));
    fields.put("heldBackBy", codes(tenant));
    return fields;
  }
}
