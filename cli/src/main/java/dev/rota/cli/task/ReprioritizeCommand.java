package dev.rota.cli.task;

import dev.rota.Tenants;
import dev.rota.cli.common.PriorityConverter;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.control.TaskFilter;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes the priority of tasks that do not run yet. */
@Command(
    name = "reprioritize",
    description = "Give pending and waiting tasks another priority and print how many.",
    sortOptions = false)
public final class ReprioritizeCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Option(
      names = "--priority",
      paramLabel = "PRIORITY",
      converter = PriorityConverter.class,
      required = true,
      description = "The new one, -1000 to 1000; higher ones are served first.")
  private int priority;

  @Mixin private final TaskChoice choice = new TaskChoice();

  @Option(names = "--key", paramLabel = "KEY", description = "Only the task with this key.")
  private @Nullable String key;

  public ReprioritizeCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    choice.require(key != null);
    TaskFilter filter = choice.filter();
    out.println(
        tenants
            .get(tenant)
            .control()
            .changePriority(key == null ? filter : filter.key(key), priority));
  }
}
