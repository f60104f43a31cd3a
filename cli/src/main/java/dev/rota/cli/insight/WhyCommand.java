package dev.rota.cli.insight;

import dev.rota.Rota;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Controls;
import dev.rota.limits.Explanation;
import dev.rota.limits.Reason;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells why tasks of a tenant do not begin. */
@Command(
    name = "why",
    description = {
      "Tell every known reason why tasks of a tenant do not begin, one a line.",
      "A line with '*' alone holds back all of them. Exit code 1 if there is no such tenant."
    },
    sortOptions = false)
public final class WhyCommand implements Callable<Integer> {

  private static final Set<Reason.Code> NO_TENANT =
      Set.of(Reason.Code.UNKNOWN_TENANT, Reason.Code.ERASED);

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Parameters(paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Option(names = "--kind", paramLabel = "KIND", description = "Only tasks of this kind.")
  private @Nullable String kind;

  @Option(names = "--json", description = "Print one JSON object instead of lines.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  public WhyCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      Controls controls = rota.controls();
      Explanation found = kind == null ? controls.why(tenant) : controls.why(tenant, kind);
      if (json) {
        terminal.out().println(Json.render(fields(found)));
      } else {
        print(found, terminal.out());
      }
      return found.reasons().stream().anyMatch(reason -> NO_TENANT.contains(reason.code())) ? 1 : 0;
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static void print(Explanation found, PrintStream out) {
    out.println(summary(found));
    for (Reason reason : found.reasons()) {
      out.println((reason.holdsAll() ? "* " : "  ") + code(reason.code()) + ": " + reason.text());
    }
    if (found.reasons().isEmpty()) {
      out.println("  nothing is known that holds them back");
    }
  }

  private static String summary(Explanation found) {
    Explanation.Tasks tasks = found.tasks();
    String kind = found.kind().map(own -> " of kind " + own).orElse("");
    String oldest =
        tasks
            .oldestPending()
            .map(Text::inSeconds)
            .map(age -> ", oldest " + Text.age(age))
            .orElse("");
    return "%s%s: %s%s pending%s, %s waiting, %s claimed"
        .formatted(
            SafeText.whole(found.tenant()),
            kind,
            tasks.exact() ? "" : "about ",
            Text.count(tasks.pending()),
            oldest,
            Text.count(tasks.waiting()),
            Text.count(tasks.running()));
  }

  /** A code as it is printed. */
  static String code(Reason.Code code) {
    return code.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, @Nullable Object> fields(Explanation found) {
    Explanation.Tasks tasks = found.tasks();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("tenant", found.tenant());
    fields.put("kind", found.kind().orElse(null));
    fields.put("pending", tasks.pending());
    fields.put("waiting", tasks.waiting());
    fields.put("running", tasks.running());
    fields.put("oldestPendingSeconds", tasks.oldestPending().map(Text::inSeconds).orElse(null));
    fields.put("exact", tasks.exact());
    fields.put("holdsAll", found.holdsAll());
    fields.put("reasons", found.reasons().stream().map(WhyCommand::fields).toList());
    return fields;
  }

  private static Map<String, Object> fields(Reason reason) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("code", code(reason.code()));
    fields.put("holdsAll", reason.holdsAll());
    fields.put("text", reason.text());
    fields.put("data", reason.data());
    return fields;
  }
}
