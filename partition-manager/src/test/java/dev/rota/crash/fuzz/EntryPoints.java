package dev.rota.crash.fuzz;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.HistoryFilter;
import dev.rota.NewTask;
import dev.rota.Pipeline;
import dev.rota.Redrive;
import dev.rota.Roles;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.Schedule;
import dev.rota.Task;
import dev.rota.TaskFilter;
import dev.rota.TaskGraph;
import dev.rota.Tenant;
import dev.rota.cli.RotaCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Every way by which a text gets into Rota. Each takes it and gives it back as it was, or refuses
 * it as bad input before the database sees it; nothing else may happen.
 */
final class EntryPoints implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final String jdbcUrl;
  private final Rota rota;
  private final Tenant tenant;
  private final List<Way> ways =
      List.of(
          this::tenantName,
          this::unknownTenant,
          this::kind,
          this::payload,
          this::payloadOfMany,
          this::payloadInTransaction,
          this::key,
          this::error,
          this::reason,
          this::filters,
          this::schedule,
          this::scheduleTimes,
          this::graph,
          this::pool,
          this::pipeline,
          this::sqlFunction,
          this::settings,
          this::commandArguments,
          this::commandOutput);

  EntryPoints(String jdbcUrl) {
    this.jdbcUrl = jdbcUrl;
    this.rota = Rota.builder(jdbcUrl).poolSize(4).build();
    rota.migrate();
    this.tenant = rota.tenants().register("fuzzed");
  }

  /** One way in. */
  private interface Way {
    void take(String text) throws Exception;
  }

  int count() {
    return ways.size();
  }

  /** Whether a way goes over the command, which takes longer. */
  boolean isCommand(int way) {
    return way >= ways.size() - 2;
  }

  /** Lets a text in one way; an {@link AssertionError} tells of anything but the two answers. */
  void take(int way, String text) {
    try {
      ways.get(way).take(text);
    } catch (DatabaseException e) {
      throw wrong(way, text, e);
    } catch (IllegalArgumentException | IllegalStateException | RotaException e) {
      requireOneLine(way, text, String.valueOf(e.getMessage()));
    } catch (Exception e) {
      throw wrong(way, text, e);
    }
  }

  private static AssertionError wrong(int way, String text, Throwable cause) {
    return new AssertionError("way " + way + " with " + shown(text) + ": " + cause, cause);
  }

  /** What is logged or shown of a refusal must not look like something else. */
  private static void requireOneLine(int way, String text, String message) {
    boolean obeyed = message.codePoints().anyMatch(EntryPoints::isObeyed);
    if (obeyed && !ECHOING.contains(way)) {
      throw wrong(way, text, new IllegalStateException("its message holds control characters"));
    }
  }

  /** Checks of values that a program's author chose, whose exceptions show them as they are. */
  private static final List<Integer> ECHOING = List.of(9, 10, 11, 12, 14, 16);

  private static boolean isObeyed(int codePoint) {
    int type = Character.getType(codePoint);
    return type == Character.CONTROL || type == Character.FORMAT;
  }

  private void tenantName(String text) {
    Tenant registered = rota.tenants().register(text);
    same(text, rota.tenants().get(text).name());
    same(text, registered.name());
    rota.tenants().close(text);
    rota.tenants().reopen(text);
  }

  private void unknownTenant(String text) {
    rota.tenants().find(text);
    rota.tenants().get(text);
  }

  private void kind(String text) {
    tenant.enqueue(NewTask.of(text, "{}"));
    same(text, claimed().kind());
  }

  private void payload(String text) {
    tenant.enqueue(NewTask.of("k", text));
    same(text, claimed().payload());
  }

  private void payloadOfMany(String text) {
    tenant.enqueueAll(List.of(NewTask.of("k", text), NewTask.of("k", text).priority(1)));
    same(text, claimed().payload());
    same(text, claimed().payload());
  }

  private void payloadInTransaction(String text) throws SQLException {
    try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
      connection.setAutoCommit(false);
      tenant.enqueue(connection, NewTask.of("k", text));
      connection.commit();
    }
    same(text, claimed().payload());
  }

  private void key(String text) {
    long id = tenant.enqueue(NewTask.of("k", "{}").withKey(text));
    require(tenant.enqueue(NewTask.of("k", "{}").withKey(text)) == id, "the key is another one");
    require(tenant.cancel(TaskFilter.all().key(text), "done") == 1, "the key is not found");
  }

  private void error(String text) {
    List<Ending> endings =
        List.of(
            (batch, task) -> batch.fail(task, text, Duration.ofHours(1)),
            (batch, task) -> batch.fail(task, new IllegalStateException(text)),
            (batch, task) -> batch.kill(task, text));
    for (Ending ending : endings) {
      tenant.enqueue(NewTask.of("k", "{}"));
      try (Batch batch = tenant.claim(1)) {
        ending.end(batch, batch.tasks().get(0));
        require(batch.settle().settled() == 1, "it is not settled");
      }
    }
    tenant.errorGroups(HistoryFilter.all());
    tenant.cancel(TaskFilter.all(), text);
  }

  private interface Ending {
    void end(Batch batch, Task task);
  }

  private void reason(String text) {
    tenant.enqueue(NewTask.of("k", "{}"));
    try (Batch batch = tenant.claim(1)) {
      require(tenant.cancelRunning(TaskFilter.all(), text) == 1, "it was not asked");
      batch.settle();
    }
  }

  private void filters(String text) {
    tenant.cancel(TaskFilter.all().kind(text), "x");
    tenant.cancel(TaskFilter.all().key(text), "x");
    tenant.redrive(Redrive.all().error(text));
    tenant.redrive(Redrive.all().kind(text));
    tenant.history(HistoryFilter.all().kind(text));
    tenant.errorGroups(HistoryFilter.all().kind(text));
    tenant.history(HistoryFilter.all().after(text));
  }

  private void schedule(String text) {
    tenant.schedules().add(Schedule.every(text, Duration.ofHours(1), NewTask.of("k", "{}")));
    try {
      same(text, tenant.schedules().find(text).orElseThrow().schedule().name());
      tenant.schedules().pause(text);
      tenant.schedules().resume(text);
    } finally {
      tenant.schedules().remove(text);
    }
    tenant
        .schedules()
        .add(Schedule.every("of payload", Duration.ofHours(1), NewTask.of("k", text)));
    tenant.schedules().remove("of payload");
  }

  private void scheduleTimes(String text) {
    Schedule.cron("c", text, NewTask.of("k", "{}"));
    tenant.schedules().add(Schedule.cron("of time", text, NewTask.of("k", "{}")));
    tenant.schedules().remove("of time");
  }

  private void graph(String text) {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node parent = builder.add(text, NewTask.of("k", text));
    builder.add(NewTask.of("k", text)).dependsOn(parent);
    long id = tenant.graphs().enqueue(builder.build()).id();
    require(tenant.graphs().cancel(id, text) == 2, "the graph is not cancelled");
  }

  private void pool(String text) {
    same(text, tenant.assignments().pairs(text).name());
  }

  private void pipeline(String text) {
    Pipeline.named(text).stage(text).build();
  }

  private void sqlFunction(String text) throws SQLException {
    for (String call :
        List.of(
            "select rota.enqueue(?, 'k', '{}')",
            "select rota.enqueue('fuzzed', ?, '{}')",
            "select rota.enqueue('fuzzed', 'k', ?)",
            "select rota.enqueue('fuzzed', 'k', '{}', null, 0, ?)")) {
      try (Connection connection = DriverManager.getConnection(jdbcUrl);
          PreparedStatement statement = connection.prepareStatement(call)) {
        statement.setString(1, text);
        statement.execute();
      } catch (SQLException e) {
        // 22P05 and 22021: characters that cannot be stored; the others are the function's own.
        if (!List.of("22023", "42704", "55000", "22021", "22P05").contains(e.getSQLState())) {
          throw e;
        }
      }
    }
    drain();
  }

  private void settings(String text) {
    Rota.builder(jdbcUrl).schema(text);
    Roles.withPrefix(text);
  }

  /** One command for each text: each opens connections of its own. */
  private void commandArguments(String text) {
    List<String[]> calls =
        List.of(
            new String[] {"tenant", "rename", text, text},
            new String[] {"tenant", "close", text},
            new String[] {"enqueue", text, "k", "{}"},
            new String[] {"enqueue", "fuzzed", text, "{}"},
            new String[] {"enqueue", "fuzzed", "k", text},
            new String[] {"enqueue", "fuzzed", "k", "{}", "--key", text},
            new String[] {"enqueue", "fuzzed", "k", "{}", "--at", text},
            new String[] {"cancel", "fuzzed", "--kind", text},
            new String[] {"schedule", "run", "fuzzed", text},
            new String[] {"status", "--tenant", text},
            new String[] {text});
    command(calls.get(Math.floorMod(text.hashCode(), calls.size())));
    drain();
  }

  private void commandOutput(String text) throws Exception {
    long id = tenant.enqueue(NewTask.of("k", text));
    try (Batch batch = tenant.claim(1)) {
      batch.kill(batch.tasks().get(0), text);
      batch.settle();
    }
    String json = command("task", "fuzzed", Long.toString(id), "--json");
    same(text, JSON.readTree(json).get(0).get("payload").asText());
    if (text.length() % 2 == 0) {
      command("errors", "fuzzed");
    } else {
      command("task", "fuzzed", Long.toString(id));
    }
    tenant.redrive(Redrive.all());
    drain();
  }

  /** Runs a command; nothing that it prints may do more than be shown. */
  private String command(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    String[] args = new String[words.length + 2];
    System.arraycopy(words, 0, args, 0, words.length);
    args[words.length] = "--jdbc-url";
    args[words.length + 1] = jdbcUrl;
    int code = RotaCommand.run(args, stream, stream);
    String printed = out.toString(StandardCharsets.UTF_8);
    require(code >= 0 && code <= 2, "the exit code is " + code);
    require(
        printed.codePoints().noneMatch(c -> c != '\n' && isObeyed(c)),
        "control characters are printed: " + shown(printed));
    return printed;
  }

  private Task claimed() {
    try (Batch batch = tenant.claim(1)) {
      require(batch.tasks().size() == 1, "the task is not there");
      batch.settle();
      return batch.tasks().get(0);
    }
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

  private static void same(String given, String back) {
    require(Objects.equals(given, back), "it came back as " + shown(back));
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  /** A text in a message about it: short, and in ASCII. */
  private static String shown(String text) {
    StringBuilder shown = new StringBuilder("a text of " + text.length() + " characters: ");
    text.chars()
        .limit(200)
        .forEach(
            c ->
                shown.append(
                    c >= ' ' && c < 0x7F ? "" + (char) c : "\\u" + Integer.toHexString(c)));
    return shown.toString();
  }

  @Override
  public void close() {
    rota.close();
  }
}
