package dev.rota.cli.tenant;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.common.UsageException;
import dev.rota.transfer.RestoreAllReport;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TenantTransfer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Restores the history of tenants from their archive. */
@Command(
    name = "restore",
    description = {
      "Record the files of a tenant's archive again when the database, or its manifest, was lost.",
      "May be repeated. Exit code 1 if files are damaged or foreign; the others are restored."
    },
    sortOptions = false)
public final class TenantRestoreCommand implements Callable<Integer> {

  @Mixin private final TransferOptions transferOptions = new TransferOptions();

  @ArgGroup(multiplicity = "1")
  private Which which = new Which();

  /** The choice of one tenant or all. */
  private static final class Which {
    @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
    private String name = "";

    @Option(names = "--all", description = "All tenants that have files in the archive.")
    private boolean all;
  }

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

  private final Terminal terminal;
  private final Secrets secrets;

  public TenantRestoreCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    return transferOptions.run(
        terminal, secrets, transfer -> which.all ? restoreAll(transfer) : restore(transfer));
  }

  private int restore(TenantTransfer transfer) {
    RestoreReport report = transfer.restoreTenant(which.name, options());
    print(report);
    return report.complete() ? 0 : 1;
  }

  private int restoreAll(TenantTransfer transfer) {
    if (number != null) {
      throw new UsageException("--number is that of one tenant; name the tenant");
    }
    RestoreAllReport report = transfer.restoreAll(options());
    print(report);
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

  private void print(RestoreReport report) {
    if (transferOptions.isJson()) {
      TransferOptions.printJson(RestoreOutput.of(report), terminal.out());
    } else {
      printText(report);
    }
    tell(report.problems());
  }

  private void print(RestoreAllReport report) {
    if (transferOptions.isJson()) {
      TransferOptions.printJson(RestoreOutput.of(report), terminal.out());
    } else {
      report.tenants().forEach(this::printText);
    }
    report.tenants().forEach(tenant -> tell(tenant.problems()));
    tell(report.problems());
  }

  private void printText(RestoreReport report) {
    String done = dryRun ? "would restore" : "restored";
    TransferOptions.printText(done, report.restored(), terminal.out());
    terminal.out().printf("  %s known%n", Text.count(report.known()));
  }

  private void tell(List<RestoreReport.Problem> problems) {
    for (RestoreReport.Problem problem : problems) {
      terminal.err().printf("not restored: %s: %s%n", problem.key(), problem.reason());
    }
  }
}
