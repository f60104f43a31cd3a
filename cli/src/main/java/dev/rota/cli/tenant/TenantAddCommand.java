package dev.rota.cli.tenant;

import dev.rota.Tenant;
import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Registers tenants. */
@Command(
    name = "add",
    description = "Register tenants and print their numbers. Safe to repeat.",
    sortOptions = false)
public final class TenantAddCommand extends TenantAction {

  @Parameters(arity = "1..*", paramLabel = "NAME", description = "The names of the tenants.")
  private List<String> names = new ArrayList<>();

  public TenantAddCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    for (Tenant tenant : tenants.registerAll(names)) {
      out.printf("%d\t%s%n", tenant.number(), tenant.name());
    }
  }
}
