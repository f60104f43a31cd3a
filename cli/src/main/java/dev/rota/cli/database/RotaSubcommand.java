package dev.rota.cli.database;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * Adds a subcommand to {@code rota} from another jar, so that this one does not need that command's
 * dependencies. Found by {@link java.util.ServiceLoader}: the class needs a public constructor
 * without parameters.
 */
public interface RotaSubcommand {

  /**
   * Creates the subcommand for one call of {@code rota}.
   *
   * @param context the services of the command
   * @return an object of a class that has picocli's annotation {@code Command} with a name; it
   *     returns the exit code
   */
  Callable<Integer> command(CommandContext context);

  /**
   * Creates the subcommands of this one; none by default.
   *
   * @param context the services of the commands
   * @return as {@link #command}
   */
  default List<Callable<Integer>> subcommands(CommandContext context) {
    return List.of();
  }
}
