package dev.rota.dashboard;

import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.audit.AuditEntry.Result;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import dev.rota.graph.TaskGraph;
import dev.rota.insight.ErrorQuery;
import dev.rota.limits.Scope;
import dev.rota.processes.MigratedDatabase;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A dashboard over a database that holds some texts wherever a user, a worker or the server may put
 * a text: each is the name of a tenant with a dead task, a schedule, a graph, a pause and entries
 * of the audit.
 */
public final class TextedDashboard extends RotaFixture {

  static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static final String KIND = "javascript:alert/1";
  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_HEADER = 200;

  private final List<String> texts;
  private final List<Tenant> tenants = new ArrayList<>();
  private final Map<Integer, Browsing> browsings = new ConcurrentHashMap<>();

  /** Fills a new database with texts, of which no two may begin alike. */
  public TextedDashboard(List<String> texts) throws SQLException {
    super(MigratedDatabase.create());
    this.texts = List.copyOf(texts);
    texts.forEach(this::enqueue);
    fail();
    for (int i = 0; i < texts.size(); i++) {
      act(i);
      writeAround(i);
    }
    Await.until("no change runs", () -> running() == texts.size());
  }

  /** A text as the name of a tenant, a schedule or a viewer. */
  public static String name(String text) {
    return text.substring(0, text.offsetByCodePoints(0, shorter(text, LONGEST_NAME / 2)));
  }

  private static int shorter(String text, int most) {
    return Math.min(text.codePointCount(0, text.length()), most);
  }

  /** A text as a key of a task, or as the value of a header. */
  static String key(String text) {
    int end = text.length();
    while (text.substring(0, end).getBytes(StandardCharsets.UTF_8).length > LONGEST_HEADER) {
      end = text.offsetByCodePoints(end, -1);
    }
    return text.substring(0, end);
  }

  private void enqueue(String text) {
    Tenant tenant = tenant(name(text));
    tenants.add(tenant);
    long unused =
        tenant.enqueue(
            NewTask.of(KIND, text)
                .withKey(key(text))
                .withHeader("note", key(text))
                .withHeader("traceparent", TRACEPARENT));
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(name(text), NewTask.of("later", text).after(Duration.ofDays(1)));
    var unusedGraph = tenant.graphs().enqueue(graph.build());
    var unusedSchedule =
        tenant
            .schedules()
            .add(Schedule.every(name(text), Duration.ofHours(24), NewTask.of("clean", text)));
  }

  private void fail() {
    try (Worker worker =
        rota()
            .worker()
            .hourlyStatistics(true)
            .retry(RetryPolicy.never())
            .handle(
                KIND,
                task -> {
                  throw error(task.payload());
                })
            .start()) {
      Await.until("all died", () -> worker.statistics().dead(), texts.size());
    }
    Await.until("all are counted", () -> counted() == texts.size());
  }

  /** An error whose message, cause and frames are a text; a letter keeps it from others. */
  private IllegalStateException error(String text) {
    char letter = (char) ('a' + texts.indexOf(text));
    IllegalStateException error =
        new IllegalStateException(letter + " " + text, new IllegalArgumentException(text));
    error.setStackTrace(
        new StackTraceElement[] {new StackTraceElement(name(text), name(text), name(text), 1)});
    return error;
  }

  private long counted() {
    Instant now = rota().insight().overview().readAt();
    Duration hour = Duration.ofHours(1);
    return rota().insight().errors(ErrorQuery.between(now.minus(hour), now.plus(hour))).stream()
        .mapToLong(error -> error.attempts().dead())
        .sum();
  }

  /** Sends forms whose fields are a text, by a viewer of that name. */
  private void act(int number) {
    String text = texts.get(number);
    Browsing browsing = browsing(number);
    String tenant = name(text);
    String scope = Scope.tenant(tenant).toString();
    send(browsing, "enqueue", "tenant", tenant, "kind", "later", "key", key(text + number));
    send(browsing, "cancel", "tenant", tenant, "key", key(text + number), "reason", text);
    send(browsing, "ask-to-end", "tenant", tenant, "key", key(text), "reason", text);
    send(browsing, "replay", "tenant", tenant, "once", "again");
    send(browsing, "schedule-run", "tenant", tenant, "schedule", tenant);
    if (number % 2 == 0) {
      send(browsing, "schedule-pause", "tenant", tenant, "schedule", tenant);
    }
    send(browsing, "pause", "scope", scope, "reason", text, "length", "1 h");
    send(browsing, "limits", "scope", scope, "weight", "2");
  }

  private static void send(Browsing browsing, String action, String... fields) {
    DashboardResponse answer = browsing.post("/actions/" + action, fields);
    if (answer.status() != 303) {
      throw new AssertionError(action + ": " + Browsing.text(answer));
    }
  }

  /** Writes a text where only programs write. */
  private void writeAround(int number) throws SQLException {
    String text = texts.get(number);
    int tenant = tenants.get(number).number();
    AuditedAction action =
        new AuditedAction(
            name(text), "redrive", Optional.of(name(text)), text, OptionalLong.empty());
    long unusedRunning = rota().audit().begin(action);
    rota().audit().end(rota().audit().begin(action), new Result(AuditState.FAILED, 1, false, text));
    write(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, pools, kinds, left_kinds)"
            + " values (1000000 + "
            + tenant
            + ", ?, interval '1 hour', now(), now(), array[?], array[?], array[? || ' left'])",
        text);
    write("update rota.tenant set postponed_reason = ? where number = " + tenant, text);
    write(
        "insert into rota.archive (tenant, seq, opened_at, sealed_at, key, trouble)"
            + " values ("
            + tenant
            + ", 1000, now(), now(), ?, ?)",
        text);
  }

  private void write(String sql, String text) throws SQLException {
    try (Connection connection = database().connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
        statement.setString(i, text);
      }
      statement.executeUpdate();
    }
  }

  private long running() {
    return rota().audit().list(AuditQuery.newest().limit(1_000)).stream()
        .filter(entry -> entry.result().state() == AuditState.RUNNING)
        .count();
  }

  /** The texts that it holds. */
  public List<String> texts() {
    return texts;
  }

  /** A dashboard whose viewer is called as a text, and whose traces stand at such an address. */
  public Dashboard dashboard(int number) {
    String name = name(texts.get(number));
    return Dashboard.builder(rota())
        .access(request -> Optional.of(Viewer.operator(name)))
        .traces("https://traces.example/" + texts.get(1) + "/{traceId}")
        .build();
  }

  /** A browser of that viewer. */
  Browsing browsing(int number) {
    return browsings.computeIfAbsent(number, each -> new Browsing(dashboard(each)));
  }
}
