package dev.rota.cli.schedule;

import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.tenant.TenantAction;
import dev.rota.schedule.Schedules;
import java.io.PrintStream;
import picocli.CommandLine.Parameters;

/** What the commands about one schedule share. */
abstract class ScheduleAction extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Parameters(index = "1", paramLabel = "NAME", description = "The name of the schedule.")
  private String name = "";

  ScheduleAction(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  public abstract void act(Schedules schedules, String name, PrintStream out);

  @Override
  public final void act(Tenants tenants, PrintStream out) {
    act(tenants.get(tenant).schedules(), name, out);
  }
}
