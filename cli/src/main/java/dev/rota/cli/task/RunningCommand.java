package dev.rota.cli.task;

import dev.rota.Attempt;
import dev.rota.Tenant;
import dev.rota.Tenants;
import dev.rota.cli.common.Listing;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.tenant.TenantAction;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists running tasks, and returns those to the ring that run for too long. */
@Command(
    name = "running",
    description = "List running tasks of a tenant, or return them to the ring.",
    sortOptions = false)
public final class RunningCommand extends TenantAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Option(
      names = "--longer-than",
      paramLabel = "DURATION",
      description = "Only tasks claimed longer ago than this, as 1h.")
  private Duration longerThan = Duration.ZERO;

  @Option(
      names = "--return",
      description = "Return them instead: they run again, and late outcomes are dropped.")
  private boolean giveBack;

  @Option(names = "--json", description = "Print one JSON array instead of a table.")
  private boolean json;

  public RunningCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    Tenant owner = tenants.get(tenant);
    if (!giveBack) {
      new Listing<>(RunningCommand::fields, RunningCommand::table)
          .print(owner.control().longRunning(longerThan), json, out);
    } else if (longerThan.isZero()) {
      throw new UsageException("--return needs --longer-than: say how long is too long");
    } else {
      out.println(owner.control().requeueRunning(longerThan));
    }
  }

  private static Table table(List<Attempt> attempts) {
    Table table = new Table("TASK", "ATTEMPT", "CLAIMED", "KIND");
    for (Attempt attempt : attempts) {
      table.add(
          Long.toString(attempt.taskId()),
          Integer.toString(attempt.number()),
          attempt.claimedAt().map(Text::seconds).orElse("-"),
          attempt.kind());
    }
    return table;
  }

  private static Map<String, Object> fields(Attempt attempt) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("task", attempt.taskId());
    fields.put("attempt", attempt.number());
    fields.put("kind", attempt.kind());
    attempt.claimedAt().ifPresent(time -> fields.put("claimedAt", time.toString()));
    return fields;
  }
}
