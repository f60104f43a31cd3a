package dev.rota.crash.fuzz;

import static dev.rota.crash.fuzz.EntryPoints.TENANT;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.cli.RotaCommand;
import dev.rota.control.Redrive;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The intake paths through the command. Each call opens new connections. */
final class CommandWays {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final String jdbcUrl;
  private final Tenant tenant;
  private final String folder = Path.of("target", "no such folder").toString();

  CommandWays(String jdbcUrl, Tenant tenant) {
    this.jdbcUrl = jdbcUrl;
    this.tenant = tenant;
  }

  List<IntakePath> all() {
    return List.of(
        IntakePath.slow("arguments of the command", this::commandArguments),
        IntakePath.slow("what the command shows", this::commandOutput));
  }

  /** Runs one command for each text, since each opens new connections. */
  private void commandArguments(String text) {
    List<List<String>> calls = calls(text);
    command(calls.get(Math.floorMod(text.hashCode(), calls.size())));
  }

  /** Runs all commands that take a text. */
  void everyCommand(String text) {
    calls(text).forEach(this::command);
  }

  private List<List<String>> calls(String text) {
    return List.of(
        List.of(text),
        List.of("tenant", "add", text),
        List.of("tenant", "rename", text, text),
        List.of("tenant", "close", text),
        List.of("tenant", "policy", text),
        List.of("tenant", "policy", TENANT, "--keep-history", text),
        List.of("tenant", "lane", TENANT, "--priority", text),
        List.of("tenant", "export", text, "--folder", folder + "/export"),
        List.of("tenant", "import", "--folder", folder, "--name", text),
        List.of("tenant", "erase", text, "--confirm", text + "."),
        List.of("tenant", "restore", text, "--archive", folder),
        List.of("archive", "attach", text, "--archive", folder),
        List.of("archive", "detach", text),
        List.of("enqueue", text, "k", "{}"),
        List.of("enqueue", TENANT, text, "{}"),
        List.of("enqueue", TENANT, "k", text),
        List.of("enqueue", TENANT, "k", "{}", "--key", text),
        List.of("enqueue", TENANT, "k", "{}", "--header", text),
        List.of("enqueue", TENANT, "k", "{}", "--header", "h=" + text),
        List.of("enqueue", TENANT, "k", "{}", "--at", text),
        List.of("enqueue", TENANT, "k", "{}", "--after", text),
        List.of("task", TENANT, text),
        List.of("cancel", TENANT, "--kind", text),
        List.of("cancel", TENANT, "--key", text),
        List.of("reprioritize", TENANT, "--kind", text, "--priority", "1"),
        List.of("redrive", TENANT, "--error", text),
        List.of("running", text),
        List.of("errors", text),
        List.of("history", TENANT, "--kind", text),
        List.of("history", TENANT, "--after", text),
        List.of("history", TENANT, "--from", text),
        List.of("history", TENANT, "--archive", "s3://" + text, "--count-by", text),
        List.of("replay", TENANT, "--kind", text, "--once", text),
        List.of("statistics", TENANT, "--kind", text),
        List.of("usage", "--tenant", text),
        List.of("usage", "--from", text),
        List.of("schedule", "run", TENANT, text),
        List.of("schedule", "add", TENANT, text, "k", "{}", "--cron", text),
        List.of("limit", "show", text),
        List.of("limit", "set", text, "--weight", "2"),
        List.of("limit", "set", "plan:of-a-pool", "--pool", text),
        List.of("limit", "plan", text),
        List.of("why", text),
        List.of("why", "fuzz", "--kind", text),
        List.of("top", "--seconds", text),
        List.of("pause", "tenant:" + text, "--for", "1ms"),
        List.of("pause", "kind:none", "--for", "1ms", "--reason", text),
        List.of("resume", "tenant:" + text),
        List.of("graph", "show", TENANT, text),
        List.of("status", "--tenant", text));
  }

  private void commandOutput(String text) throws Exception {
    long id = tenant.enqueue(NewTask.of("k", text));
    try (Batch batch = tenant.claim(1)) {
      batch.dead(batch.tasks().get(0), text);
      batch.settle();
    }
    String json = command(List.of("task", TENANT, Long.toString(id), "--json"));
    Answers.same(text, JSON.readTree(json).get(0).get("payload").asText());
    if (text.length() % 2 == 0) {
      command(List.of("errors", TENANT));
    } else {
      command(List.of("task", TENANT, Long.toString(id)));
    }
    tenant.control().redrive(Redrive.all());
    drain();
    kindOutput(text);
  }

  /**
   * Checks the output of a kind that the API refuses: history may have it, and it has to be on one
   * line nevertheless.
   */
  private void kindOutput(String text) throws SQLException {
    if (!isStorable(text)) {
      return;
    }
    long id = tenant.enqueue(NewTask.of("k", "{}"));
    try (Batch running = tenant.claim(1)) {
      giveKind(id, text);
      requireLines(2, command(List.of("running", TENANT)));
      running.settle();
      requireLines(2, command(List.of("task", TENANT, Long.toString(id))));
      requireLines(2, command(List.of("history", TENANT, "--id", Long.toString(id))));
    }
  }

  /**
   * Writes such a kind into history. A claim sets such kinds aside; workers of earlier versions
   * have let them into history.
   */
  private void giveKind(long id, String kind) throws SQLException {
    String segment = "rota_%1$d.task_hist_%1$d_1".formatted(tenant.number());
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        PreparedStatement statement =
            connection.prepareStatement("update " + segment + " set kind = ? where id = ?")) {
      statement.setString(1, kind);
      statement.setLong(2, id);
      statement.executeUpdate();
    }
  }

  private static boolean isStorable(String text) {
    return text.indexOf('\0') < 0 && UTF_8.newEncoder().canEncode(text);
  }

  private static void requireLines(long count, String printed) {
    Answers.require(
        printed.lines().count() == count, "there are other lines than " + count + ": " + printed);
  }

  /** Runs a command; its output must not control the terminal. */
  private String command(List<String> words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    List<String> args = new ArrayList<>(words);
    args.addAll(List.of("--jdbc-url", jdbcUrl));
    int code = RotaCommand.run(args.toArray(String[]::new), stream, stream);
    String printed = out.toString(UTF_8);
    Answers.require(code >= 0 && code <= 2, "the exit code is " + code);
    Answers.requirePlain("what is printed", printed);
    drain();
    return printed;
  }

  private void drain() {
    boolean more = true;
    while (more) {
      try (Batch batch = tenant.claim(100)) {
        more = !batch.tasks().isEmpty();
        batch.settle();
      }
    }
  }
}
