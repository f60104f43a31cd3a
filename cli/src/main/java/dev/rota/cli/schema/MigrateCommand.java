package dev.rota.cli.schema;

import dev.rota.Rota;
import dev.rota.admin.Roles;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.cli.database.DatabaseOptions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates or updates the schema. */
@Command(
    name = "migrate",
    description = "Create or update the schema of Rota. Safe to repeat.",
    sortOptions = false)
public final class MigrateCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Option(
      names = "--with-roles",
      description = {
        "Make the roles that own the tables, run the daemon, run the application, and read, and"
            + " hand the tables over to them; see docs/security.md.",
        "Needs a superuser, or the owner of the database who may create roles."
      })
  private boolean withRoles;

  @Option(
      names = "--role-prefix",
      paramLabel = "PREFIX",
      description = "What the names of the roles begin with; the schema's name by default.")
  private @Nullable String rolePrefix;

  private final Terminal terminal;
  private final Secrets secrets;

  public MigrateCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  @Override
  public Integer call() {
    try (CommandDatabase database = options.open(terminal, secrets);
        Rota rota = database.openRota()) {
      String done = "The schema " + database.schema() + " is up to date";
      Roles roles = roles(database.schema());
      if (roles == null) {
        rota.admin().migrate();
        terminal.out().println(done + ".");
      } else {
        rota.admin().migrate(roles);
        terminal.out().println(done + ", with the roles " + names(roles) + ".");
      }
      return 0;
    }
  }

  private @Nullable Roles roles(String schema) {
    if (!withRoles) {
      if (rolePrefix != null) {
        throw new UsageException("--role-prefix needs --with-roles");
      }
      return null;
    }
    try {
      return Roles.withPrefix(rolePrefix == null ? schema : rolePrefix);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static String names(Roles roles) {
    return String.join(
        ", ", roles.owner(), roles.daemon(), roles.application(), roles.reader(), roles.operator());
  }
}
