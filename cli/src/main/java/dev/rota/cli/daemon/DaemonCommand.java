package dev.rota.cli.daemon;

import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.admin.Finding;
import dev.rota.admin.Finding.Severity;
import dev.rota.archive.Archive;
import dev.rota.cli.common.CommandErrors;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.dashboard.DashboardOption;
import dev.rota.cli.dashboard.RunningDashboard;
import dev.rota.cli.database.ArchiveOptions;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.cli.database.FirstConnection;
import dev.rota.daemon.DaemonStatistics;
import dev.rota.daemon.RotationDaemon;
import dev.rota.daemon.internal.DaemonBuilder;
import dev.rota.internal.DefaultRota;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the rotation daemon until a signal stops it. */
@Command(
    name = "daemon",
    description = {
      "Rotate the tables of all tenants, promote tasks that are due, requeue the tasks of dead"
          + " workers, and drop expired history, until SIGTERM or Ctrl-C.",
      "Any number of daemons may run on one schema: one leads, the others stand by and name the"
          + " session that leads."
    },
    sortOptions = false)
public final class DaemonCommand implements Callable<Integer> {

  private static final Duration LOOK = Duration.ofMillis(500);

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final DaemonOptions settings = new DaemonOptions();
  @Mixin private final ArchiveOptions archiveOptions = new ArchiveOptions();
  @Mixin private final DashboardOption dashboard = new DashboardOption();

  @Option(
      names = "--archive-share",
      paramLabel = "PART",
      description = "How much of its time the archiver works; 0.1 by default, 1 is all.")
  private @Nullable Double archiveShare;

  private final Terminal terminal;
  private final Secrets secrets;

  public DaemonCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() throws Exception {
    refuseWrongSettings();
    Optional<Archive> archive = openArchive();
    try {
      return call(archive);
    } catch (InterruptedException e) {
      // Not restored: the signal has done its work, and open resources must close in good order.
      terminal.err().println("rota: daemon stops; the database was away all the time");
      return 0;
    } finally {
      archive.ifPresent(Archive::close);
    }
  }

  /** Checks settings before the first connection, which may take long. */
  private void refuseWrongSettings() {
    dashboard.check(terminal, secrets);
    try {
      DaemonBuilder.check(
          builder -> {
            var unused = settings.apply(builder);
          });
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private Optional<Archive> openArchive() {
    Optional<Archive.Builder> builder = archiveOptions.builder();
    if (archiveShare != null) {
      if (builder.isEmpty()) {
        throw new UsageException("--archive-share needs --archive");
      }
      setShare(builder.get(), archiveShare);
    }
    return builder.map(Archive.Builder::build);
  }

  private static void setShare(Archive.Builder builder, double part) {
    try {
      builder.share(part);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--archive-" + e.getMessage());
    }
  }

  private int call(Optional<Archive> archive) throws Exception {
    FirstConnection first = new FirstConnection(terminal, secrets);
    try (CommandDatabase database = first.await(() -> options.open(terminal, secrets));
        Rota rota = database.openRota()) {
      first.await(() -> refuseWhereNothingWorks(database, rota));
      if (database.isEmbedded()) {
        terminal.err().println("rota: PostgreSQL listens at " + database.embeddedUrl());
      }
      try (@Nullable RunningDashboard served = dashboard.serve(database, terminal);
          RotationDaemon daemon = start(rota, archive)) {
        terminal.err().println("rota: daemon started");
        watch(daemon);
        terminal.err().println("rota: daemon stops; " + summary(daemon));
      }
      return 0;
    }
  }

  /** Refuses a database in which Rota cannot work. Warnings are logged when the daemon starts. */
  private static List<Finding> refuseWhereNothingWorks(CommandDatabase database, Rota rota) {
    database.requireSchema();
    if (DefaultRota.isSchemaBehind(rota)) {
      throw new RotaException(CommandErrors.schemaMissing());
    }
    List<Finding> findings = rota.admin().preflight();
    for (Finding finding : findings) {
      if (finding.severity() == Severity.ERROR) {
        throw new RotaException(finding.toString());
      }
    }
    return findings;
  }

  private RotationDaemon start(Rota rota, Optional<Archive> archive) {
    RotationDaemon.Builder builder = settings.apply(RotationDaemon.builder(rota));
    archive.ifPresent(builder::archive);
    return builder.start();
  }

  /** Reports changes of leadership, until the signal interrupts this thread. */
  private void watch(RotationDaemon daemon) {
    boolean leading = false;
    terminal.err().println("rota: standing by for leadership");
    try {
      while (true) {
        if (daemon.isLeading() != leading) {
          leading = !leading;
          terminal.err().println(leading ? "rota: leading" : "rota: no longer leading");
        }
        Thread.sleep(LOOK.toMillis());
      }
    } catch (InterruptedException e) {
      // Not restored: the orderly end follows, which must be able to wait.
      return;
    }
  }

  private static String summary(RotationDaemon daemon) {
    DaemonStatistics done = daemon.statistics();
    return Text.count(done.rotations())
        + " rotations, "
        + Text.count(done.postponed())
        + " postponed, "
        + Text.count(done.promoted())
        + " tasks promoted, "
        + Text.count(done.reaped())
        + " returned from dead workers, "
        + Text.count(done.segments().parkedTenants())
        + " tenants parked, "
        + Text.count(daemon.archiveStatistics().tasks())
        + " archived";
  }
}
