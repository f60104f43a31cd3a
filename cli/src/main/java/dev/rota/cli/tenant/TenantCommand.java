package dev.rota.cli.tenant;

import dev.rota.TenantInfo;
import dev.rota.cli.common.Listing;
import dev.rota.cli.common.PriorityConverter;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.database.DatabaseOptions;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The group of commands about the registry, and its short commands. */
@Command(
    name = "tenant",
    description =
        "Add, list, rename, close, reopen, erase and move tenants, and set what holds for one.",
    synopsisSubcommandLabel = "COMMAND",
    addMethodSubcommands = false)
public final class TenantCommand extends TenantGroup {

  private static final String OF_TENANT = "The name of the tenant.";

  private final Terminal terminal;
  private final Secrets secrets;

  private TenantCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
    this.terminal = terminal;
    this.secrets = secrets;
  }

  public static CommandLine withSubcommands(Terminal terminal, Secrets secrets) {
    return new TenantCommand(terminal, secrets)
        .with(
            "add",
            "list",
            "rename",
            "close",
            new TenantEraseCommand(terminal, secrets),
            "reopen",
            new TenantPolicyCommand(terminal, secrets),
            "lane",
            "exportTenant",
            "importTenant",
            new TenantRestoreCommand(terminal, secrets));
  }

  @Command(
      description = "Register tenants and print their numbers. Safe to repeat.",
      sortOptions = false)
  int add(
      @Mixin DatabaseOptions database,
      @Parameters(arity = "1..*", paramLabel = "NAME", description = "The names of the tenants.")
          List<String> names) {
    return run(
        database,
        (tenants, out) ->
            tenants
                .registerAll(names)
                .forEach(tenant -> out.printf("%d\t%s%n", tenant.number(), tenant.name())));
  }

  @Command(description = "List all tenants.", sortOptions = false)
  int list(
      @Mixin DatabaseOptions database,
      @Option(names = "--json", description = "Print one JSON array instead of a table.")
          boolean json) {
    return run(
        database,
        (tenants, out) ->
            new Listing<>(TenantCommand::fields, TenantCommand::table)
                .print(tenants.list(), json, out));
  }

  @Command(
      description = "Give a tenant another name; its tasks and tables stay where they are.",
      sortOptions = false)
  int rename(
      @Mixin DatabaseOptions database,
      @Parameters(index = "0", paramLabel = "NAME", description = "The present name.") String name,
      @Parameters(index = "1", paramLabel = "NEW-NAME", description = "The new name.")
          String newName) {
    return run(
        database,
        (tenants, out) -> {
          int number = tenants.rename(name, newName).number();
          out.println("Tenant " + number + " is now " + newName + ".");
        });
  }

  @Command(
      description =
          "Close a tenant: it refuses new tasks, works off what is pending, and stays readable.",
      sortOptions = false)
  int close(
      @Mixin DatabaseOptions database,
      @Parameters(paramLabel = "NAME", description = OF_TENANT) String name) {
    return run(
        database,
        (tenants, out) -> {
          tenants.close(name);
          out.println(name + " is closed.");
        });
  }

  @Command(description = "Open a closed tenant again.", sortOptions = false)
  int reopen(
      @Mixin DatabaseOptions database,
      @Parameters(paramLabel = "NAME", description = OF_TENANT) String name) {
    return run(
        database,
        (tenants, out) -> {
          int number = tenants.reopen(name).number();
          out.println("Tenant " + number + ", " + name + ", is open.");
        });
  }

  @Command(
      description =
          "Make the lane of a priority ahead of its first task, for producers that may not make"
              + " tables. Safe to repeat.",
      sortOptions = false)
  int lane(
      @Mixin DatabaseOptions database,
      @Parameters(paramLabel = "NAME", description = OF_TENANT) String name,
      @Option(
              names = "--priority",
              paramLabel = "PRIORITY",
              converter = PriorityConverter.class,
              required = true,
              description = "-1000 to 1000; a tenant has at most nine beside 0.")
          int priority) {
    return run(
        database,
        (tenants, out) -> {
          tenants.get(name).addLane(priority);
          out.println(name + " has a lane of priority " + priority + ".");
        });
  }

  @Command(
      name = "export",
      description = {
        "Write all that a tenant has into a folder, as it is at one moment.",
        "What runs at that moment is pending in the export. After a failure, repeat the command."
      },
      sortOptions = false)
  int exportTenant(
      @Mixin TransferOptions options,
      @Parameters(paramLabel = "NAME", description = OF_TENANT) String name,
      @Option(
              names = "--folder",
              paramLabel = "DIR",
              required = true,
              description = "A folder that is empty or not there.")
          Path folder) {
    return options.run(
        terminal,
        secrets,
        transfer -> {
          options.print("exported", transfer.exportTenant(name, folder), terminal.out());
          return 0;
        });
  }

  @Command(
      name = "import",
      description = {
        "Make a tenant out of an export, with all that it had.",
        "Nothing of it is seen before all is there. After a failure, repeat the command."
      },
      sortOptions = false)
  int importTenant(
      @Mixin TransferOptions options,
      @Option(
              names = "--folder",
              paramLabel = "DIR",
              required = true,
              description = "The folder of the export.")
          Path folder,
      @Option(
              names = "--name",
              paramLabel = "NEW",
              description = "The name that it gets; default: the one that it had.")
          @Nullable String name) {
    return options.run(
        terminal,
        secrets,
        transfer -> {
          options.print(
              "imported",
              name == null ? transfer.importTenant(folder) : transfer.importTenant(folder, name),
              terminal.out());
          return 0;
        });
  }

  private static Table table(List<TenantInfo> all) {
    Table table = new Table("NUMBER", "STATE", "REGISTERED", "HISTORY", "NAME");
    for (TenantInfo tenant : all) {
      table.add(
          Integer.toString(tenant.number()),
          tenant.closed() ? "closed" : "open",
          Text.seconds(tenant.createdAt()),
          TenantPolicyCommand.keepsHistory(tenant.policy()),
          tenant.name());
    }
    return table;
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
