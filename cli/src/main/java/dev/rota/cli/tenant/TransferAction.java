package dev.rota.cli.tenant;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.database.ArchiveOptions;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferReport;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands that move tenants share. */
abstract class TransferAction implements Callable<Integer> {

  @Mixin private final ArchiveOptions archiveOptions = new ArchiveOptions();
  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  TransferAction(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  /** Does it, and returns the exit code. */
  abstract int act(TenantTransfer transfer);

  @Override
  public final Integer call() {
    try (CommandDatabase database = options.open(terminal, secrets);
        @Nullable Archive archive = archiveOptions.open().orElse(null);
        Rota rota = database.openRota()) {
      database.requireSchema();
      TenantTransfer transfer =
          archive == null ? TenantTransfer.over(rota) : TenantTransfer.over(rota, archive);
      return act(transfer);
    }
  }

  /**
   * Prints what was done.
   *
   * @param done as in "exported tenant 'acme'"
   */
  final void print(String done, TransferReport report) {
    if (json) {
      printJson(report);
    } else {
      printText(done, report);
    }
  }

  /** Whether the output is to be JSON. */
  final boolean isJson() {
    return json;
  }

  /** A record, as one line. */
  final void printJson(Record fields) {
    terminal.out().println(Json.render(fields));
  }

  final Terminal terminal() {
    return terminal;
  }

  final void printText(String done, TransferReport report) {
    terminal
        .out()
        .printf(
            "%s tenant '%s' (%d): %d files, %s bytes%n",
            done, report.tenant(), report.number(), report.files(), Text.count(report.bytes()));
    report
        .rows()
        .forEach((what, count) -> terminal.out().printf("  %s %s%n", Text.count(count), what));
  }
}
