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

  abstract TransferReport act(TenantTransfer transfer);

  /** What was done, as in "exported tenant 'acme'". */
  abstract String done();

  @Override
  public final Integer call() {
    try (Database database = options.open(terminal, secrets);
        @Nullable Archive archive = archiveOptions.open().orElse(null);
        Rota rota = database.openRota()) {
      database.requireSchema();
      TenantTransfer transfer =
          archive == null ? TenantTransfer.over(rota) : TenantTransfer.over(rota, archive);
      print(act(transfer));
      return 0;
    }
  }

  private void print(TransferReport report) {
    if (json) {
      terminal.out().println(Json.render(fields(report)));
      return;
    }
    terminal
        .out()
        .printf(
            "%s tenant '%s' (%d): %d files, %s bytes%n",
            done(),
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
