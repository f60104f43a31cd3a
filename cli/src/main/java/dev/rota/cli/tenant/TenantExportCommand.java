package dev.rota.cli.tenant;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.transfer.TenantTransfer;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a tenant into a folder. */
@Command(
    name = "export",
    description = {
      "Write all that a tenant has into a folder, as it is at one moment.",
      "What runs at that moment is pending in the export. After a failure, repeat the command."
    },
    sortOptions = false)
public final class TenantExportCommand extends TransferAction {

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      required = true,
      description = "A folder that is empty or not there.")
  private Path folder = Path.of("");

  public TenantExportCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  int act(TenantTransfer transfer) {
    print("exported", transfer.exportTenant(name, folder));
    return 0;
  }
}
