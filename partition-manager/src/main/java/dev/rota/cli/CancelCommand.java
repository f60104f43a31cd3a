package dev.rota.cli;

import dev.rota.TaskFilter;
import dev.rota.Tenants;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancels tasks that do not run yet. */
@Command(
    name = "cancel",
    description = "Cancel pending and waiting tasks of a tenant and print how many.",
    sortOptions = false)
final class CancelCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Option(names = "--all", description = "All of them; needed if there is no condition.")
  private boolean all;

  @Option(names = "--id", paramLabel = "ID", description = "Only this task; can be repeated.")
  private List<Long> ids = new ArrayList<>();

  @Option(names = "--kind", paramLabel = "KIND", description = "Only tasks of this kind.")
  private @Nullable String kind;

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
      names = "--reason",
      paramLabel = "TEXT",
      description = "Kept with the tasks (default: ${DEFAULT-VALUE}).")
  private String reason = "cancelled by an operator";

  CancelCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  void act(Tenants tenants, PrintStream out) {
    boolean restricted = !ids.isEmpty() || kind != null || from != null || to != null;
    if (restricted == all) {
      throw new UsageException("name the tasks by a condition such as --kind, or say --all");
    }
    out.println(tenants.get(tenant).cancel(filter(), reason));
  }

  private TaskFilter filter() {
    TaskFilter filter = ids.isEmpty() ? TaskFilter.all() : TaskFilter.all().ids(ids);
    if (kind != null) {
      filter = filter.kind(kind);
    }
    if (from != null) {
      filter = filter.createdFrom(from);
    }
    return to == null ? filter : filter.createdBefore(to);
  }
}
