package dev.rota.cli.limit;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Pauses a scope. */
@Command(
    name = "pause",
    description = {
      "Let no task of a scope begin until it is resumed; those that run end, and enqueues go on.",
      "Exit code 1 if tasks still run after --wait."
    },
    sortOptions = false)
public final class PauseCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Parameters(
      paramLabel = "SCOPE",
      converter = ScopeConverter.class,
      description = {"The scope:", ScopeConverter.FORMS})
  private Scope scope = Scope.everything();

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      description = "End the pause by itself, such as after 10m; default: rota resume ends it.")
  private @Nullable Duration length;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Shown with the pause (default: ${DEFAULT-VALUE}).")
  private String reason = "paused by an operator";

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description = "Wait until none of its tasks runs, at most this long, such as 1m.")
  private @Nullable Duration patience;

  private final Terminal terminal;
  private final RuleCalls calls;

  public PauseCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.calls = new RuleCalls(terminal, secrets);
  }

  @Override
  public Integer call() {
    return calls.run(options, this::pause);
  }

  private int pause(Controls controls) {
    if (length == null) {
      controls.pause(scope, reason);
    } else {
      controls.pause(scope, reason, length);
    }
    String name = SafeText.whole(scope.toString());
    if (patience == null) {
      terminal.out().println(name + " is paused.");
      return 0;
    }
    boolean quiet = controls.awaitQuiet(scope, patience);
    terminal
        .out()
        .println(
            quiet
                ? name + " is paused, and none of its tasks runs."
                : name + " is paused; its tasks still run after " + Text.duration(patience) + ".");
    return quiet ? 0 : 1;
  }
}
