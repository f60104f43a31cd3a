package dev.rota.cli.tenant;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.ArchiveOptions;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.TenantEraser;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Erases a tenant. */
@Command(
    name = "erase",
    description = {
      "Erase a closed tenant for ever: its tasks, its history, and its files in the archive.",
      "Refused while it is under legal hold. When it was interrupted, the same command does the"
          + " rest; when it is done, it shows the receipt again."
    },
    sortOptions = false)
public final class TenantEraseCommand implements Callable<Integer> {

  @Parameters(paramLabel = "NAME", description = "The name of the tenant.")
  private String name = "";

  @Option(
      names = "--confirm",
      paramLabel = "NAME",
      required = true,
      description = "The same name once more, since this cannot be taken back.")
  private String confirmed = "";

  @Option(names = "--close", description = "Close it first, if it is open.")
  private boolean close;

  @Option(
      names = "--receipt",
      paramLabel = "FILE",
      description = "Where the receipt goes as JSON, a new file; it stays in the database as well.")
  private @Nullable Path receiptFile;

  @Mixin private final ArchiveOptions archiveOptions = new ArchiveOptions();
  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(names = "--json", description = "Print the receipt instead of a summary.")
  private boolean json;

  private final Terminal terminal;
  private final Secrets secrets;

  public TenantEraseCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() throws IOException {
    if (!confirmed.equals(name)) {
      throw new UsageException("--confirm must be the name of the tenant once more");
    }
    if (receiptFile != null
        && !Files.isDirectory(receiptFile.toAbsolutePath().resolveSibling("."))) {
      throw new UsageException("--receipt: there is no folder for " + receiptFile);
    }
    if (receiptFile != null && Files.exists(receiptFile)) {
      throw new UsageException("--receipt: " + receiptFile + " exists already");
    }
    ErasureReceipt receipt;
    try (@Nullable Archive archive = archiveOptions.open().orElse(null);
        CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      TenantEraser.Builder eraser = TenantEraser.builder(rota).closing(close);
      receipt = (archive == null ? eraser : eraser.archive(archive)).build().erase(name);
    }
    if (receiptFile != null) {
      Files.writeString(receiptFile, receipt.json() + "\n");
    }
    print(receipt, terminal.out());
    return 0;
  }

  private void print(ErasureReceipt receipt, PrintStream out) {
    if (json) {
      out.println(Json.escaped(receipt.json()));
      return;
    }
    out.println(
        receipt.tenant()
            + " is erased: "
            + parts(receipt, ErasureReceipt.Kind.TABLE)
            + " tables with "
            + Text.count(receipt.rows())
            + " rows, "
            + parts(receipt, ErasureReceipt.Kind.OBJECT)
            + " files of the archive with "
            + Text.count(receipt.archivedRows())
            + " attempts.");
    out.println("The SHA-256 of the receipt is " + receipt.sha256() + ".");
  }

  private static String parts(ErasureReceipt receipt, ErasureReceipt.Kind kind) {
    return Text.count(receipt.parts().stream().filter(part -> part.kind() == kind).count());
  }
}
