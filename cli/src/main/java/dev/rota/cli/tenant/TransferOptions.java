package dev.rota.cli.tenant;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.database.ArchiveOptions;
import dev.rota.cli.database.BundledLibrary;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferReport;
import java.io.PrintStream;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands that move tenants share: where, and how results are printed. */
final class TransferOptions {

  @Mixin private final ArchiveOptions archiveOptions = new ArchiveOptions();
  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  /** Opens the database and the archive, lets the command act, and returns its exit code. */
  int run(Terminal terminal, Secrets secrets, ToIntFunction<TenantTransfer> action) {
    BundledLibrary.DUCKDB.require("a transfer of tenants");
    try (@Nullable Archive archive = archiveOptions.open().orElse(null);
        CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      return action.applyAsInt(
          archive == null ? TenantTransfer.over(rota) : TenantTransfer.over(rota, archive));
    }
  }

  /** Whether the output is to be JSON. */
  boolean isJson() {
    return json;
  }

  /**
   * Prints the result.
   *
   * @param done the action, as in "exported tenant 'acme'"
   */
  void print(String done, TransferReport report, PrintStream out) {
    if (json) {
      printJson(report, out);
    } else {
      printText(done, report, out);
    }
  }

  /** A record, as one line. */
  static void printJson(Record fields, PrintStream out) {
    out.println(Json.render(fields));
  }

  static void printText(String done, TransferReport report, PrintStream out) {
    out.printf(
        "%s tenant '%s' (%d): %d files, %s bytes%n",
        done, report.tenant(), report.number(), report.files(), Text.count(report.bytes()));
    report.rows().forEach((what, count) -> out.printf("  %s %s%n", Text.count(count), what));
  }
}
