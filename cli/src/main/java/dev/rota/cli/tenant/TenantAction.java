package dev.rota.cli.tenant;

import dev.rota.Rota;
import dev.rota.Tenants;
import dev.rota.archive.Archive;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** Base class of the commands about tenants. */
public abstract class TenantAction implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  private final Terminal terminal;
  private final Secrets secrets;

  public TenantAction(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  public abstract void act(Tenants tenants, PrintStream out);

  /** Opens the archive for commands that read history; closed by the caller. */
  protected Optional<Archive> openArchive() {
    return Optional.empty();
  }

  /** The stream of progress and hints. */
  public final PrintStream err() {
    return terminal.err();
  }

  @Override
  public final Integer call() {
    try (@Nullable Archive archive = openArchive().orElse(null);
        CommandDatabase database = options.open(terminal, secrets);
        Rota rota = open(database, archive)) {
      database.requireSchema();
      act(rota.tenants(), terminal.out());
      return 0;
    }
  }

  private static Rota open(CommandDatabase database, @Nullable Archive archive) {
    Rota.Builder builder = database.rotaBuilder();
    return (archive == null ? builder : builder.archive(archive)).build();
  }
}
