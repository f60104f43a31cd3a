package dev.rota.cli.schema;

import dev.rota.Rota;
import dev.rota.admin.Finding;
import dev.rota.admin.Finding.Severity;
import dev.rota.cli.common.FindingText;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks a database for problems that keep Rota from working. */
@Command(
    name = "check",
    description = {
      "Check this database for problems that keep Rota from working or endanger its guarantees:"
          + " settings, publications, locks and old transactions of others, rights of PUBLIC.",
      "Exit code 1 if Rota cannot work; warnings alone are no failure."
    },
    sortOptions = false)
public final class CheckCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(names = "--json", description = "Print one JSON array instead of sentences.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  public CheckCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      List<Finding> findings = rota.admin().preflight();
      if (json) {
        terminal.out().println(Json.render(FindingText.fields(findings)));
      } else if (findings.isEmpty()) {
        terminal.out().println("Nothing found.");
      } else {
        FindingText.lines(findings).forEach(terminal.out()::println);
      }
      return findings.stream().anyMatch(f -> f.severity() == Severity.ERROR) ? 1 : 0;
    }
  }
}
