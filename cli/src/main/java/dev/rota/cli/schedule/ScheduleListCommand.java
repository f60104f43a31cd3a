package dev.rota.cli.schedule;

import dev.rota.TenantInfo;
import dev.rota.Tenants;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.schedule.ScheduleInfo;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists schedules. */
@Command(
    name = "list",
    description = "List the schedules of a tenant, or of all.",
    sortOptions = false)
final class ScheduleListCommand extends TenantAction {

  @Parameters(
      arity = "0..1",
      paramLabel = "TENANT",
      description = "The name of the tenant; default: all tenants.")
  private @Nullable String tenant;

  @Option(names = "--json", description = "Print one JSON array instead of a table.")
  private boolean json;

  ScheduleListCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    Table table = new Table("STATE", "NEXT", "LAST", "TASK", "SKIPPED", "TIMES", "TENANT", "NAME");
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (String name : names(tenants)) {
      for (ScheduleInfo info : tenants.get(name).schedules().list()) {
        all.add(ScheduleText.fields(name, info));
        table.add(row(name, info));
      }
    }
    if (json) {
      out.println(Json.render(all));
    } else {
      table.print(out);
    }
  }

  private List<String> names(Tenants tenants) {
    return tenant == null
        ? tenants.list().stream().map(TenantInfo::name).toList()
        : List.of(tenant);
  }

  private static String[] row(String tenant, ScheduleInfo info) {
    return new String[] {
      info.paused() ? "paused" : "active",
      info.nextRunAt().map(Text::seconds).orElse("-"),
      info.lastRun().map(run -> Text.seconds(run.enqueuedAt())).orElse("-"),
      info.lastRun().map(run -> Long.toString(run.taskId())).orElse("-"),
      Text.count(info.skipped()),
      ScheduleText.times(info.schedule()),
      tenant,
      info.schedule().name()
    };
  }
}
