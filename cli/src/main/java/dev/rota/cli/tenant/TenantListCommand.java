package dev.rota.cli.tenant;

import dev.rota.TenantInfo;
import dev.rota.Tenants;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the registry. */
@Command(name = "list", description = "List all tenants.", sortOptions = false)
public final class TenantListCommand extends TenantAction {

  @Option(names = "--json", description = "Print one JSON array instead of a table.")
  private boolean json;

  public TenantListCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    List<TenantInfo> all = tenants.list();
    if (json) {
      out.println(Json.render(all.stream().map(TenantListCommand::fields).toList()));
      return;
    }
    Table table = new Table("NUMBER", "STATE", "REGISTERED", "HISTORY", "NAME");
    for (TenantInfo tenant : all) {
      table.add(
          Integer.toString(tenant.number()),
          tenant.closed() ? "closed" : "open",
          Text.seconds(tenant.createdAt()),
          TenantPolicyCommand.keepsHistory(tenant.policy()),
          tenant.name());
    }
    table.print(out);
  }

  private static Map<String, @Nullable Object> fields(TenantInfo tenant) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("number", tenant.number());
    fields.put("name", tenant.name());
    fields.put("closed", tenant.closed());
    fields.put("createdAt", tenant.createdAt().toString());
    fields.putAll(TenantPolicyCommand.fields(tenant.policy()));
    return fields;
  }
}
