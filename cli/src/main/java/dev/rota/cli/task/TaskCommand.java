package dev.rota.cli.task;

import dev.rota.Attempt;
import dev.rota.Tenants;
import dev.rota.cli.common.Json;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Table;
import dev.rota.cli.common.Terminal;
import dev.rota.cli.common.Text;
import dev.rota.cli.history.HistoryAction;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows all attempts of one task: for a task of a pipeline, its path through the stages. */
@Command(
    name = "task",
    description = "Show all attempts of one task, over all stages of its pipeline.",
    sortOptions = false)
public final class TaskCommand extends HistoryAction {

  @Parameters(index = "0", paramLabel = "TENANT", description = "The name of the tenant.")
  private String tenant = "";

  @Parameters(index = "1", paramLabel = "ID", description = "The id of the task.")
  private long id;

  @Option(names = "--json", description = "Print one JSON array instead of a table.")
  private boolean json;

  public TaskCommand(Terminal terminal, Secrets secrets) {
    super(terminal, secrets);
  }

  @Override
  public void act(Tenants tenants, PrintStream out) {
    List<Attempt> attempts = tenants.get(tenant).history().scanAttempts(id, this::tell);
    if (json) {
      out.println(Json.render(attempts.stream().map(TaskCommand::fields).toList()));
      return;
    }
    Table table = new Table("KIND", "ATTEMPT", "STATE", "ENQUEUED", "CLAIMED", "FINISHED", "ERROR");
    for (Attempt attempt : attempts) {
      table.add(
          attempt.kind(),
          Integer.toString(attempt.number()),
          Text.state(attempt.state()),
          Text.seconds(attempt.createdAt()),
          attempt.claimedAt().map(Text::seconds).orElse("-"),
          attempt.finishedAt().map(Text::seconds).orElse("-"),
          attempt.error().flatMap(text -> text.lines().findFirst()).orElse(""));
    }
    table.print(out);
    attempts.stream()
        .filter(attempt -> attempt.stack().isPresent())
        .reduce((one, later) -> later)
        .ifPresent(attempt -> printError(attempt, out));
  }

  private static void printError(Attempt attempt, PrintStream out) {
    out.println();
    out.println("Attempt " + attempt.number() + ", " + Text.state(attempt.state()) + ":");
    attempt.error().stream().flatMap(String::lines).forEach(line -> out.println("  " + line));
    attempt.stack().stream().flatMap(String::lines).forEach(frame -> out.println("    " + frame));
  }

  private static Map<String, Object> fields(Attempt attempt) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("kind", attempt.kind());
    fields.put("attempt", attempt.number());
    fields.put("state", Text.state(attempt.state()));
    fields.put("enqueuedAt", attempt.createdAt().toString());
    attempt.runAt().ifPresent(time -> fields.put("runAt", time.toString()));
    attempt.claimedAt().ifPresent(time -> fields.put("claimedAt", time.toString()));
    attempt.finishedAt().ifPresent(time -> fields.put("finishedAt", time.toString()));
    attempt.error().ifPresent(text -> fields.put("error", text));
    attempt.stack().ifPresent(frames -> fields.put("stack", frames));
    if (!attempt.headers().isEmpty()) {
      fields.put("headers", attempt.headers());
    }
    fields.put("payload", attempt.payload());
    return fields;
  }
}
