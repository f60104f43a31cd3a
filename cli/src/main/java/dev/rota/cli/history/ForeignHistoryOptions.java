package dev.rota.cli.history;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.TenantInfo;
import dev.rota.Tenants;
import dev.rota.archive.Archive;
import dev.rota.archive.ForeignHistory;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.ArchiveOptions;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Of which tenants archived history is read with SQL, and where its files are. */
final class ForeignHistoryOptions {

  @Parameters(paramLabel = "TENANT", arity = "0..*", description = "The names of tenants.")
  private List<String> names = List.of();

  @Option(names = "--all", description = "All tenants.")
  private boolean all;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      required = true,
      description = "Where copies of archived files are kept that the server can read.")
  private Path folder = Path.of("");

  @Option(
      names = "--server-folder",
      paramLabel = "DIR",
      description = "The same folder as the server sees it, if it is another path there.")
  private @Nullable Path serverFolder;

  @Mixin private final ArchiveOptions archiveOptions = new ArchiveOptions();
  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  /** Lets a command act on each of the tenants, and returns the exit code of success. */
  int forEach(Terminal terminal, Secrets secrets, BiConsumer<ForeignHistory, Tenant> action) {
    if (all == !names.isEmpty()) {
      throw new UsageException("name tenants, or say --all for all of them");
    }
    try (Archive archive =
            archiveOptions
                .open()
                .orElseThrow(() -> new UsageException("say where the archive is: --archive"));
        CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      database.requireSchema();
      Path seen = (serverFolder == null ? folder : serverFolder).toAbsolutePath().normalize();
      ForeignHistory foreign = ForeignHistory.in(rota, archive, folder.toAbsolutePath(), seen);
      chosen(rota.tenants()).forEach(tenant -> action.accept(foreign, tenant));
      return 0;
    }
  }

  private List<Tenant> chosen(Tenants tenants) {
    List<String> chosen = all ? tenants.list().stream().map(TenantInfo::name).toList() : names;
    return chosen.stream().map(tenants::get).toList();
  }
}
