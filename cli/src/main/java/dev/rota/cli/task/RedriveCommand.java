package dev.rota.cli.task;

import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.control.Redrive;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs dead tasks again. */
@Command(
    name = "redrive",
    description = "Run dead tasks of a tenant again and print how many.",
    sortOptions = false)
public final class RedriveCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Mixin private final TaskChoice choice = new TaskChoice();

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "Only tasks that died with this text, as `rota errors --json` shows it.")
  private @Nullable String error;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only tasks that died at this time or later, as 2030-01-31T08:00:00Z.")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only tasks that died before this time.")
  private @Nullable Instant to;

  @Option(
      names = "--spread",
      paramLabel = "DURATION",
      description = "Let them become pending spread over a time, as 1h, instead of at once.")
  private Duration spread = Duration.ZERO;

  @Option(names = "--dry-run", description = "Only count them.")
  private boolean dryRun;

  public RedriveCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    choice.require(error != null || from != null || to != null);
    out.println(tenants.get(tenant).control().redrive(redrive()));
  }

  private Redrive redrive() {
    Redrive redrive = Redrive.all().spreadOver(spread);
    if (!choice.ids().isEmpty()) {
      redrive = redrive.ids(choice.ids());
    }
    String kind = choice.kind();
    if (kind != null) {
      redrive = redrive.kind(kind);
    }
    if (error != null) {
      redrive = redrive.error(error);
    }
    return bounded(dryRun ? redrive.dryRun() : redrive);
  }

  private Redrive bounded(Redrive redrive) {
    Redrive later = from == null ? redrive : redrive.diedFrom(from);
    return to == null ? later : later.diedBefore(to);
  }
}
