package dev.rota.cli.task;

import dev.rota.Tenant;
import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.control.TaskFilter;
import java.io.PrintStream;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancels tasks that do not run yet, and requests running ones to end. */
@Command(
    name = "cancel",
    description = "Cancel pending and waiting tasks of a tenant and print how many.",
    sortOptions = false)
public final class CancelCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Mixin private final TaskChoice choice = new TaskChoice();

  @Option(names = "--key", paramLabel = "KEY", description = "Only the task with this key.")
  private @Nullable String key;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only tasks enqueued at this time or later, as 2030-01-31T08:00:00Z.")
  private @Nullable Instant from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only tasks enqueued before this time.")
  private @Nullable Instant to;

  @Option(
      names = "--running",
      description = {
        "Also request running tasks to end, and print how many.",
        "They are cancelled when their handlers stop, and not tried again."
      })
  private boolean running;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Kept with the tasks (default: ${DEFAULT-VALUE}).")
  private String reason = "cancelled by an operator";

  public CancelCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    choice.require(key != null || from != null || to != null);
    Tenant of = tenants.get(tenant);
    long cancelled = of.control().cancel(filter(), reason);
    if (running) {
      long asked = of.control().requestCancel(filter(), reason);
      // A task that failed in between waits for its next attempt.
      cancelled += of.control().cancel(filter(), reason);
      out.println(cancelled + " cancelled, " + asked + " asked to end");
    } else {
      out.println(cancelled);
    }
  }

  private TaskFilter filter() {
    TaskFilter filter = choice.filter();
    if (key != null) {
      filter = filter.key(key);
    }
    if (from != null) {
      filter = filter.createdFrom(from);
    }
    return to == null ? filter : filter.createdBefore(to);
  }
}
