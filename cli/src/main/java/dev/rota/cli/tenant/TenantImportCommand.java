package dev.rota.cli.tenant;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferReport;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a tenant out of an export. */
@Command(
    name = "import",
    description = {
      "Make a tenant out of an export, with all that it had.",
      "Nothing of it is seen before all is there. After a failure, repeat the command."
    },
    sortOptions = false)
public final class TenantImportCommand extends TransferAction {

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      required = true,
      description = "The folder of the export.")
  private Path folder = Path.of("");

  @Option(
      names = "--name",
      paramLabel = "NEW",
      description = "The name that it gets; default: the one that it had.")
  private @Nullable String name;

  public TenantImportCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  int act(TenantTransfer transfer) {
    TransferReport report =
        name == null ? transfer.importTenant(folder) : transfer.importTenant(folder, name);
    print("imported", report);
    return 0;
  }
}
