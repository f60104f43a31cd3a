package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.graph.TaskGraph;
import dev.rota.insight.ErrorQuery;
import dev.rota.limits.Scope;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests what the dashboard tells programs, and lets them change. */
@RotaTest
class DashboardApiTest {

  private static final String ROOT = "/api/v1";
  private static final JsonMapper JSON = new JsonMapper();
  private static final Map<String, String> PROGRAM = Map.of("x-rota-client", "test");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private Browsing viewer(Viewer viewer) {
    return new Browsing(
        Dashboard.builder(fixture.rota()).access(request -> Optional.of(viewer)).build());
  }

  private static Viewer joe() {
    return Viewer.operator("joe");
  }

  private JsonNode get(Viewer viewer, String path, String... parameters) {
    return JSON.readTree(viewer(viewer).page(ROOT + path, parameters));
  }

  private DashboardResponse post(Viewer viewer, String action, String... fields) {
    return viewer(viewer)
        .dashboard()
        .handle(Browsing.request("POST", ROOT + "/actions/" + action, PROGRAM, fields));
  }

  /** Gives each path something to tell. */
  private EnqueuedGraph fill() {
    NewTask task = NewTask.of("mail", "{\"to\": 17}").withHeader("origin", "shop");
    acme.enqueueAll(List.of(task, task));
    try (Worker worker = failing()) {
      Await.until("they died", () -> count(TaskState.DEAD) == 2);
      Await.until("they are counted", () -> counted() == 2);
    }
    Object unused =
        acme.schedules()
            .add(Schedule.every("nightly", Duration.ofHours(24), NewTask.of("clean", "{}")));
    unused =
        fixture.rota().controls().changeLimits(Scope.kind("mail"), limits -> limits.concurrency(2));
    fixture.rota().controls().pause(Scope.kind("other"), "a test");
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node first = graph.add(NewTask.of("first", "{}"));
    TaskGraph.Node second = graph.add(NewTask.of("second", "{}")).dependsOn(first);
    graph.add(NewTask.of("third", "{}")).dependsOn(first, second);
    return acme.graphs().enqueue(graph.build());
  }

  /** A process that left tasks pending. */
  private void leave() throws SQLException {
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, kinds, left_kinds)"
            + " values (7, 'host/7', interval '1 day', now(), now(), '{sms}', '{lost}')");
  }

  private Worker failing() {
    return fixture
        .rota()
        .worker()
        .hourlyStatistics(true)
        .retry(RetryPolicy.never())
        .handle(
            "mail",
            sent -> {
              throw new IllegalStateException("no mailbox " + sent.id());
            })
        .start();
  }

  private long count(TaskState state) {
    return acme.history().scanStates().get(state);
  }

  private long counted() {
    Instant now = fixture.rota().insight().overview().readAt();
    return fixture
        .rota()
        .insight()
        .errors(ErrorQuery.between(now.minusSeconds(3_600), now.plusSeconds(1)))
        .stream()
        .mapToLong(error -> error.attempts().dead())
        .sum();
  }

  @Test
  @Tag("exhaustive")
  void eachAnswerIsAsItsDocumentSays() throws SQLException {
    EnqueuedGraph graph = fill();
    leave();
    post(joe(), "close", "tenant", "acme");
    Await.until("it has ended", () -> audited().equals(List.of(AuditState.DONE)));
    String task = Long.toString(firstTask());
    Map<String, String> values =
        Map.of("tenant", "acme", "hours", "1", "fingerprint", fingerprint(), "kind", "mail");
    Map<String, String> ids =
        Map.of("/graph", Long.toString(graph.id()), "/task", task, "/operation", "1");
    JsonNode document = get(joe(), "/openapi.json");
    try (Batch held = acme.claim(1)) {
      assertThat(checkAll(document, values, ids)).hasSize(21);
      held.settle();
    }
  }

  private List<String> checkAll(
      JsonNode document, Map<String, String> values, Map<String, String> ids) {
    List<String> read = new ArrayList<>();
    document
        .get("paths")
        .properties()
        .forEach(
            path -> {
              JsonNode reading = path.getValue().get("get");
              if (reading != null) {
                Map<String, String> known = new HashMap<>(values);
                Optional.ofNullable(ids.get(path.getKey())).ifPresent(id -> known.put("id", id));
                check(document, path.getKey(), reading, known);
                read.add(path.getKey());
              }
            });
    return read;
  }

  private void check(JsonNode document, String path, JsonNode reading, Map<String, String> values) {
    String[] parameters =
        reading
            .get("parameters")
            .valueStream()
            .map(parameter -> parameter.get("name").asString())
            .filter(values::containsKey)
            .flatMap(name -> Stream.of(name, values.get(name)))
            .toArray(String[]::new);
    String answer = viewer(joe()).page(ROOT + path, parameters);
    JsonNode type = reading.at("/responses/200/content/application~1json/schema");
    assertThat(schema(document, type).validate(answer, InputFormat.JSON))
        .as(path + " answers " + answer)
        .isEmpty();
    assertThat(
            JSON.readTree(answer)
                .valueStream()
                .anyMatch(part -> !part.isEmpty() || part.isValueNode()))
        .as(path + " tells something: " + answer)
        .isTrue();
  }

  /** A type of the document, with the other types that it refers to. */
  private static Schema schema(JsonNode document, JsonNode type) {
    Map<String, Object> whole = new HashMap<>();
    whole.put("$ref", type.get("$ref").asString());
    whole.put("components", document.get("components"));
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
        .getSchema(JSON.writeValueAsString(whole), InputFormat.JSON);
  }

  private List<AuditState> audited() {
    return fixture.rota().audit().list(AuditQuery.newest()).stream()
        .map(entry -> entry.result().state())
        .toList();
  }

  private long firstTask() {
    return get(joe(), "/attempts", "tenant", "acme", "state", "dead")
        .at("/attempts/0/task/id")
        .asLong();
  }

  private String fingerprint() {
    return get(joe(), "/errors").at("/errors/0/fingerprint").asString();
  }

  @Test
  @Tag("exhaustive")
  void aGraphTellsWhatDependsOnWhat() {
    EnqueuedGraph graph = fill();
    JsonNode tasks =
        get(joe(), "/graph", "tenant", "acme", "id", Long.toString(graph.id())).get("tasks");
    assertThat(tasks.get(0).get("children").valueStream().map(JsonNode::asLong))
        .containsExactlyElementsOf(graph.taskIds().subList(1, 3));
    assertThat(tasks.get(0).get("state").asString()).isEqualTo("active");
    assertThat(tasks.get(1).get("kind").asString()).isEqualTo("second");
    assertThat(tasks.get(2).get("children").isEmpty()).isTrue();
  }

  @Test
  @Tag("exhaustive")
  void payloadsAreForThoseWhoMaySeeThem() {
    fill();
    JsonNode seen = get(joe(), "/attempts", "tenant", "acme");
    assertThat(seen.at("/attempts/0/task/content/payload").asString()).isEqualTo("{\"to\": 17}");
    assertThat(seen.at("/attempts/0/task/content/headers/origin").asString()).isEqualTo("shop");
    JsonNode hidden = get(Viewer.reader("rea"), "/attempts", "tenant", "acme");
    assertThat(hidden.at("/attempts/0/task/content").isMissingNode()).isTrue();
    assertThat(hidden.toString()).doesNotContain("shop");
  }

  @Test
  void aViewerOfSomeTenantsReadsTheseAlone() {
    fixture.tenant("other");
    Viewer support = joe().onlyTenants(Set.of("other"));
    for (String path :
        List.of("/overview", "/kinds", "/unhandled-kinds", "/running", "/workers", "/storage")) {
      assertThat(viewer(support).get(ROOT + path).status()).as(path).isEqualTo(403);
    }
    for (String path : List.of("/tenant", "/attempts", "/graphs", "/why", "/errors", "/audit")) {
      assertThat(viewer(support).get(ROOT + path, "tenant", "acme").status())
          .as(path)
          .isEqualTo(403);
    }
    assertThat(viewer(support).get(ROOT + "/kind-tenants", "kind", "mail").status()).isEqualTo(403);
    assertThat(get(support, "/tenants").get("matching").asInt()).isEqualTo(1);
  }

  @Test
  void aDryRunTellsAndChangesNothing() {
    acme.enqueueAll(List.of(NewTask.of("mail", "{}"), NewTask.of("mail", "{}")));
    DashboardResponse dry = post(joe(), "cancel", "tenant", "acme", "dryRun", "true");
    assertThat(dry.status()).isEqualTo(200);
    JsonNode preview = JSON.readTree(Browsing.text(dry));
    assertThat(preview.get("counted").asLong()).isEqualTo(2);
    assertThat(preview.get("effect").asString()).contains("It cancels 2 tasks");
    assertThat(fixture.rota().audit().list(AuditQuery.newest())).isEmpty();
    DashboardResponse begun = post(joe(), "cancel", "tenant", "acme");
    assertThat(begun.status()).isEqualTo(202);
    String id = JSON.readTree(Browsing.text(begun)).get("id").toString();
    Await.until("it has ended", () -> stateOf(id).equals("done"));
    assertThat(count(TaskState.CANCELLED)).isEqualTo(2);
    assertThat(get(joe(), "/operation", "id", id).at("/begin/actor").asString()).isEqualTo("joe");
  }

  private String stateOf(String id) {
    return get(joe(), "/operation", "id", id).at("/progress/state").asString();
  }

  @Test
  @Tag("exhaustive")
  void aChangeIsRefusedToThoseWhoMayNotSendIt() {
    acme.enqueue(NewTask.of("mail", "{}"));
    Viewer others = joe().with(EnumSet.complementOf(EnumSet.of(Right.CANCEL)));
    refused(post(others, "cancel", "tenant", "acme"), 403, "You lack the right CANCEL");
    refused(
        post(joe().onlyTenants(Set.of("other")), "cancel", "tenant", "acme"), 403, "this tenant");
    refused(post(joe(), "cancel"), 400, "lacks a field it needs, of [tenant");
    refused(post(joe(), "cancel", "tenant", "no-such"), 404, "no-such");
    refused(post(joe(), "no-such"), 404, "no such path");
    for (Map<String, String> from :
        List.of(
            Map.<String, String>of(),
            Map.of("x-rota-client", "a", "sec-fetch-site", "cross-site"),
            Map.of("x-rota-client", "a", "origin", "https://evil.example", "host", "localhost"))) {
      DashboardRequest forged =
          Browsing.request("POST", ROOT + "/actions/cancel", from, "tenant", "acme");
      refused(viewer(joe()).dashboard().handle(forged), 403, "X-Rota-Client");
    }
  }

  private void refused(DashboardResponse answer, int status, String detail) {
    assertThat(answer.status()).as(Browsing.text(answer)).isEqualTo(status);
    assertThat(answer.headers().get("Content-Type")).isEqualTo("application/problem+json");
    JsonNode problem = JSON.readTree(Browsing.text(answer));
    assertThat(problem.get("detail").asString()).contains(detail);
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(fixture.rota().audit().list(AuditQuery.newest())).isEmpty();
  }

  /** Without a tenant in its entry of the audit, its viewer could neither watch nor stop it. */
  @Test
  @Tag("exhaustive")
  void aViewerOfSomeTenantsNamesOneToRedrive() {
    fill();
    Viewer support = joe().onlyTenants(Set.of("acme"));
    String fingerprint = fingerprint();
    refused(post(support, "redrive", "fingerprint", fingerprint), 400, "tenant is missing");
    DashboardResponse begun =
        post(support, "redrive", "fingerprint", fingerprint, "tenant", "acme");
    assertThat(begun.status()).isEqualTo(202);
    String id = JSON.readTree(Browsing.text(begun)).get("id").toString();
    assertThat(get(support, "/operation", "id", id).at("/begin/tenant").asString())
        .isEqualTo("acme");
    Await.until("it has ended", () -> stateOf(id).equals("done"));
  }

  @Test
  void whatIsNotThereIsSaid() {
    for (String path : List.of("/no-such", "/actions/cancel", "/")) {
      assertThat(viewer(joe()).get(ROOT + path).status()).as(path).isEqualTo(404);
    }
    refused(viewer(joe()).get(ROOT + "/graph", "tenant", "acme", "id", "7"), 404, "no graph 7");
    refused(viewer(joe()).get(ROOT + "/tenant", "tenant", "no-such"), 404, "no-such");
    refused(viewer(joe()).get(ROOT + "/tenant"), 400, "tenant is missing");
    refused(viewer(joe()).get(ROOT + "/kinds", "hours", "0"), 400, "use a number from 1 to 744");
  }

  @Test
  void aProbeTellsWhetherTheDatabaseAnswers() {
    Browsing anyone =
        new Browsing(Dashboard.builder(fixture.rota()).access(request -> Optional.empty()).build());
    assertThat(anyone.get("/readyz").status()).isEqualTo(200);
    assertThat(anyone.get(ROOT + "/overview").status()).isEqualTo(403);
  }
}
