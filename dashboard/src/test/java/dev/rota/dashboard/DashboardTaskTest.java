package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.graph.TaskGraph;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the pages of a task, of graphs, pipelines and limits. */
@RotaTest
class DashboardTaskTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private static final String PAYLOAD =
      "{\"to\":\"ann\",\"lines\":[1,2],\"note\":\"a, b: {c}\",\"no\":{}}";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private Dashboard.Builder dashboard(Viewer viewer) {
    return Dashboard.builder(fixture.rota()).access(request -> Optional.of(viewer));
  }

  private Browsing operator() {
    return new Browsing(dashboard(Viewer.operator("joe")).build());
  }

  private long dead() {
    long id =
        acme.enqueue(
            NewTask.of("mail", PAYLOAD)
                .withHeader("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01"));
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .retry(RetryPolicy.never())
            .handle(
                "mail",
                task -> {
                  throw new IllegalStateException("no such mailbox");
                })
            .start()) {
      Await.until("it is dead", () -> worker.statistics().dead(), 1);
    }
    return id;
  }

  @Test
  void aTaskShowsItsAttemptsPayloadAndErrorWithStack() {
    String[] task = {"tenant", "acme", "id", "" + dead()};
    String page = operator().page("/task", task);
    assertThat(page)
        .contains("<dt>state</dt><dd>dead</dd>")
        .contains("no such mailbox")
        .contains("DashboardTaskTest")
        .contains("<span class=\"name\">to</span> <code>\"ann\"</code>")
        .contains("<span class=\"name\">lines</span> <span class=\"size\">2 items</span>")
        .contains("<span class=\"name\">note</span> <code>\"a, b: {c}\"</code>")
        .contains("<span class=\"name\">no</span> <code>{}</code>")
        .contains("<pre class=\"text\" tabindex=\"0\">{\"to\":\"ann\",\"lines\":[1,2],")
        .contains("traceparent")
        .contains("/actions/redrive?hours=744&amp;task=" + task[3] + "&amp;tenant=acme")
        .doesNotContain("trace " + TRACE);
    assertThat(operator().page("/tenant", "name", "acme"))
        .contains("/ops/rota/task?id=" + task[3] + "&amp;tenant=acme");
    assertThat(operator().page("/task", "tenant", "acme", "id", "999999")).contains("No attempt");
    assertThat(operator().get("/task", "tenant", "acme").status()).isEqualTo(400);
    assertThat(operator().get("/task", "tenant", "acme", "id", "x").status()).isEqualTo(400);
  }

  @Test
  void payloadsNeedTheirRightAndMayBeRedacted() {
    String[] task = {"tenant", "acme", "id", "" + dead()};
    Viewer reader = Viewer.operator("rea").with(EnumSet.complementOf(EnumSet.of(Right.PAYLOAD)));
    assertThat(new Browsing(dashboard(reader).build()).page("/task", task))
        .contains("You lack the right PAYLOAD")
        .doesNotContain("ann")
        .doesNotContain("traceparent");
    Dashboard redacting =
        dashboard(Viewer.operator("joe"))
            .payloads((tenant, kind, payload) -> tenant + "/" + kind + ": " + payload.length())
            .build();
    assertThat(new Browsing(redacting).page("/task", task))
        .contains("acme/mail: " + PAYLOAD.length())
        .doesNotContain("ann");
  }

  @Test
  void aTracedTaskLeadsToItsTrace() {
    String[] task = {"tenant", "acme", "id", "" + dead()};
    Dashboard.Builder builder = dashboard(Viewer.operator("joe"));
    Dashboard tracing = builder.traces("https://traces.example/{traceId}?from=rota").build();
    assertThat(new Browsing(tracing).page("/task", task))
        .contains("<a href=\"https://traces.example/" + TRACE + "?from=rota\">trace " + TRACE);
    assertThatIllegalArgumentException().isThrownBy(() -> builder.traces("https://traces.example"));
    assertThatIllegalArgumentException().isThrownBy(() -> builder.traces("javascript:{traceId}"));
  }

  @Test
  @Tag("exhaustive")
  void rulesAndReasonsAreShown() {
    acme.enqueue(NewTask.of("mail", "{}"));
    fixture.rota().controls().changeLimits(Scope.tenant("acme"), limits -> limits.concurrency(3));
    fixture.rota().controls().pause(Scope.kind("mail"), "the server is down");
    String page = operator().page("/limits");
    assertThat(page)
        .contains("tenant:acme")
        .contains("concurrency 3")
        .contains("the server is down")
        .contains("/actions/resume?scope=kind%3Amail");
    assertThat(operator().page("/limits", "shares", "1")).contains("busy handlers, measured over");
    assertThat(operator().page("/why", "tenant", "acme", "kind", "mail"))
        .contains("kind mail do not begin")
        .contains("the server is down")
        .doesNotContain("measure the shares");
  }

  @Test
  @Tag("exhaustive")
  void sharesAreMeasuredWhereNothingElseIsKnown() {
    acme.enqueueAll(Collections.nCopies(2_000, NewTask.of("mail", "{}")));
    CountDownLatch release = new CountDownLatch(1);
    try (Worker worker =
        fixture.rota().worker().concurrency(1).handle("mail", task -> release.await()).start()) {
      Await.until(
          "no other reason",
          () -> operator().page("/why", "tenant", "acme").contains("measure the shares"));
      assertThat(operator().page("/why", "tenant", "acme", "shares", "1"))
          .doesNotContain("measure the shares");
      release.countDown();
    }
  }

  @Test
  void graphsAreListedAndCancelled() {
    TaskGraph.Builder graph = TaskGraph.builder();
    var first = graph.add(NewTask.of("first", "{}"));
    graph.add(NewTask.of("second", "{}")).dependsOn(first);
    long id = acme.graphs().enqueue(graph.build()).id();
    assertThat(operator().page("/graphs", "tenant", "acme"))
        .contains("<td class=\"number\">" + id + "</td>")
        .contains("/actions/graph-cancel?graph=" + id + "&amp;tenant=acme");
    String[] fields = {"tenant", "acme", "graph", "" + id};
    assertThat(operator().page("/actions/graph-cancel", fields)).contains("up to 2 tasks");
    assertThat(operator().post("/actions/graph-cancel", fields).status()).isEqualTo(303);
    Await.until("it ends", () -> acme.graphs().find(id).orElseThrow().isFinished());
    assertThat(operator().page("/actions/graph-cancel", "tenant", "acme", "graph", "99"))
        .contains("the tenant has no graph 99");
  }

  @Test
  @Tag("exhaustive")
  void kindsWithStagesArePipelines() {
    acme.enqueueAll(List.of(NewTask.of("video/cut", "{}"), NewTask.of("mail", "{}")));
    try (Worker worker =
        fixture
            .rota()
            .worker()
            .hourlyStatistics(true)
            .handle("video/cut", task -> {})
            .handle("mail", task -> {})
            .start()) {
      Await.until(
          "both are counted",
          () -> operator().page("/kinds").contains("video/cut") && kindsHave("mail"));
    }
    assertThat(operator().page("/pipelines"))
        .contains("<h2>video</h2>")
        .contains("video/cut")
        .doesNotContain(">mail<");
  }

  private boolean kindsHave(String kind) {
    return operator().page("/kinds").contains(">" + kind + "<");
  }
}
