package dev.rota.cli.limit;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.database.DatabaseOptions;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Resumes a scope. */
@Command(
    name = "resume",
    description = "Let the tasks of a paused scope begin again.",
    sortOptions = false)
public final class ResumeCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();

  @Parameters(
      paramLabel = "SCOPE",
      converter = ScopeConverter.class,
      description = {"The scope of the pause:", ScopeConverter.FORMS})
  private Scope scope = Scope.everything();

  @Option(
      names = "--reopen",
      description = {
        "End what handlers and a breaker ordered for kind:K or tenant:T/kind:K,",
        "and not the pause of an operator."
      })
  private boolean reopen;

  private final Terminal terminal;
  private final RuleCalls calls;

  public ResumeCommand(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.calls = new RuleCalls(terminal, secrets);
  }

  @Override
  public Integer call() {
    return calls.run(options, this::resume);
  }

  private int resume(Controls controls) {
    boolean was = reopen ? controls.reopen(scope) : controls.resume(scope);
    String name = SafeText.whole(scope.toString());
    terminal.out().println(name + (was ? " is resumed." : " was not paused."));
    return 0;
  }
}
