package dev.rota.cli.tenant;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The group of commands about the registry. */
@Command(
    name = "tenant",
    description =
        "Add, list, rename, close, reopen, erase and move tenants, and set what holds for one.",
    synopsisSubcommandLabel = "COMMAND")
public final class TenantCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    line.usage(line.getErr());
    return ExitCode.USAGE;
  }
}
