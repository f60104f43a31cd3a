package dev.rota.cli.history;

import dev.rota.Tenants;
import dev.rota.cli.common.Listing;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.history.ErrorGroup;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows error texts and their frequency. */
@Command(
    name = "errors",
    description = "Group the failed attempts of a tenant by the text of their errors.",
    sortOptions = false)
public final class ErrorsCommand extends HistoryAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Mixin private final HistoryOptions which = new HistoryOptions();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "The most groups to show (default: ${DEFAULT-VALUE}).")
  private int limit = 100;

  @Option(names = "--json", description = "Print one JSON array instead of a table.")
  private boolean json;

  public ErrorsCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    List<ErrorGroup> groups =
        tenants.get(tenant).history().scanErrorGroups(which.filter().limit(limit), this::tell);
    new Listing<>(ErrorsCommand::fields, ErrorsCommand::table).print(groups, json, out);
  }

  private static Table table(List<ErrorGroup> groups) {
    Table table = new Table("ATTEMPTS", "DEAD", "FIRST", "LAST", "EXAMPLE", "ERROR");
    for (ErrorGroup group : groups) {
      table.add(
          Text.count(group.attempts()),
          Text.count(group.dead()),
          Text.seconds(group.period().first()),
          Text.seconds(group.period().last()),
          Long.toString(group.exampleTaskId()),
          group.error().lines().findFirst().orElse(""));
    }
    return table;
  }

  private static Map<String, Object> fields(ErrorGroup group) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("error", group.error());
    fields.put("attempts", group.attempts());
    fields.put("dead", group.dead());
    fields.put("firstAt", group.period().first().toString());
    fields.put("lastAt", group.period().last().toString());
    fields.put("exampleTaskId", group.exampleTaskId());
    return fields;
  }
}
