package dev.rota.cli.common;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * A command that only has subcommands. Called without one it shows its help. The short ones are
 * methods of its class.
 */
public abstract class CommandGroup implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public final Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return ExitCode.USAGE;
  }

  /**
   * This command with its subcommands, in the order in which its help lists them.
   *
   * @param subcommands names of methods of its class, and objects of classes of their own
   */
  protected final CommandLine with(Object... subcommands) {
    CommandLine line = new CommandLine(this);
    for (Object subcommand : subcommands) {
      line.addSubcommand(subcommand instanceof String name ? method(name) : subcommand);
    }
    return line;
  }

  private Method method(String name) {
    List<Method> methods = CommandLine.getCommandMethods(getClass(), name);
    if (methods.size() != 1) {
      throw new IllegalArgumentException(getClass() + " has no single command " + name);
    }
    return methods.get(0);
  }
}
