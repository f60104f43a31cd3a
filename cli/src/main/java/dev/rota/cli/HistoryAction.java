package dev.rota.cli;

import dev.rota.ArchiveUse;
import dev.rota.archive.Archive;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** What the commands share that read history, in the database and in an archive. */
abstract class HistoryAction extends TenantAction {

  @Mixin private final ArchiveOptions archive = new ArchiveOptions();

  HistoryAction(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  final Optional<Archive> openArchive() {
    return archive.open();
  }

  /** On standard error, so that what is on standard output is the result alone. */
  final void tell(ArchiveUse use) {
    use.opened().forEach(key -> err().println("Opened " + key));
    use.missed().forEach(key -> err().println("Not opened, since no --archive is given: " + key));
  }
}
