package dev.rota.cli;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferReport;
import java.util.LinkedHashMap;
import java.util.Map;
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
    try (Database database = options.open(terminal, secrets);
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
   * @param further what else is to be told, by its name in JSON; as text numbers alone
   * @return the exit code of success
   */
  final int print(String done, TransferReport report, Map<String, ?> further) {
    if (json) {
      Map<String, Object> fields = fields(report);
      fields.putAll(further);
      terminal.out().println(Json.render(fields));
    } else {
      printText(done, report);
      further.forEach(
          (what, count) -> {
            if (count instanceof Integer number) {
              terminal.out().printf("  %s %s%n", Text.count(number), what);
            }
          });
    }
    return 0;
  }

  final Terminal terminal() {
    return terminal;
  }

  private void printText(String done, TransferReport report) {
    terminal
        .out()
        .printf(
            "%s tenant '%s' (%d): %d files, %s bytes%n",
            done,
            Text.printable(report.tenant()),
            report.number(),
            report.files(),
            Text.count(report.bytes()));
    report
        .rows()
        .forEach((what, count) -> terminal.out().printf("  %s %s%n", Text.count(count), what));
  }

  private static Map<String, Object> fields(TransferReport report) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tenant", report.tenant());
    fields.put("number", report.number());
    fields.put("files", report.files());
    fields.put("bytes", report.bytes());
    fields.put("rows", report.rows());
    return fields;
  }
}
