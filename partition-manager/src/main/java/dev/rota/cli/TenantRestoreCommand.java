package dev.rota.cli;

import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TenantTransfer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Brings the history of a tenant back from its archive. */
@Command(
    name = "restore",
    description = {
      "Note the files of a tenant's archive again when the database, or its manifest, was lost.",
      "May be repeated. Exit code 1 if files are not what they should be; the others are restored."
    },
    sortOptions = false)
final class TenantRestoreCommand extends TransferAction {

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  @Option(
      names = "--number",
      paramLabel = "N",
      description = "Under which number its files are, tenant=N/..., if it has another one here.")
  private @Nullable Integer number;

  @Option(
      names = "--former-number",
      paramLabel = "N",
      description = "A number that it had in a database from which it was moved; may be repeated.")
  private List<Integer> formerNumbers = new ArrayList<>();

  @Option(
      names = "--take-over",
      description =
          "Make the archive this database's own. Only when the database that wrote it is gone.")
  private boolean takeOver;

  @Option(names = "--dry-run", description = "Read and compare all files, and change nothing.")
  private boolean dryRun;

  TenantRestoreCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  int act(TenantTransfer transfer) {
    RestoreReport report = transfer.restoreTenant(name, options());
    print(dryRun ? "would restore" : "restored", report);
    return report.complete() ? 0 : 1;
  }

  private RestoreOptions options() {
    RestoreOptions options = RestoreOptions.defaults();
    options = number == null ? options : options.withNumber(number);
    for (int former : formerNumbers) {
      options = options.withFormerNumber(former);
    }
    options = takeOver ? options.takingOver() : options;
    return dryRun ? options.dryRun() : options;
  }

  private void print(String done, RestoreReport report) {
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("known", report.known());
    further.put("problems", report.problems());
    print(done, report.restored(), further);
    report
        .problems()
        .forEach(
            problem ->
                terminal()
                    .err()
                    .printf(
                        "not restored: %s: %s%n",
                        Text.printable(problem.key()), Text.printable(problem.reason())));
  }
}
