package dev.rota.cli.history;

import dev.rota.archive.Archive;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.ArchiveOptions;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.history.ArchiveUse;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** Base class of commands that read history, in the database and in an archive. */
public abstract class HistoryAction extends TenantAction {

  @Mixin private final ArchiveOptions archive = new ArchiveOptions();

  public HistoryAction(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  protected final Optional<Archive> openArchive() {
    return archive.open();
  }

  /**
   * Reports the use of the archive on standard error, so that standard output has the result alone.
   */
  public final void tell(ArchiveUse use) {
    use.opened().forEach(key -> err().println("Opened " + key));
    use.missed().forEach(key -> err().println("Not opened, since no --archive is given: " + key));
  }
}
