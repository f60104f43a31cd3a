package dev.rota.cli;

import dev.rota.Schedules;
import dev.rota.Tenants;
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

  abstract void act(Schedules schedules, String name, PrintStream out);

  @Override
  final void act(Tenants tenants, PrintStream out) {
    act(tenants.get(tenant).schedules(), name, out);
  }
}
