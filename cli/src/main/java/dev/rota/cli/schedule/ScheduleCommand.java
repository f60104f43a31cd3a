package dev.rota.cli.schedule;

import dev.rota.TenantInfo;
import dev.rota.Tenants;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.cli.tenant.TenantGroup;
import dev.rota.schedule.ScheduleInfo;
import dev.rota.schedule.Schedules;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group of commands about schedules. */
@Command(
    name = "schedule",
    description = "Add, list, pause, resume, run and remove schedules.",
    synopsisSubcommandLabel = "COMMAND",
    addMethodSubcommands = false)
public final class ScheduleCommand extends TenantGroup {

  /** One schedule of a tenant. */
  static final class Choice {
    @Mixin private final DatabaseOptions database = new DatabaseOptions();

    @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
    private String tenant = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the schedule.")
    private String name = "";
  }

  private ScheduleCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new ScheduleCommand(terminal, secrets)
        .with(
            new ScheduleAddCommand(terminal, secrets), "list", "pause", "resume", "run", "remove");
  }

  @Command(description = "List the schedules of a tenant, or of all.", sortOptions = false)
  int list(
      @Mixin DatabaseOptions database,
      @Parameters(
              arity = "0..1",
              paramLabel = "TENANT",
              description = "The name of the tenant; default: all tenants.")
          @Nullable String tenant,
      @Option(names = "--json", description = "Print one JSON array instead of a table.")
          boolean json) {
    return run(database, (tenants, out) -> list(tenants, names(tenants, tenant), json, out));
  }

  @Command(description = "Stop a schedule until it is resumed.", sortOptions = false)
  int pause(@Mixin Choice choice) {
    return on(
        choice,
        (schedules, out) -> {
          schedules.pause(choice.name);
          out.println(choice.name + " is paused.");
        });
  }

  @Command(
      description = "Let a paused schedule go on; what fell into the pause is not made up for.",
      sortOptions = false)
  int resume(@Mixin Choice choice) {
    return on(
        choice,
        (schedules, out) -> {
          schedules.resume(choice.name);
          schedules.find(choice.name).map(ScheduleText::next).ifPresent(out::println);
        });
  }

  @Command(
      description = "Enqueue the task of a schedule now and print its id; its next time stays.",
      sortOptions = false)
  int run(@Mixin Choice choice) {
    return on(choice, (schedules, out) -> out.println(schedules.run(choice.name)));
  }

  @Command(description = "Remove a schedule; tasks that it enqueued stay.", sortOptions = false)
  int remove(@Mixin Choice choice) {
    return on(
        choice,
        (schedules, out) -> {
          boolean removed = schedules.remove(choice.name);
          out.println(choice.name + (removed ? " is removed." : " was not there."));
        });
  }

  private int on(Choice choice, BiConsumer<Schedules, PrintStream> action) {
    return run(
        choice.database,
        (tenants, out) -> action.accept(tenants.get(choice.tenant).schedules(), out));
  }

  private static List<String> names(Tenants tenants, @Nullable String tenant) {
    return tenant == null
        ? tenants.list().stream().map(TenantInfo::name).toList()
        : List.of(tenant);
  }

  private static void list(Tenants tenants, List<String> names, boolean json, PrintStream out) {
    Table table = new Table("STATE", "NEXT", "LAST", "TASK", "SKIPPED", "TIMES", "TENANT", "NAME");
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (String name : names) {
      for (ScheduleInfo info : tenants.get(name).schedules().list()) {
        all.add(ScheduleText.fields(name, info));
        table.add(ScheduleText.row(name, info));
      }
    }
    if (json) {
      out.println(Json.render(all));
    } else {
      table.print(out);
    }
  }
}
