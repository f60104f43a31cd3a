package dev.rota.cli.task;

import dev.rota.TaskState;
import dev.rota.Tenants;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.UsageException;
import dev.rota.cli.history.HistoryAction;
import dev.rota.cli.history.HistoryOptions;
import dev.rota.control.Replay;
import dev.rota.control.ReplayResult;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Enqueues tasks of history once more. */
@Command(
    name = "replay",
    description = {
      "Enqueue tasks of a tenant's history once more, as new tasks, and print how many.",
      "With --archive, those that have left the database are among them."
    },
    sortOptions = false)
public final class ReplayCommand extends HistoryAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Mixin private final HistoryOptions which = new HistoryOptions();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      split = ",",
      description = "Only tasks that ended in one of these states: done, dead, cancelled.")
  private @Nullable Set<TaskState> states;

  @Option(names = "--id", paramLabel = "ID", description = "Only this task.")
  private @Nullable Long id;

  @Option(
      names = "--once",
      paramLabel = "NAME",
      description =
          "A name for this replay: repeated with it, no task is enqueued again within 30 days.")
  private @Nullable String name;

  @Option(
      names = "--spread",
      paramLabel = "DURATION",
      description = "Let them become pending spread over a time, as 1h, instead of at once.")
  private Duration spread = Duration.ZERO;

  @Option(names = "--dry-run", description = "Only count them.")
  private boolean dryRun;

  @Option(names = "--all", description = "All tasks; needed where no condition is given.")
  private boolean all;

  public ReplayCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    if (!all && states == null && id == null && which.isEmpty()) {
      throw new UsageException(
          "name the tasks by a condition such as --from and --to, or say --all");
    }
    ReplayResult result = tenants.get(tenant).control().replay(replay());
    out.println(result.tasks());
    tell(result.archive());
  }

  private Replay replay() {
    Replay replay = Replay.of(which.filter(states, id)).spreadOver(spread);
    if (name != null) {
      replay = replay.once(name);
    }
    return dryRun ? replay.dryRun() : replay;
  }
}
